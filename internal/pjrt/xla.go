//go:build xla && cgo && linux

package pjrt

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
	"k8s.io/klog/v2"
)

// Built reports whether this program can open plugins.
const Built = true

// open opens a plugin and its first device.
func open(p Plugin, precision string) (compute.Backend, error) {
	if strings.Contains(p.Path, ",") {
		return nil, &Unfit{p.Path, "a comma in its path cannot be passed on: link to it from elsewhere"}
	}
	klog.LogToStderr(false) // errors come back as errors
	klog.SetOutput(io.Discard)
	if err := setEnvironment(p, precision); err != nil {
		return nil, err
	}
	xla.EnableAutoInstall(false)
	tf32 := ",tf32=true"
	if precision == Float32 {
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
	return backend, nil
}

func noDevice(p Plugin, why string) error {
	return &Missing{What: p.Path + " opens no device: " + why,
		Advice: []string{"check:    nvidia-smi, attnconv doctor", "without:  --device cpu"}}
}

// setEnvironment sets the variables that NVIDIA's libraries and XLA read when they are loaded, unless the user has set
// them.
func setEnvironment(p Plugin, precision string) error {
	set := map[string]string{}
	if precision == Float32 {
		set["NVIDIA_TF32_OVERRIDE"] = "0" // go-xla asks for full precision in matrix products, not in convolutions
	}
	const flag = "--xla_gpu_cuda_data_dir="
	if dir := p.cuda(); dir != "" {
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
func (p Plugin) cuda() string {
	packages := filepath.Dir(filepath.Dir(filepath.Dir(p.Path))) // p.Path is PACKAGES/jax_plugins/xla_cuda13/xla_cuda_plugin.so
	for _, name := range []string{"cu13", "cuda_nvcc"} {
		dir := filepath.Join(packages, "nvidia", name)
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	return ""
}
