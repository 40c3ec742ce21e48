package pjrt

import (
	"errors"
	"fmt"
	"strings"

	"github.com/attnconv/attnconv/internal/choice"

	"github.com/attnconv/attnconv/train"
)

// Devices are the values of the setting train.device.
var Devices = choice.List[choice.Option]{
	{Name: "auto", Help: "a GPU (experimental) where one can be opened, else the CPU"},
	{Name: "cpu", Help: "the kernels of this program"},
	{Name: "gpu", Help: "a GPU (experimental), or an error that says why there is none"},
}

// An Accelerator is an open GPU.
type Accelerator interface {
	train.Device
	String() string // the plugin's name of it
	Close()
}

// opener opens the first device of a plugin; nil in a program that cannot.
var opener func(p Plugin, precision string) (Accelerator, error)

// Register makes open the function that opens plugins. internal/xla calls it, in a program that contains it. open returns
// *Missing or *Unfit if the plugin, or something that the plugin needs, is at fault.
func Register(open func(p Plugin, precision string) (Accelerator, error)) { opener = open }

// Built reports whether this program can open plugins.
func Built() bool { return opener != nil }

// A Device executes training steps.
type Device struct {
	Accelerator Accelerator // nil: the CPU, with the kernels of this program
	Plugin      Plugin
	Why         string // why auto chose the CPU in a program that can use a GPU
}

// Experimental is said wherever a GPU is used, until a GPU has run this program's tests.
const Experimental = "GPU support is experimental: it has been tested without a GPU only"

// Missing is the error if something that a GPU needs is not there.
type Missing struct {
	What   string
	Advice []string // lines
}

func (e *Missing) Error() string { return strings.Join(append([]string{e.What}, e.Advice...), "\n  ") }

// Unfit is the error for a file that cannot be used as a plugin.
type Unfit struct {
	Path   string
	Reason string
}

func (e *Unfit) Error() string { return e.Path + " cannot be used as a PJRT plugin: " + e.Reason }

// Open opens a device; which is one of Devices. With auto, Open returns the CPU if the plugin is missing or does not work,
// unless the user named that plugin.
func (f Finder) Open(which, precision string) (*Device, error) {
	switch {
	case which == "cpu", which == "auto" && !Built():
		return cpu(precision, "")
	case !Built():
		return nil, notBuilt()
	}
	d, err := f.gpu(precision)
	if which == "gpu" || f.Getenv(Variable) != "" {
		return d, err
	}
	missing, unfit := (*Missing)(nil), (*Unfit)(nil)
	if errors.As(err, &missing) || errors.As(err, &unfit) {
		why, _, _ := strings.Cut(err.Error(), "\n")
		return cpu(precision, why)
	}
	return d, err
}

// cpu returns the CPU, or an error if it does not have the precision; why goes into both.
func cpu(precision, why string) (*Device, error) {
	if err := train.OnCPU(precision); err != nil {
		if why != "" {
			err = fmt.Errorf("%w, and %s", err, why)
		}
		return nil, err
	}
	return &Device{Why: why}, nil
}

// gpu finds, checks and opens a plugin.
func (f Finder) gpu(precision string) (*Device, error) {
	p, err := f.Find()
	if err != nil {
		return nil, err
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	a, err := opener(p, precision)
	if err != nil {
		return nil, err
	}
	return &Device{Accelerator: a, Plugin: p}, nil
}

// notBuilt is the error of a build that cannot use a GPU; it says how to make one that can.
func notBuilt() error {
	return &Missing{What: "this build of attnconv runs on the CPU only", Advice: []string{
		"one for a GPU (experimental) needs a C compiler, in a copy of the source:",
		"  CGO_ENABLED=1 go build -tags xla -o attnconv ./cmd/attnconv",
		"without:  --device cpu",
	}}
}

// GPU reports whether d is a plugin's device.
func (d *Device) GPU() bool { return d.Accelerator != nil }

// String returns the plugin's name of the device, or "cpu".
func (d *Device) String() string {
	if !d.GPU() {
		return "cpu"
	}
	return d.Accelerator.String()
}

// Close releases the device.
func (d *Device) Close() {
	if d.GPU() {
		d.Accelerator.Close()
	}
}
