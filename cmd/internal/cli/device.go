package cli

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/pjrt"
	"github.com/attnconv/attnconv/train"
)

// DeviceVariable is the environment variable that sets the default of --device.
const DeviceVariable = "ATTNCONV_DEVICE"

// DeviceFlag adds --device to a command whose steps can run on a GPU. It is not a setting of a run: a run can be
// resumed on another device.
func (c *Console) DeviceFlag(f Flags) {
	f.Text(&c.Device, "device", "", "NAME",
		"where steps run (default: $"+DeviceVariable+", else auto: a GPU (experimental) if there is one)", pjrt.Devices.Completions())
}

// OpenDevice opens what --device names, for steps at this precision.
func (c *Console) OpenDevice(precision string) (*pjrt.Device, error) {
	d, err := pjrt.System(c.Getenv).Open(c.Device, precision)
	return d, c.OfDevice(err)
}

// Devices returns a function that opens what --device names, or nil for the CPU, and one that releases all that it opened.
func (c *Console) Devices() (open func(precision string) (train.Device, error), release func()) {
	var opened []*pjrt.Device
	open = func(precision string) (train.Device, error) {
		d, err := c.OpenDevice(precision)
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
func (c *Console) OfDevice(err error) error {
	if c.Device == "gpu" && (Is[*pjrt.Missing](err) || Is[*pjrt.Unfit](err)) {
		return fmt.Errorf("--device gpu: %w", err)
	}
	return err
}
