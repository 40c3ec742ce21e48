package claims

import (
	"slices"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/model/convert"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/theorem"
)

// run computes the program's layer on images of rows × cols.
func run(layer *attention.SelfAttention, rows, cols, in int, images ...[]float32) ([][]float32, error) {
	values, err := nn.Evaluate(func(g *nn.Graph) []*nn.Node {
		return []*nn.Node{layer.Forward(g, g.Input("x", slices.Concat(images...), len(images), rows*cols, in))}
	})
	if err != nil {
		return nil, err
	}
	return parts(values[0], len(images)), nil
}

// parts splits values into those of n images.
func parts(values []float32, n int) [][]float32 {
	return slices.Collect(slices.Chunk(values, len(values)/n))
}

// inFloat32 computes l on one image as the program's own layer.
func inFloat32(l *theorem.Layer[float32], size []int, x []float32) ([]float32, error) {
	layer, err := convert.Trainable(nn.NewScope(0), l, size[0], size[1])
	if err != nil {
		return nil, err
	}
	ys, err := run(layer, size[0], size[1], l.In, x)
	if err != nil {
		return nil, err
	}
	return ys[0], nil
}
