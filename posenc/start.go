package posenc

import (
	"math"

	"github.com/attnconv/attnconv/internal/choice"
)

// A Start is the initial placement of Gaussian heads.
type Start struct {
	Name, Help string
	alpha      float64 // of heads on the grid, α = s²/2; 0: not there
}

// Entry implements choice.Choice.
func (s Start) Entry() (name, help string) { return s.Name, s.Help }

// OnGrid reports whether the heads start on the square grid of shifts that a convolution has.
func (s Start) OnGrid() bool { return s.alpha > 0 }

// Starts lists the initial placements of Gaussian heads. On the grid with α = 46 a neighbour gets
// exp(-46), which vanishes next to one in float32 (Lemma 2).
var Starts = choice.List[Start]{
	{"random", "drawn, as in the reference", 0},
	{"grid", "on the taps of a convolution, so narrow that a head sees one key", 46},
	{"grid-soft", "on the taps of a convolution, as wide as at random", 0.5},
}

// Place puts heads on the grid: head u·k+v on the shift (u - p, v - p), p = ⌊(k-1)/2⌋, of tap (u, v) of a k × k convolution.
// There are k² of them.
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
