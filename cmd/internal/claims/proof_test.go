package claims

import (
	"math"
	"testing"
)

// Hard heads are judged, soft ones and those that lose something are not; the limit grows with the number of terms.
func TestProof(t *testing.T) {
	p := Proof{Borders: []string{"zero"}, Types: Types, Kernels: []int{3}, Alphas: []float64{1, 46, 104},
		Base: Experiment{Axes: 2, Size: 6, Stride: 1, Dilation: 1, In: 3, Out: 2, Trials: 1}}
	all, err := p.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 6 {
		t.Fatalf("%d experiments, want 6", len(all))
	}
	for _, j := range all {
		if judged := j.Limit > 0; judged != (j.Alpha >= 46) || !j.Pass() {
			t.Errorf("%s, α = %g: error %g, limit %g", j.Type, j.Alpha, j.Rel, j.Limit)
		}
	}
	p.Base.Heads = 4
	if all, err = p.Run(t.Context()); err != nil || all[2].Limit != 0 {
		t.Errorf("four heads of nine are judged: %+v, %v", all[2], err)
	}
	p.Base.Heads, p.Alphas = 0, []float64{2}
	if p.Hard() != 2 {
		t.Errorf("of α 2 alone, %g is hard", p.Hard())
	}
	few, many := p.Limit(Experiment{Axes: 2, Kernel: 3, In: 3, Type: Types[0]}),
		p.Limit(Experiment{Axes: 2, Kernel: 5, In: 48, Type: Types[0]})
	if few != 1e-6 || math.Abs(many-2e-6) > 1e-12 {
		t.Errorf("limits %g and %g, want 1e-6 and 2e-6", few, many)
	}
	if p.Tolerance = 1e-3; p.Limit(Experiment{}) != 1e-3 {
		t.Error("the tolerance is not the limit")
	}
}

// The worst is the largest in its own measure; an error that is not a number is worse than any.
func TestWorst(t *testing.T) {
	j := func(rel, limit float64) Judged { return Judged{Deviation: Deviation{Rel: rel}, Limit: limit} }
	if _, ok := Worst([]Judged{j(1, 0)}); ok {
		t.Error("soft heads are judged")
	}
	if w, ok := Worst([]Judged{j(9, 0), j(2e-6, 1e-6), j(3e-6, 4e-6)}); !ok || w.Rel != 2e-6 {
		t.Errorf("%+v is the worst", w)
	}
	if w, _ := Worst([]Judged{j(math.NaN(), 1), j(5, 1)}); !math.IsNaN(w.Rel) || w.Pass() {
		t.Errorf("%+v is the worst, and passes: %v", w, w.Pass())
	}
}
