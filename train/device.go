package train

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"

	"github.com/attnconv/attnconv/internal/kernel"
)

// A Device is where a network is computed. The zero value is the CPU, with the project's own kernels.
type Device struct {
	Backend compute.Backend // nil: the CPU
	Half    bool            // the factors of products are rounded to bfloat16; not on the CPU
}

// Kernels names what computes there: the kernel set of the CPU, or the backend.
func (d Device) Kernels() string {
	if d.Backend != nil {
		return d.Backend.Name()
	}
	return kernel.Name()
}

// put copies numbers to the device.
func (d Device) put(numbers any, shape shapes.Shape) (compute.Buffer, error) {
	b, err := d.Backend.BufferFromFlatData(0, numbers, shape)
	if err != nil {
		return nil, d.failed(err)
	}
	return b, nil
}

// take copies the numbers of a buffer that is not needed any more.
func (d Device) take(to []float32, from compute.Buffer) error {
	if err := from.ToFlatData(to); err != nil {
		return d.failed(err)
	}
	if err := from.Finalize(); err != nil {
		return d.failed(err)
	}
	return nil
}

func (d Device) failed(err error) error {
	return fmt.Errorf("train: device %s: %w", d.Backend.Name(), err)
}
