// Package accelerator opens the device that a user asks for: the CPU, or what a program with another device has
// registered, as the one in the folder gpu does.
package accelerator

import (
	"errors"
	"fmt"
	"strings"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/train"
)

// Environment variables of GPU support. ChildEnv of the command line passes Variable on.
const (
	Variable = "ATTNCONV_PJRT_PLUGIN" // the path of the plugin, instead of what is found
	// folders with plugins, separated by colons; other programs on PJRT use it, too
	Folders = "PJRT_PLUGIN_LIBRARY_PATH"
)

// Devices lists what a user may ask for.
var Devices = option.List[option.Item]{
	{Name: "auto", Help: "a GPU (experimental) where one can be opened, else the CPU"},
	{Name: "cpu", Help: "the kernels of this program"},
	{Name: "gpu", Help: "a GPU (experimental), or an error that says why there is none"},
}

// An Accelerator is a train.Device that has been opened.
type Accelerator interface {
	train.Device
	String() string // its own name
	Origin() string // what it is opened with, and how that was found
	Close()
}

// opener opens the accelerator that the environment names, or that is found, for steps at a precision. The error is a
// *MissingError if there is none, or a *PluginError.
var opener func(getenv func(string) string, precision string) (Accelerator, error)

// Register makes open the way to the accelerator.
func Register(open func(getenv func(string) string, precision string) (Accelerator, error)) {
	opener = open
}

// Built reports whether this program can use an accelerator at all.
func Built() bool { return opener != nil }

// A Device is where steps run.
type Device struct {
	Accelerator Accelerator // nil: the CPU, with the kernels of this program
	Why         string      // why auto chose the CPU in a program that can use an accelerator
}

// MissingError is the error where there is no accelerator.
type MissingError struct {
	What   string
	Advice []string // lines
}

func (e *MissingError) Error() string {
	return strings.Join(append([]string{e.What}, e.Advice...), "\n  ")
}
func (e *MissingError) ExitCode() int { return fault.Missing }

// PluginError is the error of a file that is not a plugin, or not one for this program.
type PluginError struct {
	Path   string
	Reason string
}

func (e *PluginError) Error() string { return e.Path + " cannot be used as a PJRT plugin: " + e.Reason }
func (e *PluginError) ExitCode() int { return fault.Corrupt }

// Open opens what which, a name in Devices, asks for, for steps at this precision. With auto, that is the CPU if the
// accelerator is missing or does not work, unless the user named its plugin. The error is a *MissingError, an
// *PluginError, or an *option.Error for a precision that the CPU does not have.
func Open(which, precision string, getenv func(string) string) (*Device, error) {
	switch {
	case which == "cpu", which == "auto" && !Built():
		return cpu(precision, "")
	case !Built():
		return nil, notBuiltError()
	}
	a, err := opener(getenv, precision)
	if err == nil {
		return &Device{Accelerator: a}, nil
	}
	missing, unfit := (*MissingError)(nil), (*PluginError)(nil)
	if which == "auto" && getenv(Variable) == "" && (errors.As(err, &missing) || errors.As(err, &unfit)) {
		why, _, _ := strings.Cut(err.Error(), "\n")
		return cpu(precision, why)
	}
	return nil, err
}

// cpu returns the CPU, or an error if it does not have the precision.
func cpu(precision, why string) (*Device, error) {
	if err := train.OnCPU(precision); err != nil {
		if why != "" {
			err = fmt.Errorf("%w, and %s", err, why)
		}
		return nil, err
	}
	return &Device{Why: why}, nil
}

func notBuiltError() error {
	return &MissingError{What: "this build of attnconv runs on the CPU only", Advice: []string{
		"one for a GPU (experimental) needs a C compiler, in a copy of the source:",
		"  make build-gpu",
		"without:  --device cpu",
	}}
}

// GPU reports whether the device is not the CPU.
func (d *Device) GPU() bool { return d.Accelerator != nil }

// Caution is what is said wherever a GPU is used; "" on the CPU.
func (d *Device) Caution() string {
	if !d.GPU() {
		return ""
	}
	return "GPU support is experimental: it has been tested without a GPU only"
}

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
