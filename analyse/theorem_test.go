package analyse_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/theorem"
)

// The layer of Theorem 1, whose keys are also the zeros around the image, has share 1; the same one without padding,
// which replicates its edges, has it for interior queries alone.
func TestLayersOfTheoremOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, border := range []theorem.Border{theorem.Zero, theorem.Replicate} {
		g := theorem.Geometry{Kernel: []int{3, 3}, Border: border}
		g.Before, g.After = theorem.Same(g.Kernel, nil)
		c := &theorem.Conv[float64]{Geometry: g, In: 3, Out: 2, Weight: make([]float64, 54), Bias: make([]float64, 2)}
		for i := range c.Weight {
			c.Weight[i] = rng.NormFloat64()
		}
		from, err := theorem.FromConv(c, theorem.FromOptions{})
		if err != nil {
			t.Fatal(err)
		}
		l := analyse.Layer{Grid: analyse.Grid{Rows: 6, Cols: 5}, In: 3, Out: 2, Maps: from.Weights,
			Padded: border == theorem.Zero}
		for range from.Heads {
			l.Attention = append(l.Attention, make([]float64, 900))
		}
		from.Attend([]int{6, 5}, func(h, q int, keys []int, p []float64) {
			for i, k := range keys {
				if k >= 0 {
					l.Attention[h][q*30+k] += p[i]
				}
			}
		})
		o, err := analyse.NewOperator(l)
		if err != nil {
			t.Fatal(err)
		}
		everywhere, _ := o.Shares(0)
		interior, _ := o.Interior(3)
		if math.Abs(interior-1) > 1e-12 {
			t.Errorf("border %v: interior share %g", border, interior)
		}
		if whole := math.Abs(everywhere.Within(3)-1) < 1e-12; whole != (border == theorem.Zero) {
			t.Errorf("border %v: share %g", border, everywhere.Within(3))
		}
		profiles, err := o.Profiles()
		if err != nil {
			t.Fatal(err)
		}
		if d, err := analyse.NewProfiles(profiles, o, 7); err != nil ||
			d.String() != "one profile: nine heads form a 3 × 3 kernel" {
			t.Errorf("border %v: %v, %v", border, d, err)
		}
		score, _, _ := o.TapScore()
		if math.Abs(score-1) > 1e-12 {
			t.Errorf("border %v: tap score %g", border, score)
		}
		for i, s := range c.Shifts() { // Ŵ is the convolution's kernel, stored (out, in, entries)
			for j, at := range o.Kernel(3).Shifts {
				for e := range 6 {
					w := c.Weight[(e%2*3+e/2)*9+i]
					if got := o.Kernel(3).Maps[j][e]; at == (analyse.Shift{s[0], s[1]}) && border == theorem.Zero &&
						math.Abs(got-w) > 1e-12 {
						t.Errorf("kernel at %v: %g, want %g", s, got, w)
					}
				}
			}
		}
	}
}
