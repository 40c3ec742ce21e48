// Package xla computes networks through GoMLX, which differentiates a graph and has a backend compile it: XLA for an
// accelerator, or plain Go for tests. It is the only package that imports GoMLX, and a program links it with the build
// tag xla alone. No GPU has run it yet: it is experimental.
//
// lower.go says each operation's equation once more; training.go and evaluation.go are the programs made of them,
// solvers.go the steps of the solvers, plugin.go (behind the tag) the way to a PJRT plugin.
package xla

import (
	"fmt"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
)

// A Device is a backend of GoMLX's as package train knows it.
type Device struct {
	Backend compute.Backend
	Half    bool // factors of products are rounded to bfloat16
}

// Name implements train.Device.
func (d Device) Name() string { return d.Backend.Name() }

// String names the device as its plugin does.
func (d Device) String() string {
	name, _, _ := strings.Cut(d.Backend.DeviceDescription(0), " [processId=")
	return name
}

// Close gives the device back.
func (d Device) Close() { d.Backend.Finalize() }

// put copies values to the device.
func (d Device) put(values any, shape shapes.Shape) (compute.Buffer, error) {
	b, err := d.Backend.BufferFromFlatData(0, values, shape)
	if err != nil {
		return nil, d.failed(err)
	}
	return b, nil
}

// take copies the values of a buffer that is not needed any more.
func (d Device) take(to []float32, from compute.Buffer) error {
	if err := from.ToFlatData(to); err != nil {
		return d.failed(err)
	}
	if err := from.Finalize(); err != nil {
		return d.failed(err)
	}
	return nil
}

func (d Device) failed(err error) error { return fmt.Errorf("device %s: %w", d.Name(), err) }
