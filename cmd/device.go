package cmd

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/pjrt"
	"github.com/attnconv/attnconv/train"
)

// deviceVariable says where steps run, where --device does not.
const deviceVariable = "ATTNCONV_DEVICE"

// deviceFlag adds --device to a command whose steps can run on a GPU. It is no setting of a run: where one was begun
// does not matter to where it goes on.
func (c *console) deviceFlag(f flags) {
	f.text(&c.Device, "device", "", "NAME",
		"where steps run (default: $"+deviceVariable+", else auto: a GPU if there is one)", pjrt.Devices.Completions())
}

// deviceOf is d for the package train.
func deviceOf(d *pjrt.Device, precision string) train.Device {
	return train.Device{Backend: d.Backend, Half: precision == "bfloat16"}
}

// openDevice opens the device that the user asked for.
func (c *console) openDevice(precision string) (*pjrt.Device, error) {
	d, err := pjrt.System(c.getenv).Open(c.Device, precision)
	if c.Device == "gpu" && (is[*pjrt.Missing](err) || is[*pjrt.Unfit](err)) {
		return nil, fmt.Errorf("--device gpu: %w", err)
	}
	return d, err
}
