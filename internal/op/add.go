package op

import "github.com/attnconv/attnconv/internal/kernel/vec"

// AddToEachOp is y[b] = x[b] + e, the same for every image of a batch.
type AddToEachOp struct{}

func (AddToEachOp) String() string { return "add-to-each" }

func (o AddToEachOp) Shape(in []Shape) (Shape, error) {
	return fits(o, in, in[0].Dims() > 1 && in[0][1:].Eq(in[1]), in[0], "x (batch, …) and e (…)")
}

func (AddToEachOp) Cost(*Node) Cost { return Cost{} }

func (AddToEachOp) Kernel([]Shape) Kernel {
	return Kernel{
		Skips:    []int{0, 1},
		NotSaved: []int{0, 1, Output},
		InPlace:  true,
		Forward:  func(y []float32, in [][]float32) { vec.AddRow(y, in[0], in[1]) },
		Backward: func(d [][]float32, dy, _ []float32, _ [][]float32) {
			if d[1] != nil {
				vec.SumRows(d[1], dy)
			}
			if d[0] != nil {
				copy(d[0], dy)
			}
		},
	}
}
