package pjrt

import (
	"errors"
	"strings"

	"github.com/gomlx/compute"

	"github.com/attnconv/attnconv/internal/choice"
	"github.com/attnconv/attnconv/internal/invalid"
)

// Devices are the words for where training steps run.
var Devices = choice.List[choice.Option]{
	{Name: "auto", Help: "a GPU where one can be opened, else the CPU"},
	{Name: "cpu", Help: "the kernels of this program"},
	{Name: "gpu", Help: "a GPU, or an error that says why there is none"},
}

// Precisions are those of products. Sums, and all that is no product, are float32 with each. The CPU has float32 alone.
var Precisions = choice.List[choice.Option]{
	{Name: Float32, Help: "every device has it"},
	{Name: "tf32", Help: "factors keep 10 bits behind the point; on a GPU"},
	{Name: "bfloat16", Help: "factors keep 7 bits behind the point; on a GPU"},
}

// Float32 is the precision that every device has.
const Float32 = "float32"

// A Device is where training steps run.
type Device struct {
	Backend compute.Backend // nil: the CPU, with the kernels of this program
	Plugin  Plugin
	Why     string // why auto chose the CPU in a program that can use a GPU
}

// Missing says what a GPU needs that is not there.
type Missing struct {
	What   string
	Advice []string // lines
}

func (e *Missing) Error() string { return strings.Join(append([]string{e.What}, e.Advice...), "\n  ") }

// Unfit says why a file cannot be used as a plugin.
type Unfit struct {
	Path   string
	Reason string
}

func (e *Unfit) Error() string { return e.Path + " cannot be used as a PJRT plugin: " + e.Reason }

// Open opens the device that which, one of Devices, names. With auto a plugin that is missing or does not work makes it
// the CPU, unless the user has named that plugin.
func (f Finder) Open(which, precision string) (*Device, error) {
	switch {
	case which == "cpu", which == "auto" && !Built:
		return cpu(precision, "")
	case !Built:
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

// cpu is the CPU, for a precision that it has.
func cpu(precision, why string) (*Device, error) {
	if precision != Float32 {
		because := ""
		if why != "" {
			because = ", and " + why
		}
		return nil, invalid.Errorf("train.precision", "%s: the CPU has %s only%s", precision, Float32, because)
	}
	return &Device{Why: why}, nil
}

// gpu opens the plugin that there is.
func (f Finder) gpu(precision string) (*Device, error) {
	p, err := f.Find()
	if err != nil {
		return nil, err
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	backend, err := open(p, precision)
	if err != nil {
		return nil, err
	}
	if err := probe(backend); err != nil {
		backend.Finalize()
		return nil, &Unfit{p.Path, "it runs no program: " + plain(err) +
			"\n  a plugin of another version may fit: docs/gpu.md"}
	}
	return &Device{Backend: backend, Plugin: p}, nil
}

// notBuilt says how to come by a program that can use a GPU.
func notBuilt() error {
	return &Missing{What: "this build of attnconv runs on the CPU only", Advice: []string{
		"one for a GPU needs a C compiler, in a copy of the source:",
		"  CGO_ENABLED=1 go build -tags xla -o attnconv ./cmd/attnconv",
		"without:  --device cpu",
	}}
}

// GPU says whether d is more than this program's own kernels.
func (d *Device) GPU() bool { return d.Backend != nil }

// String names the device as the plugin does, or is "cpu".
func (d *Device) String() string {
	if !d.GPU() {
		return "cpu"
	}
	name, _, _ := strings.Cut(d.Backend.DeviceDescription(0), " [processId=")
	return name
}

// Close gives the device back.
func (d *Device) Close() {
	if d.GPU() {
		d.Backend.Finalize()
	}
}

// plain is what was at the bottom of an error of go-xla's, on one line: the plugin's own words.
func plain(err error) string {
	for below := err; below != nil; below = errors.Unwrap(below) {
		err = below
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}
