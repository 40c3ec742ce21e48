package posenc

import (
	"math"

	"github.com/attnconv/attnconv/option"
)

// A Start is a way to place Gaussian heads initially.
type Start struct {
	Name, Help string
	alpha      float64 // of heads on the grid, α = s²/2; 0: not on the grid
}

// Entry implements option.Named.
func (s Start) Entry() (name, help string) { return s.Name, s.Help }

// OnGrid reports whether the heads start on the square grid of shifts of a convolution.
func (s Start) OnGrid() bool { return s.alpha > 0 }

// Alpha returns α = s²/2 of heads on the grid; 0 if they are not.
func (s Start) Alpha() float64 { return s.alpha }

// Starts lists the initial placements of Gaussian heads. On the grid with α = 46, the weight of a neighbor is exp(-46),
// which vanishes next to 1 in float32 (Lemma 2).
var Starts = option.List[Start]{
	{"random", "drawn, as in the reference", 0},
	{"grid", "on the taps of a convolution, so narrow that a head sees one key", 46},
	{"grid-soft", "on the taps of a convolution, as wide as at random", 0.5},
}

// Place puts the k² heads on the grid: head u·k+v on the shift (u - p, v - p), p = ⌊(k-1)/2⌋, of kernel tap (u, v) of a
// k × k convolution.
func (s Start) Place(heads Gaussian) {
	n := len(heads.Heads())
	k := int(math.Round(math.Sqrt(float64(n))))
	pad := (k - 1) / 2
	for h := range n {
		heads.Put(h, Head{
			Center:    [2]float64{float64(h/k - pad), float64(h%k - pad)},
			Precision: [2][2]float64{{2 * s.alpha, 0}, {0, 2 * s.alpha}},
		})
	}
}
