package term

import (
	"math"
	"strings"
	"testing"
)

func TestRequirements(t *testing.T) {
	values := map[string]float64{"test_acc": 0.8, "loss": math.NaN()}
	for _, tt := range []struct{ text, wrong, missed string }{
		{"test_acc>=0.80", "", ""},
		{" test_acc >= 80 % ", "", ""},
		{"test_acc>0.8", "", "test_acc is 0.8000, and --require wants test_acc>0.8"},
		{"test_acc<=.8", "", ""},
		{"test_acc<8e-1", "", "test_acc is 0.8000"},
		{"loss<9", "", "loss is unknown, and --require wants loss<9"},
		{"top5>0.5", "", "top5 is unknown"},
		{"tst_acc>=0.80", `no metric "tst_acc": did you mean "test_acc"?`, ""},
		{"speed>1", `no metric "speed"; there are test_acc, loss, top5`, ""},
		{"test_acc", "want a bound on a metric, such as test_acc>=0.80", ""},
		{"test_acc>=", "want a number after >=", ""},
		{"test_acc>=NaN", "want a number after >=", ""},
		{"test_acc==1", "want a bound on a metric", ""},
	} {
		t.Run(tt.text, func(t *testing.T) {
			need, err := ParseRequirement(tt.text, []string{"test_acc", "loss", "top5"}, false)
			if tt.wrong != "" || err != nil {
				if err == nil || tt.wrong == "" || !strings.Contains(err.Error(), tt.wrong) {
					t.Errorf("got %v, want %q", err, tt.wrong)
				}
				return
			}
			err = Require([]Requirement{need}, values)
			if (err == nil) != (tt.missed == "") || err != nil && !strings.Contains(err.Error(), tt.missed) {
				t.Errorf("got %v, want %q", err, tt.missed)
			}
		})
	}
}
