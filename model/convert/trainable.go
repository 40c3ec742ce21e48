package convert

import (
	"errors"
	"fmt"
	"math"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/theorem"
)

// Trainable returns l as the program's own attention layer, which trains and runs on the fast kernels, in scope s and
// for images of rows × cols. Its queries are all pixels, so l must have two axes, stride 1, replicate padding and an
// output for each pixel. For zero padding, pad the images and use the queries inside.
func Trainable(s nn.Scope, l *theorem.Layer[float32], rows, cols int) (*attention.SelfAttention, error) {
	size := []int{rows, cols}
	if l == nil {
		return nil, errors.New("the layer is nil: want one of FromConv")
	}
	if l.Axes() != 2 || l.Border != theorem.Replicate ||
		theorem.At(l.Stride, 0, 1) != 1 || theorem.At(l.Stride, 1, 1) != 1 {
		return nil, fmt.Errorf("want a layer on two axes with replicate padding and stride 1, got %s of %d axes",
			l.Border, l.Axes())
	}
	if out := l.OutSize(size); out[0] != rows || out[1] != cols {
		return nil, fmt.Errorf("want an output for each of %d × %d pixels, the layer has %d × %d",
			rows, cols, out[0], out[1])
	}
	enc := posenc.NewQuadratic(s, len(l.Heads)).(*posenc.Quadratic)
	layer := attention.New(s, enc, posenc.Grid{Rows: rows, Cols: cols}, len(l.Heads), l.In, l.Out, 0)
	for h, head := range l.Heads {
		g, ok := head.(theorem.Gaussian[float32])
		if !ok {
			return nil, fmt.Errorf("head %d: want an isotropic Gaussian, got %T", h+1, head)
		}
		copy(enc.Center.Data[2*h:], g.Center)
		enc.Spread.Data[h] = float32(math.Sqrt(2 * float64(g.Alpha))) // α = s²/2
		for i := range l.In {
			for o := range l.Out {
				layer.Value.W.Data[(o*len(l.Heads)+h)*l.In+i] = l.Weights[h][i*l.Out+o]
			}
		}
	}
	clear(layer.Value.B.Data)
	copy(layer.Value.B.Data, l.Bias)
	return layer, nil
}
