package conv_test

import (
	"slices"
	"testing"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
)

// A convolution that starts as dirac repeats the channels of its input, as far as it has filters; the other filters are
// those that are drawn at random.
func TestDirac(t *testing.T) {
	for _, tt := range []struct{ in, out, size, stride int }{{2, 3, 3, 1}, {3, 2, 3, 1}, {2, 2, 1, 2}, {2, 2, 2, 1},
		{2, 4, 5, 2}} {
		drawn := conv.New(nn.NewScope(3), tt.in, tt.out, tt.size, tt.stride, false)
		c := conv.New(nn.NewScope(3), tt.in, tt.out, tt.size, tt.stride, false)
		conv.Starts.Find("random").Init(c)
		if !slices.Equal(c.W.Data, drawn.W.Data) {
			t.Errorf("%+v: random changes what is drawn", tt)
		}
		conv.Starts.Find("dirac").Init(c)
		n := min(tt.in, tt.out)
		if kept := n * tt.in * tt.size * tt.size; !slices.Equal(c.W.Data[kept:], drawn.W.Data[kept:]) {
			t.Errorf("%+v: a filter after the first %d is not as drawn", tt, n)
		}
		x := make([]float32, 6*6*tt.in)
		for i := range x {
			x[i] = float32(i*i%17) - 8
		}
		var y *nn.Node
		g, err := nn.Build(false, func(g *nn.Graph) { y = c.Forward(g, g.Input("x", x, 1, 6, 6, tt.in)) })
		if err != nil {
			t.Fatal(err)
		}
		f, err := nn.Compile(g, nil, y)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Run(0); err != nil {
			t.Fatal(err)
		}
		got, side := nn.Value(y), 6/tt.stride
		for p := range side * side {
			row, col := p/side*tt.stride, p%side*tt.stride
			for ch := range n {
				if want := x[(row*6+col)*tt.in+ch]; got[p*tt.out+ch] != want {
					t.Fatalf("%+v: row %d, column %d, channel %d is %v, want %v", tt, row, col, ch, got[p*tt.out+ch],
						want)
				}
			}
		}
		f.Close()
	}
	conv.Starts.Find("dirac").Init(conv.New(nn.ShapesOnly(), 3, 3, 3, 1, false))
}
