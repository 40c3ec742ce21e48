package study

import (
	"math"
	"testing"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc/geometry"
)

// Gaussian heads are local before training: spreads s are drawn from N(1, 0.01²), so that r50 = √(2 ln 2)/s is between
// 1.11 and 1.26 tokens within 6 standard deviations.
func TestHeadsAreLocalBeforeTraining(t *testing.T) {
	s := model.Default()
	s.Layers, s.Heads, s.Dim, s.FFN = model.Equal(4), model.Ints{9}, 8, 8
	head := func(row, col, alpha float64) geometry.Head {
		return geometry.Head{Center: [2]float64{row, col}, Precision: [2][2]float64{{2 * alpha, 0}, {0, 2 * alpha}}}
	}
	// r50 = √(ln 2/α): 0.1, 1, 4 and, of the uniform head, 2632 tokens.
	now := [][]geometry.Head{{head(3, 4.1, 100*math.Ln2), head(0, 1, math.Ln2)},
		{head(0, -2.5, math.Ln2/16), head(9, 9, 1e-7)}}
	nulls, err := HeadNulls(s, now, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		key              string
		now, least, most float64
	}{
		{"heads_local", 2, 36, 36}, {"r50_median", 2.5, 1.165, 1.19}, {"distance_query_median", 2.5, 1.6, 3.2},
		{"distance_shift_median", 0.1, 0.3, 0.5},
	} {
		n := nulls[i]
		if n.Name != want.key || math.Abs(float64(n.Now)-want.now) > 1e-9 || n.Start.Known() ||
			float64(n.Lo) < want.least ||
			float64(n.Hi) > want.most || float64(n.Mean) < float64(n.Lo) || float64(n.Mean) > float64(n.Hi) ||
			n.Seeds != 200 || n.Heads != 4 {
			t.Errorf("%+v, want now %v and a null within %v and %v", n, want.now, want.least, want.most)
		}
	}
	start, err := model.InitialHeads(s, 3)
	if err != nil {
		t.Fatal(err)
	}
	if nulls, err = HeadNulls(s, start, start); err != nil || float64(nulls[1].Now) != float64(nulls[1].Start) ||
		float64(nulls[1].Now) < float64(nulls[1].Lo) {
		t.Errorf("untrained heads and their null: %+v, %v", nulls, err)
	}
}

// The null distribution does not contain a run's own initial values.
func TestNullIsOfOtherSeeds(t *testing.T) {
	s := model.Default()
	// one head, so that a range ends at the values of single seeds
	s.Layers, s.Heads, s.Dim, s.FFN = model.Equal(1), model.Ints{1}, 8, 8
	for seed := range uint64(nullSeeds) {
		start, err := model.InitialHeads(s, seed)
		if err != nil {
			t.Fatal(err)
		}
		nulls, err := HeadNulls(s, start, start)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range nulls[1:] {
			if float64(n.Now) == float64(n.Lo) || float64(n.Now) == float64(n.Hi) {
				t.Errorf("%s of seed %d is an end of its null", n.Name, seed)
			}
		}
	}
}
