//go:build cgo && linux

package xla

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// probe runs y = x·x on a device, so that a plugin that does not work with this program fails before training begins.
func probe(b compute.Backend) error {
	shape := shapes.Make(dtypes.Float32, 3)
	program, err := square(b, shape)
	if err != nil {
		return err
	}
	defer program.Finalize()
	x, err := b.BufferFromFlatData(0, []float32{1, 2, 3}, shape)
	if err != nil {
		return err
	}
	defer x.Finalize()
	results, err := program.Execute([]compute.Buffer{x}, nil, 0)
	if err != nil {
		return err
	}
	y := make([]float32, 3)
	for _, r := range results {
		defer r.Finalize()
	}
	if len(results) != 1 {
		return fmt.Errorf("a program with one result has %d", len(results))
	}
	if err := results[0].ToFlatData(y); err != nil {
		return err
	}
	if want := []float32{1, 4, 9}; !slices.Equal(y, want) {
		return fmt.Errorf("the squares of 1, 2, 3 are %v", y)
	}
	return nil
}

// square compiles y = x·x, elementwise.
func square(b compute.Backend, shape shapes.Shape) (compute.Executable, error) {
	builder := b.Builder("probe")
	f := builder.Main()
	x, err := f.Parameter("x", shape, nil)
	if err != nil {
		return nil, err
	}
	y, err := f.Mul(x, x)
	if err != nil {
		return nil, err
	}
	if err := f.Return([]compute.Value{y}, nil); err != nil {
		return nil, err
	}
	return builder.Compile()
}
