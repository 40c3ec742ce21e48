//go:build cgo && linux

package xla

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gomlx/go-xla/compute/xla"
	"k8s.io/klog/v2"

	"github.com/attnconv/attnconv/gpu/pjrt"
	"github.com/attnconv/attnconv/internal/accelerator"
	"github.com/attnconv/attnconv/train"
)

func init() { accelerator.Register(open) }

// An opened device knows its plugin.
type opened struct {
	Device
	plugin pjrt.Plugin
}

// Origin implements accelerator.Accelerator.
func (o opened) Origin() string { return o.plugin.Path + " (" + o.plugin.From + ")" }

// open finds a plugin, opens its first device, and runs a program there.
func open(getenv func(string) string, precision string) (accelerator.Accelerator, error) {
	p, err := pjrt.System(getenv).Find()
	if err != nil {
		return nil, err
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	if strings.Contains(p.Path, ",") {
		return nil, &accelerator.PluginError{Path: p.Path,
			Reason: "a comma in its path cannot be passed on: link to it from elsewhere"}
	}
	klog.LogToStderr(false) // errors come back as errors
	klog.SetOutput(io.Discard)
	if err := setEnvironment(p, precision); err != nil {
		return nil, err
	}
	xla.EnableAutoInstall(false)
	tf32 := ",tf32=true"
	if precision == train.Float32 {
		tf32 = ",tf32=false"
	}
	backend, err := xla.New(p.Path + tf32)
	if err != nil {
		return nil, noDevice(p, plain(err))
	}
	if backend.NumDevices() == 0 {
		backend.Finalize()
		return nil, noDevice(p, "it finds none")
	}
	if err := probe(backend); err != nil {
		backend.Finalize()
		return nil, &accelerator.PluginError{Path: p.Path, Reason: "it runs no program: " + plain(err) +
			"\n  a plugin of another version may fit: docs/gpu.md"}
	}
	return opened{Device{backend, precision == train.BFloat16}, p}, nil
}

// plain returns the innermost error of a chain on one line: the plugin's own message.
func plain(err error) string {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}

func noDevice(p pjrt.Plugin, why string) error {
	return &accelerator.MissingError{What: p.Path + " opens no device: " + why,
		Advice: []string{"check:    nvidia-smi, attnconv doctor", "without:  --device cpu"}}
}

// setEnvironment sets the variables that NVIDIA's libraries and XLA read when they are loaded, unless the user has set
// them.
func setEnvironment(p pjrt.Plugin, precision string) error {
	set := map[string]string{}
	if precision == train.Float32 {
		set["NVIDIA_TF32_OVERRIDE"] = "0" // go-xla asks for full precision in matrix products, not in convolutions
	}
	const flag = "--xla_gpu_cuda_data_dir="
	if dir := cuda(p); dir != "" {
		set["GOPJRT_CUDA_CHECKS"] = "0" // go-xla looks in the plugin's folder, where JAX has no CUDA
		if flags := os.Getenv("XLA_FLAGS"); !strings.Contains(flags, flag) {
			if err := os.Setenv("XLA_FLAGS", strings.TrimSpace(flags+" "+flag+dir)); err != nil {
				return err
			}
		}
	}
	for name, value := range set {
		if _, given := os.LookupEnv(name); given {
			continue
		}
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}

// cuda returns the folder with CUDA's compiler and device library that JAX installs with its plugin, or "".
func cuda(p pjrt.Plugin) string {
	// p.Path is PACKAGES/jax_plugins/xla_cuda13/xla_cuda_plugin.so
	packages := filepath.Dir(filepath.Dir(filepath.Dir(p.Path)))
	for _, name := range []string{"cu13", "cuda_nvcc"} {
		dir := filepath.Join(packages, "nvidia", name)
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	return ""
}
