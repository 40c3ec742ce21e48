package analyse

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

func within3(s Shares) float64 { return s.Within(3) }

// A layer whose tokens are permuted is a draw of its own null; one that is a convolution is far outside of it.
func TestPermutedTokensAreWithinTheirNull(t *testing.T) {
	g := Grid{Rows: 6, Cols: 6}
	l := gaussians(t, g, 2, [2]float64{0, 0}, [2]float64{0, 1}, [2]float64{-1, 0}, [2]float64{1, 1})
	o := measured(t, l)
	null, err := o.TokensShuffled(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	band := null.Of(within3)
	s, _ := o.Shares(0)
	if p := band.P(s.Within(3)); p != 1/101. || s.Within(3) < float64(band.Hi)+0.2 {
		t.Errorf("Gaussian heads have %.3f, p %.3f, of permuted tokens %+v", s.Within(3), p, band)
	}
	l.Attention = permuted(l.Attention, rand.New(rand.NewPCG(3, 4)).Perm(36))
	mixed := measured(t, l)
	near(t, "the norm is that of the layer", mixed.Norm(), o.Norm(), 1e-9)
	s, _ = mixed.Shares(0)
	if p := band.P(s.Within(3)); p < 0.02 || p > 0.98 {
		t.Errorf("permuted tokens have %.3f, p %.3f of their null %+v", s.Within(3), p, band)
	}
	again, _ := o.TokensShuffled(100, 1)
	other, _ := o.TokensShuffled(100, 2)
	if !reflect.DeepEqual(null, again) || reflect.DeepEqual(null, other) {
		t.Error("draws are not a function of the seed")
	}
}

// Heads of equal maps are the same in any order. A sharp head with a large map owes its share to it.
func TestMapsShuffled(t *testing.T) {
	g := Grid{Rows: 6, Cols: 6}
	l := gaussians(t, g, 20, [2]float64{0, 0}, [2]float64{0, 1}, [2]float64{1, 0})
	for h, c := range [][2]float64{{0, 0}, {3, 3}, {-3, 2}} {
		if h > 0 {
			l.Attention[h] = must(Gaussian(g, c, [2][2]float64{{0.05, 0}, {0, 0.05}}))
		}
	}
	l.Maps[0][0] = 10
	o := measured(t, l)
	s, _ := o.Shares(0)
	band := must(o.MapsShuffled(200, 1)).Of(within3)
	near(t, "a third of the draws leave the large map where it is", band.P(s.Within(3)), 1/3., 0.1)
	if s.Within(3) < 0.9 || band.Lo > 0.5 {
		t.Errorf("share %.3f, null %+v", s.Within(3), band)
	}
	l.Maps[0][0] = 1
	o = measured(t, l)
	s, _ = o.Shares(0)
	band = must(o.MapsShuffled(20, 1)).Of(within3)
	near(t, "maps that are orthonormal", float64(band.Mean), s.Within(3), 1e-12)
	near(t, "and equal", float64(band.Std), 0, 1e-12)
}

// By hand, of 1, 2, 3, 4: mean 2.5, variance 5/3, quantiles at 0.075 and 2.925 of three steps.
func TestBand(t *testing.T) {
	b := NewBand([]float64{4, 1, 3, 2})
	near(t, "mean", float64(b.Mean), 2.5, 1e-15)
	near(t, "standard deviation", float64(b.Std), math.Sqrt(5/3.), 1e-15)
	near(t, "lower limit", float64(b.Lo), 1.075, 1e-12)
	near(t, "upper limit", float64(b.Hi), 3.925, 1e-12)
	near(t, "p of the largest", b.P(4), 2/5., 1e-15)
	near(t, "p of more", b.P(5), 1/5., 1e-15)
	near(t, "p of less", b.P(0), 1, 1e-15)
	if b = NewBand(nil); !math.IsNaN(float64(b.Mean)) || !math.IsNaN(float64(b.Hi)) || b.P(1) != 1 {
		t.Errorf("of nothing: %+v", b)
	}
	if b = NewBand([]float64{3}); float64(b.Lo) != 3 || float64(b.Hi) != 3 || !math.IsNaN(float64(b.Std)) {
		t.Errorf("of one: %+v", b)
	}
}

// All heads have the same permutation: the inner products of heads, and so the norm of an operator whose maps overlap,
// are kept.
func TestPermutedTokensAreTheSameForAllHeads(t *testing.T) {
	o := measured(t, randomLayer(7, Grid{Rows: 3, Cols: 4}, 3, 2, 2))
	p := o.project(o.Layer.Grid.Inside(0), permuted(o.Layer.Attention, rand.New(rand.NewPCG(7, 8)).Perm(12)))
	near(t, "norm", p.total*o.unit*o.unit, o.Norm(), 1e-9*o.Norm())
}
