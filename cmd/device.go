package cmd

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/pjrt"
)

// deviceVariable is the environment variable that sets the default of --device.
const deviceVariable = "ATTNCONV_DEVICE"

// deviceFlag adds --device to a command whose steps can run on a GPU. It is not a setting of a run: a run can be
// resumed on another device.
func (c *console) deviceFlag(f flags) {
	f.text(&c.Device, "device", "", "NAME",
		"where steps run (default: $"+deviceVariable+", else auto: a GPU (experimental) if there is one)", pjrt.Devices.Completions())
}

func (c *console) openDevice(precision string) (*pjrt.Device, error) {
	d, err := pjrt.System(c.getenv).Open(c.Device, precision)
	if c.Device == "gpu" && (is[*pjrt.Missing](err) || is[*pjrt.Unfit](err)) {
		return nil, fmt.Errorf("--device gpu: %w", err)
	}
	return d, err
}
