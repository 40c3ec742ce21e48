package claims

import (
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/theorem"
)

func padded(kernel ...int) theorem.Geometry {
	g := theorem.Geometry{Kernel: kernel}
	g.Before, g.After = theorem.Same(kernel, nil)
	return g
}

// relative returns the relative error of the layer on one random image.
func relative(c *theorem.Conv[float64], l *theorem.Layer[float64], size []int) float64 {
	x := normal[float64](rand.New(rand.NewPCG(9, 9)), theorem.Volume(size)*c.In, 1)
	abs, top := distance(l.Forward(size, x)[0], exact(c, size, x))
	return abs / top
}

// The generalized lemma: the attention of soft heads is not a shift, but it spans the shifts.
func TestSoftHeadsExpressTheConvolution(t *testing.T) {
	size := []int{6, 5}
	c := &theorem.Conv[float64]{Geometry: padded(3, 3), In: 3, Out: 2}
	randomize(c, rand.New(rand.NewPCG(1, 2)))
	last := 0.0
	for _, alpha := range []float64{2, 1, 0.5} {
		var windowed, all []theorem.Head[float64]
		for _, s := range c.Shifts() {
			g := theorem.Gaussian[float64]{Center: theorem.Center[float64](s), Alpha: alpha}
			windowed, all = append(windowed, theorem.Windowed(g, c.Shifts())), append(all, g)
		}
		l, fit, err := theorem.FromConvWith(c, windowed, size)
		if err != nil {
			t.Fatal(err)
		}
		if d := relative(c, l, size); d > 1e-12 || fit.Residual > 1e-13 || fit.Condition <= last {
			t.Errorf("α = %g: error %g, residual %g, condition %g after %g", alpha, d, fit.Residual, fit.Condition,
				last)
		}
		last = fit.Condition
		if l, fit, err = theorem.FromConvWith(c, all, size); err != nil {
			t.Fatal(err)
		}
		if d := relative(c, l, size); d < 1e-3 || fit.Residual < 1e-3 {
			t.Errorf("α = %g, heads over the whole image: error %g, residual %g; want larger ones", alpha, d,
				fit.Residual)
		}
	}
}

// A kernel of rank r needs r or r + 1 heads.
func TestKernelsOfLowRankTakeFewHeads(t *testing.T) {
	for _, tt := range []struct {
		name        string
		kernel      []float64 // of one channel: rank 1
		heads, rank int
	}{
		{"box", []float64{2, 2, 2}, 1, 1}, {"edge", []float64{-1, 0, 1}, 2, 1}, {"zero", []float64{0, 0, 0}, 1, 0},
	} {
		c := &theorem.Conv[float64]{Geometry: padded(3), In: 1, Out: 1, Weight: tt.kernel}
		l, rank, err := theorem.FromConvRank(c)
		if err != nil || rank != tt.rank || len(l.Heads) != tt.heads {
			t.Fatalf("%s: rank %d, %d heads, %v; want %d and %d", tt.name, rank, len(l.Heads), err, tt.rank, tt.heads)
		}
		if abs, _ := distance(l.Forward([]int{5}, []float64{1, 2, -3, 4, 5})[0],
			exact(c, []int{5}, []float64{1, 2, -3, 4, 5})); abs > 1e-13 {
			t.Errorf("%s: error %g", tt.name, abs)
		}
	}
	for r := 1; r <= 4; r++ {
		c := lowRank(rand.New(rand.NewPCG(uint64(r), 5)), r, padded(3, 3), 4, 5)
		l, rank, err := theorem.FromConvRank(c)
		if err != nil || rank != r || len(l.Heads) != r+1 {
			t.Fatalf("rank %d: got %d with %d heads, %v", r, rank, len(l.Heads), err)
		}
		if d := relative(c, l, []int{6, 6}); d > 1e-12 {
			t.Errorf("rank %d: error %g", r, d)
		}
	}
	if _, _, err := theorem.FromConvRank(&theorem.Conv[float64]{Geometry: theorem.Geometry{Kernel: []int{1},
		Border: theorem.Replicate}, In: 1, Out: 1,
		Weight: []float64{1}}); err == nil {
		t.Error("replicate padding: want an error")
	}
}

// The convolution nearest to the layer of theorem.FromConv is the one that it was made of.
func TestToConvUndoesFromConv(t *testing.T) {
	c := &theorem.Conv[float64]{Geometry: padded(3, 3), In: 2, Out: 3}
	randomize(c, rand.New(rand.NewPCG(4, 4)))
	l, err := theorem.FromConv(c, theorem.FromOptions{})
	if err != nil {
		t.Fatal(err)
	}
	back, residual := theorem.ToConv(l, []int{5, 6})
	if abs, _ := distance(back.Weight, c.Weight); abs > 1e-14 || residual > 1e-7 {
		t.Errorf("weights differ by %g, residual %g", abs, residual)
	}
	l.Heads[3] = theorem.Gaussian[float64]{Center: []float64{0, -1}, Alpha: 0.5}
	if _, residual := theorem.ToConv(l, []int{5, 6}); residual < 0.02 {
		t.Errorf("a soft head: residual %g, want more", residual)
	}
}
