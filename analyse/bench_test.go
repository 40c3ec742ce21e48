package analyse

import (
	"context"
	"math/rand/v2"
	"testing"
)

// A layer of the size of the small presets: 8 × 8 tokens of 96 channels, nine heads, 1,000 images and 1,000 others.
// Measures of one layer take seconds, of which the factor for 7 × 7 takes most.
func BenchmarkSmallLayer(b *testing.B) {
	const images, channels = 1000, 96
	g := Grid{Rows: 8, Cols: 8}
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := make([]float32, images*64*channels), make([]float32, images*64*channels)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
		y[i] = x[i] + float32(rng.NormFloat64())
	}
	m := must(NewMoments(g, g, channels, channels, 7))
	var kernels []Kernel
	b.Run("moments", func(b *testing.B) {
		for b.Loop() {
			if err := m.Add(x, y); err != nil {
				b.Fatal(err)
			}
			m.flush()
		}
	})
	b.Run("fit", func(b *testing.B) {
		for b.Loop() {
			kernels = must(m.Fit(context.Background()))
		}
	})
	b.Run("score", func(b *testing.B) {
		for b.Loop() {
			var all []Predictor
			for _, k := range kernels {
				all = append(all, must(k.Predictor(g, g)))
			}
			if err := must(NewScore(g, g, channels, channels, all...)).Add(x, y); err != nil {
				b.Fatal(err)
			}
		}
	})
	l := randomLayer(1, g, 9, channels, channels)
	b.Run("operator", func(b *testing.B) {
		for b.Loop() {
			o := must(NewOperator(l))
			o.Rank()
			o.Leverage()
			o.TapScore()
			o.Kernel(0)
		}
	})
	b.Run("repeated edges", func(b *testing.B) {
		o := must(NewOperator(l))
		for b.Loop() {
			o.BorderShares(Replicate)
		}
	})
	b.Run("null of 100", func(b *testing.B) {
		o := must(NewOperator(l))
		for b.Loop() {
			must(o.TokensShuffled(100, 1))
		}
	})
	b.Run("an image's attention", func(b *testing.B) {
		a := must(NewAttention(g, 9))
		for b.Loop() {
			if err := a.Add(l.Attention); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("entropies", func(b *testing.B) {
		a := must(NewAttention(g, 9))
		if err := a.Add(l.Attention); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			must(a.Chain(0))
		}
	})
}
