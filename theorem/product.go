package theorem

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// Trainable returns l as the program's own attention layer, which trains and runs on the fast kernels, in scope s and
// for images of rows × cols. Its queries are all pixels, so l must have two axes, stride 1, replicate padding and an
// output for each pixel. For zero padding, pad the images and use the queries inside.
func Trainable(s nn.Scope, l *Layer[float32], rows, cols int) (*attention.SelfAttention, error) {
	size := []int{rows, cols}
	if l == nil {
		return nil, errors.New("the layer is nil: want one of FromConv")
	}
	if l.Axes() != 2 || l.Border != Replicate || at(l.Stride, 0, 1) != 1 || at(l.Stride, 1, 1) != 1 {
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
		g, ok := head.(Gaussian[float32])
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

// run computes the program's layer on images of rows × cols.
func run(layer *attention.SelfAttention, rows, cols, in int, images ...[]float32) ([][]float32, error) {
	values, err := evaluate(func(g *nn.Graph) []*nn.Node {
		return []*nn.Node{layer.Forward(g, g.Input("x", slices.Concat(images...), len(images), rows*cols, in))}
	})
	if err != nil {
		return nil, err
	}
	return parts(values[0], len(images)), nil
}

// evaluate runs a graph once, without gradients, and returns the values of the nodes that build returns.
func evaluate(build func(g *nn.Graph) []*nn.Node) ([][]float32, error) {
	var nodes []*nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) { nodes = build(g) })
	if err != nil {
		return nil, err
	}
	f, err := nn.Compile(g, nil, nodes...)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Run(0); err != nil {
		return nil, err
	}
	values := make([][]float32, len(nodes))
	for i, n := range nodes {
		values[i] = slices.Clone(nn.Value(n))
	}
	return values, nil
}

// parts splits values into those of n images.
func parts(values []float32, n int) [][]float32 {
	return slices.Collect(slices.Chunk(values, len(values)/n))
}

// inFloat32 computes l on one image as the program's own layer.
func inFloat32(l *Layer[float32], size []int, x []float32) ([]float32, error) {
	layer, err := Trainable(nn.NewScope(0), l, size[0], size[1])
	if err != nil {
		return nil, err
	}
	ys, err := run(layer, size[0], size[1], l.In, x)
	if err != nil {
		return nil, err
	}
	return ys[0], nil
}
