package model

import (
	"math"
	"slices"

	"github.com/attnconv/attnconv/internal/choice"
	"github.com/attnconv/attnconv/posenc"
)

// HeadsInits lists where Gaussian heads start: at random, as in the reference, or on the square grid of shifts that a
// convolution has, so narrow that a head sees one key (grid), or as wide as at random (grid-soft).
var HeadsInits = choice.List[choice.Word]{"random", "grid", "grid-soft"}

// gridAlpha is the α of heads on the grid: a neighbour gets exp(-46), which is nothing beside one in float32 (Lemma 2); or as
// much as from a spread of 1.
var gridAlpha = map[string]float64{"grid": 46, "grid-soft": 0.5}

// Attends reports whether the block has heads.
func (b BlockSpec) Attends() bool { return b.Kind.Has("encoding") }

func (b BlockSpec) gaussian() bool { return b.Attends() && b.encodingKind().Gaussian() }

// gaussian reports whether a block has Gaussian heads.
func (s Spec) gaussian() bool { return slices.ContainsFunc(s.Blocks(), BlockSpec.gaussian) }

// place puts the heads of enc where s says: head u·k+v on the shift (u - p, v - p), p = ⌊(k-1)/2⌋, of tap (u, v) of a
// k × k convolution.
func (s Spec) place(enc posenc.Encoding, heads int) posenc.Encoding {
	alpha, grid := gridAlpha[s.HeadsInit]
	if !grid {
		return enc
	}
	k, spread := side(heads), float32(math.Sqrt(2*alpha))
	pad := (k - 1) / 2
	put := func(center []float32) {
		for h := range heads {
			center[2*h], center[2*h+1] = float32(h/k-pad), float32(h%k-pad)
		}
	}
	switch e := enc.(type) {
	case *posenc.Quadratic:
		put(e.Center.Data)
		for h := range e.Spread.Data {
			e.Spread.Data[h] = spread
		}
	case *posenc.QuadraticGeneral:
		put(e.Center.Data)
		for h := 0; h < len(e.Root.Data); h += 4 {
			copy(e.Root.Data[h:], []float32{spread, 0, 0, spread})
		}
	}
	return enc
}
