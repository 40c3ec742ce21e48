package figures

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
)

// Targets are lines of the validation accuracy, which is then all that is drawn; times are the run's, also after a
// resume.
func TestCurvesWithTargets(t *testing.T) {
	r := CurveRun{Config: configs.Default(), Status: run.Status{ID: "k3f9"}}
	r.Epochs = []event.Epoch{{Epoch: 1, ValAcc: 0.6, WallS: 60, TotalS: 60},
		{Epoch: 2, ValAcc: 0.75, WallS: 10, TotalS: 180}}
	curves := Each(r)
	f, err := Curves(curves, CurvesOptions{Time: true, Targets: []float64{0.7}})
	if err != nil {
		t.Fatal(err)
	}
	if csv := string(f.Data.CSV()); !strings.Contains(csv, "\nvalidation accuracy,quadratic,reaches,1,3,0.7\n") ||
		strings.Contains(csv, "loss") {
		t.Errorf("70 %% after 3 minutes and no loss is not what the figure has:\n%s", csv)
	}
	r.Epochs[0].Side, r.Epochs[0].ValAcc = 16, 0.8 // of smaller images: it reaches nothing, and is the best of nothing
	if f, err = Curves(Each(r), CurvesOptions{Targets: []float64{0.7}}); err != nil {
		t.Fatal(err)
	}
	if csv := string(f.Data.CSV()); !strings.Contains(csv, ",reaches,1,2,0.7\n") ||
		Each(r)[0].legend() != "best 75.0 %" {
		t.Errorf("an accuracy of smaller images reaches a target, or is the best:\n%s", csv)
	}
	for _, tt := range []struct {
		show []string
		want string // panels with targets
	}{
		{[]string{"acc", "loss"}, "validation accuracy"}, {[]string{"train-acc", "acc"}, "validation accuracy"},
		{[]string{"train-acc"}, ""},
	} {
		f, err := Curves(curves, CurvesOptions{Show: tt.show, Targets: []float64{0.7}})
		wrong := (*option.Error)(nil)
		if tt.want == "" {
			if !errors.As(err, &wrong) || wrong.Key != "show" {
				t.Errorf("%v: %v", tt.show, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var panels []string
		for line := range strings.Lines(string(f.Data.CSV())) {
			if panel, rest, _ := strings.Cut(line, ","); strings.Contains(rest, ",reaches,") {
				panels = append(panels, panel)
			}
		}
		if !slices.Equal(panels, []string{tt.want}) {
			t.Errorf("%v: targets in %q", tt.show, panels)
		}
	}
	curves[0].Runs[0].Config.Data.Protocol = "paper"
	if _, err := Curves(curves, CurvesOptions{}); err != nil {
		t.Errorf("curves without targets: %v", err)
	}
	if _, err := Curves(curves, CurvesOptions{Targets: []float64{0.7}}); err == nil ||
		!strings.Contains(err.Error(), "run k3f9 has no accuracy on validation images") {
		t.Errorf("accuracy on test images passes as validation accuracy: %v", err)
	}
}
