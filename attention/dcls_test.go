package attention_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
	"github.com/attnconv/attnconv/posenc"
)

// Learned taps, four in a window of 5 × 5, make the convolution that their comment defines, in loops; so does Full.
func TestDCLS(t *testing.T) {
	const taps, size = 4, 5
	s := nn.NewScope(3)
	c := attention.NewConv(s, attention.NewDCLS(s, taps, size), convIn, convOut, 1)
	e := c.Taps.(*attention.Taps).Encoding
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range e.Center.Data { // one is outside of the window
		e.Center.Data[i] = 2 * float32(rng.NormFloat64())
	}
	for i := range e.Spread.Data {
		e.Spread.Data[i] = 0.5 + rng.Float32()
	}
	e.Center.Data[0] = 2.75
	full, err := c.Full()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := full.Full(); err != nil || again != full {
		t.Errorf("a kernel has another one: %v", err)
	}
	for o := range convOut {
		for i := range convIn {
			for at := range size * size {
				want := 0.
				for tap := range taps {
					n := func(at int) float64 { // N(δ; p, σ) without its factor
						d := math.Hypot(float64(at/size-2)-float64(e.Center.Data[2*tap]),
							float64(at%size-2)-float64(e.Center.Data[2*tap+1]))
						return math.Exp(-d * d / 2 * float64(e.Spread.Data[tap]) * float64(e.Spread.Data[tap]))
					}
					sum := 0.
					for other := range size * size {
						sum += n(other)
					}
					want += n(at) / sum * float64(c.W.Data[(o*convIn+i)*taps+tap])
				}
				if got := float64(full.W.Data[(o*convIn+i)*size*size+at]); math.Abs(got-want) > 1e-6 {
					t.Fatalf("kernel of channel %d to %d, tap %d: %v, want %v", i, o, at, got, want)
				}
			}
		}
	}
	x := make([]float32, convImages*convRows*convCols*convIn)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	input := func(g *nn.Graph) *nn.Node { return g.Input("x", x, convImages, convRows, convCols, convIn) }
	got, want := valuesOf(t, c, input), valuesOf(t, full, input)
	for i := range want {
		if math.Abs(float64(got[i]-want[i])) > 1e-6 {
			t.Fatalf("element %d: %v, want %v", i, got[i], want[i])
		}
	}
	layer := func(g *nn.Graph) *nn.Node { return op.GELU(c.Forward(g, input(g))) }
	if err := nn.CheckGradients(true, layer); err != nil {
		t.Error(err)
	}
}

func valuesOf(t *testing.T, l nn.Layer, input func(*nn.Graph) *nn.Node) []float32 {
	t.Helper()
	values, err := nn.Evaluate(func(g *nn.Graph) []*nn.Node { return []*nn.Node{l.Forward(g, input(g))} })
	if err != nil {
		t.Fatal(err)
	}
	return values[0]
}

// Learned taps start at N(0, ½²) in the window, with σ = ½, and never decay.
func TestDCLSStart(t *testing.T) {
	e := attention.NewDCLS(nn.NewScope(1), 2000, 3).Encoding
	var square float64
	edge := 0
	for _, v := range e.Center.Data {
		square += float64(v) * float64(v)
		if math.Abs(float64(v)) > 1 {
			t.Fatalf("a tap at %v is outside of 3 × 3", v)
		}
		if math.Abs(float64(v)) == 1 {
			edge++
		}
	}
	// of N(0, ½²), 4.6 % are beyond ±1, where they are clamped
	if mean := square / 4000; math.Abs(mean-0.233) > 0.02 || edge < 100 || edge > 270 {
		t.Errorf("mean square %v, %d at the edge", mean, edge)
	}
	for _, s := range e.Spread.Data {
		if s != 2 {
			t.Fatalf("1/σ = %v, want 2", s)
		}
	}
	if e.Center.Group != nn.Position || e.Spread.Group != nn.Position {
		t.Error("places of taps decay")
	}
	var _ posenc.Gaussian = e
}
