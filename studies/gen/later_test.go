package main

import (
	"strings"
	"testing"

	"github.com/attnconv/attnconv/null"
)

// A test of the second plan decides an open sentence at half width, and contradicts a decided one; an estimate is only
// evidence.
func TestSecondPlanOfSentences(t *testing.T) {
	yes, no := number(5, 0.8, 0.6, 1), number(5, -0.8, -1, -0.6)
	yes.Holm, no.Holm = 0.01, 0.01
	unsure := yes
	unsure.Holm = 0.2
	trend := func(n Number) *verdict {
		v := &verdict{}
		for _, c := range cells {
			_, arm := cut(c.arm)
			n.ID = "outward/trend-difference/" + arm
			v.Numbers = append(v.Numbers, n)
		}
		return v
	}
	farther := claims[9]
	if farther.says != "Heads of deeper layers look farther away." {
		t.Fatal(farther.says)
	}
	own := number(5, 0.9, 0.8, 1)
	own.ID = ownPrefix + "layers/trend-shift/quadratic"
	for _, tt := range []struct {
		later Number
		first bool // the first plan supports the sentence
		word  string
	}{
		{yes, false, supported + " at half width"}, {yes, true, supported + " at half width"},
		{no, false, refuted + " at half width"}, {no, true, depends + " at half width"}, {unsure, false, open},
		{unsure, true, supported + " at half width"},
	} {
		v := trend(tt.later)
		if tt.first {
			v.Numbers = append(v.Numbers, own)
		}
		word, evidence := farther.judge(v)
		if word != tt.word || !strings.Contains(evidence, "second plan: correlation τ − that of frozen heads: `quadratic` ") ||
			!strings.HasSuffix(evidence, ", n = 5") {
			t.Errorf("%v, first plan %v: %s, want %s (%s)", tt.later.Value, tt.first, word, tt.word, evidence)
		}
	}
	v := trend(yes)
	v.Numbers = v.Numbers[1:]
	if word, evidence := farther.judge(v); word != open || evidence != noRun {
		t.Errorf("six of seven cells: %s, %s", word, evidence)
	}
	estimate := number(8, 0.02, 0.01, 0.03)
	estimate.ID, estimate.P, estimate.Holm = "places/difference/learned-minus-grid", null.Unknown, null.Unknown
	word, evidence := claims[16].judge(&verdict{Numbers: []Number{estimate}})
	if word != open || evidence != "second plan: `learned` − heads on a 3 × 3 grid, an estimate: 2.0 [1.0, 3.0] (n = 8)" {
		t.Errorf("an estimate: %s, %s", word, evidence)
	}
	for _, tt := range []struct {
		lead, holm float64
		word       string
	}{{0.02, 0.01, supported}, {-0.02, 0.01, refuted}, {0.02, 0.2, open}} {
		full := number(8, tt.lead, tt.lead-0.01, tt.lead+0.01)
		full.ID, full.Holm = "control-full/difference/quadratic-minus-quadratic-grid", null.Float(tt.holm)
		word, evidence = claims[16].judge(&verdict{Numbers: []Number{estimate, full}})
		if word != tt.word || !strings.Contains(evidence, "an estimate: 2.0 [1.0, 3.0] (n = 8); at full width `quadratic` − heads") {
			t.Errorf("at full width %v: %s, %s", tt.lead, word, evidence)
		}
	}
	for says := range later {
		found := false
		for _, c := range claims {
			found = found || c.says == says
		}
		if !found {
			t.Errorf("no sentence is %q", says)
		}
	}
}
