package refs

import (
	"cmp"
	"fmt"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/accelerator"
	"github.com/attnconv/attnconv/train"
)

// resolveGlobals validates the global flags, and sets those that were not given to their defaults.
func resolveGlobals(c *term.Console) error {
	c.Device = cmp.Or(c.Device, c.Getenv(term.DeviceVariable), "auto")
	if err := accelerator.Devices.Check(term.DeviceVariable, c.Device); err != nil {
		return err
	}
	c.Runs = cmp.Or(c.Runs, c.Getenv("ATTNCONV_RUNS"), "runs")
	if c.DataDir == "" {
		c.DataDir = sets.Dir()
	}
	return c.UseCores()
}

// DeviceFlag adds --device to a command whose steps can run on a GPU. It is not a setting of a run: a run can be
// resumed on another device.
func DeviceFlag(c *term.Console, f term.Flags) {
	term.Choice(f, &c.Device, "device", "", "NAME",
		"where steps run (default: $"+term.DeviceVariable+", else auto: a GPU (experimental) if there is one)",
		accelerator.Devices)
}

// OpenDevice opens what --device names, for steps at this precision.
func OpenDevice(c *term.Console, precision string) (*accelerator.Device, error) {
	d, err := accelerator.Open(c.Device, precision, c.Getenv)
	return d, OfDevice(c, err)
}

// Devices returns a function that opens what --device names, or nil for the CPU, and one that releases all that it
// opened.
func Devices(c *term.Console) (open func(precision string) (train.Device, error), release func()) {
	var opened []*accelerator.Device
	open = func(precision string) (train.Device, error) {
		d, err := OpenDevice(c, precision)
		if err != nil || !d.GPU() {
			return nil, err
		}
		opened = append(opened, d)
		return d.Accelerator, nil
	}
	return open, func() {
		for _, d := range opened {
			d.Close()
		}
	}
}

// OfDevice adds the flag to an error of the GPU that the user asked for.
func OfDevice(c *term.Console, err error) error {
	if c.Device == "gpu" && (term.Is[*accelerator.MissingError](err) || term.Is[*accelerator.PluginError](err)) {
		return fmt.Errorf("--device gpu: %w", err)
	}
	return err
}
