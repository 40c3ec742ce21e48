package vec

import (
	"slices"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
)

// X[ch][i][j] = 100·ch + 10·i + j, two channels of 4 × 4 pixels, as the reference implementation orders its squares.
func TestSpaceToDepth(t *testing.T) {
	x := make([]float32, 4*4*2)
	for i := range 4 {
		for j := range 4 {
			for ch := range 2 {
				x[(i*4+j)*2+ch] = float32(100*ch + 10*i + j)
			}
		}
	}
	y := make([]float32, len(x))
	SpaceToDepth(y, x, 4, 4, 2, 2)
	for _, tt := range []struct {
		at   int
		want []float32
	}{
		{1, []float32{2, 102, 3, 103, 12, 112, 13, 113}},   // Y(0,1)
		{2, []float32{20, 120, 21, 121, 30, 130, 31, 131}}, // Y(1,0)
	} {
		if got := y[8*tt.at : 8*tt.at+8]; !slices.Equal(got, tt.want) {
			t.Errorf("square %d: %v, want %v", tt.at, got, tt.want)
		}
	}
}

func TestDepthToSpaceUndoes(t *testing.T) {
	for _, tt := range []struct{ batch, rows, cols, ch, s int }{
		{3, 32, 32, 3, 2}, {2, 6, 12, 5, 3}, {1, 4, 4, 1, 4}, {2, 3, 5, 2, 1}, {0, 4, 4, 3, 2},
	} {
		x := kerneltest.Sample(tt.batch*tt.rows*tt.cols*tt.ch, 1)
		y, back := kerneltest.NewFence(len(x), 2), kerneltest.NewFence(len(x), 3)
		SpaceToDepth(y.In, x, tt.rows, tt.cols, tt.ch, tt.s)
		DepthToSpace(back.In, y.In, tt.rows, tt.cols, tt.ch, tt.s)
		if !slices.Equal(back.In, x) || y.Broken() || back.Broken() {
			t.Errorf("%+v: not what it was", tt)
		}
	}
}

func TestMeanTokens(t *testing.T) {
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			x := []float32{1, 2, 3, 5, 6, 10, 0, 0, 0, -3, -6, -9} // two images of two tokens of three numbers
			y, dx := kerneltest.NewFence(6, 1), kerneltest.NewFence(12, 2)
			MeanTokens(y.In, x, 2, 3)
			if want := []float32{3, 4, 6.5, -1.5, -3, -4.5}; !slices.Equal(y.In, want) || y.Broken() {
				t.Errorf("means %v, want %v", y.In, want)
			}
			MeanTokensGrad(dx.In, []float32{2, 4, 6, 1, 2, 3}, 2, 3)
			if want := []float32{1, 2, 3, 1, 2, 3, 0.5, 1, 1.5, 0.5, 1, 1.5}; !slices.Equal(dx.In, want) ||
				dx.Broken() {
				t.Errorf("gradient %v, want %v", dx.In, want)
			}
		})
	}
}
