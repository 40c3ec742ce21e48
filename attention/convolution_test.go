package attention_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

const (
	convRows, convCols, convIn, convOut = 4, 5, 2, 3
	convImages                          = 2
)

// drawn is a convolution by nine soft heads near their kernel taps, and images.
func drawn(stride int) (conv nn.Layer, center, spread, weight *nn.Param, x []float32) {
	s := nn.NewScope(3)
	c := attention.NewConv(s, attention.NewTaps(s, 3), convIn, convOut, stride)
	taps := c.Taps.(*attention.Taps).Encoding
	rng := rand.New(rand.NewPCG(1, 2))
	for h := range 9 {
		taps.Center.Data[2*h] = float32(h/3-1) + float32(rng.NormFloat64())/4
		taps.Center.Data[2*h+1] = float32(h%3-1) + float32(rng.NormFloat64())/4
	}
	for range convImages * convRows * convCols * convIn {
		x = append(x, float32(rng.NormFloat64()))
	}
	return c, taps.Center, taps.Spread, c.W, x
}

// The layer is the attention that its comment defines, in loops over queries, keys and heads.
func TestConvOfHeads(t *testing.T) {
	for _, stride := range []int{1, 2} {
		c, center, spread, weight, x := drawn(stride)
		y := valuesOf(t, c, func(g *nn.Graph) *nn.Node {
			return g.Input("x", x, convImages, convRows, convCols, convIn)
		})
		at := 0
		for image := range convImages {
			for row := 0; row < convRows; row += stride {
				for col := 0; col < convCols; col += stride {
					for o := range convOut {
						want := 0.
						for h := range 9 {
							var sum float64
							mean := [convIn]float64{}
							for r := row - 1; r <= row+1; r++ {
								for k := col - 1; k <= col+1; k++ {
									d := math.Hypot(float64(r-row)-float64(center.Data[2*h]),
										float64(k-col)-float64(center.Data[2*h+1]))
									s := float64(spread.Data[h])
									e := math.Exp(-s * s * d * d / 2)
									sum += e
									for i := 0; i < convIn && r >= 0 && r < convRows && k >= 0 && k < convCols; i++ {
										mean[i] += e * float64(x[((image*convRows+r)*convCols+k)*convIn+i])
									}
								}
							}
							for i := range convIn {
								want += mean[i] / sum * float64(weight.Data[(o*convIn+i)*9+h])
							}
						}
						if got := float64(y[at]); math.Abs(got-want) > 1e-6 {
							t.Fatalf("stride %d, image %d, (%d, %d), channel %d: %v, want %v", stride, image, row,
								col, o, got, want)
						}
						at++
					}
				}
			}
		}
		if at != len(y) {
			t.Errorf("stride %d: %d values, want %d", stride, len(y), at)
		}
	}
}

func TestConvOfHeadsGradient(t *testing.T) {
	c, _, _, _, x := drawn(1)
	if err := nn.CheckGradients(true, func(g *nn.Graph) *nn.Node {
		return op.GELU(c.Forward(g, g.Input("x", x, convImages, convRows, convCols, convIn)))
	}); err != nil {
		t.Error(err)
	}
}
