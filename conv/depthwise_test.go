package conv_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/internal/plain"
	"github.com/attnconv/attnconv/nn"
)

// run returns the results of a layer on images, in a graph for evaluation.
func run(t *testing.T, l nn.Layer, x []float32, shape ...int) []float32 {
	t.Helper()
	var y *nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) { y = l.Forward(g, g.Input("x", x, shape...)) })
	if err != nil {
		t.Fatal(err)
	}
	f, err := nn.Compile(g, nil, y)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Run(0); err != nil {
		t.Fatal(err)
	}
	return append([]float32(nil), nn.Value(y)...)
}

func random(n int) []float32 {
	rng, x := rand.New(rand.NewPCG(1, uint64(n))), make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

func widened(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// worst returns the largest difference, relative to the largest element of want.
func worst(got []float32, want func(i int) float64) float64 {
	difference, largest := 0., 1e-30
	for i, v := range got {
		difference, largest = max(difference, math.Abs(float64(v)-want(i))), max(largest, math.Abs(want(i)))
	}
	return difference / largest
}

// A depth-wise convolution is the convolution of one group a channel, from its definition in float64, and the full
// convolution whose kernel is diagonal.
func TestDepthwise(t *testing.T) {
	for _, tt := range []struct{ batch, rows, cols, channels, size int }{
		{2, 5, 7, 3, 1}, {1, 6, 5, 19, 2}, {2, 7, 6, 16, 3}, {1, 4, 9, 5, 4}, {2, 3, 3, 18, 5}, {1, 1, 11, 4, 7},
		{1, 9, 1, 2, 9}, {1, 12, 12, 6, 11},
	} {
		for _, edge := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v %t", tt, edge), func(t *testing.T) {
				d := conv.NewDepthwise(nn.NewScope(5).In("d"), tt.channels, tt.size)
				d.Replicate = edge
				shape := []int{tt.batch, tt.rows, tt.cols, tt.channels}
				image := tt.rows * tt.cols * tt.channels
				x := random(tt.batch * image)
				y := run(t, d, x, shape...)

				oracle := plain.Conv{Kernel: []int{tt.size, tt.size}, Same: true, In: tt.channels, Out: tt.channels,
					Groups: tt.channels, Weight: widened(d.W.Data), Bias: widened(d.B.Data)}
				if edge {
					oracle.Outside = plain.Edge
				}
				var want []float64
				for n := range tt.batch {
					want = append(want, oracle.Forward([]int{tt.rows, tt.cols}, widened(x[n*image:(n+1)*image]))...)
				}
				if e := worst(y, func(i int) float64 { return want[i] }); e > 1e-6 {
					t.Errorf("differs from the definition by %.1e of the largest element", e)
				}

				full := conv.New(nn.NewScope(6).In("f"), tt.channels, tt.channels, tt.size, 1, true)
				full.Replicate = edge
				clear(full.W.Data)
				taps := tt.size * tt.size
				for c := range tt.channels {
					copy(full.W.Data[(c*tt.channels+c)*taps:][:taps], d.W.Data[c*taps:])
				}
				copy(full.B.Data, d.B.Data)
				z := run(t, full, x, shape...)
				if f := d.Full(); !slices.Equal(f.W.Data, full.W.Data) || f.Replicate != edge || f.Stride != 1 {
					t.Error("Full is another convolution")
				}
				if e := worst(y, func(i int) float64 { return float64(z[i]) }); e > 2e-6 {
					t.Errorf("differs from the full convolution with a diagonal kernel by %.1e", e)
				}
			})
		}
	}
}
