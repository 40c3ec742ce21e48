// Package pjrt finds the plugin of an accelerator. XLA compiles a training step for it through a PJRT plugin: a shared
// library for one kind of device, such as the one for NVIDIA GPUs that comes with JAX. Plugins are looked up at run
// time and never downloaded.
package pjrt

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/accelerator"
	"github.com/attnconv/attnconv/option"
)

// patterns match the names of plugins in a folder, in order of preference. Plugins for the CPU are left out.
var patterns = []string{"xla_cuda_plugin.so", "pjrt_c_api_cuda*_plugin.so", "pjrt?plugin?cuda*.so",
	"xla_rocm_plugin.so", "pjrt_c_api_rocm*_plugin.so", "pjrt?plugin?rocm*.so"}

// packages are the folders of packages below the prefix of a Python installation, jax the folders of JAX's plugins
// below those. The newest of several matches is the last by name.
var (
	packages = []string{"lib/python3*/site-packages", "lib64/python3*/site-packages", "lib/python3*/dist-packages"}
	jax      = []string{"jax_plugins/xla_cuda*", "jax_plugins/xla_rocm*"}
)

// A Plugin is a file that should be a PJRT plugin.
type Plugin struct {
	Path string
	From string // how it was found: the name of a variable, "a usual place", "JAX"
}

// A Finder looks for plugins.
type Finder struct {
	Getenv func(string) string
	Usual  []string // folders of plugins
	Python []string // prefixes of Python installations, in addition to those of the environment
}

// System returns the Finder for this machine.
func System(getenv func(string) string) Finder {
	f := Finder{Getenv: getenv, Python: []string{"/usr/local", "/usr"}}
	for _, dir := range []string{filepath.Join(getenv("HOME"), ".local/lib/go-xla"), "/usr/local/lib/go-xla"} {
		f.Usual = append(f.Usual, dir, filepath.Join(dir, "nvidia"))
	}
	f.Usual = append(f.Usual, filepath.SplitList(getenv("LD_LIBRARY_PATH"))...)
	return f
}

// Find returns the plugin that accelerator.Variable names, else the first one in the folders of accelerator.Folders,
// the usual places or a JAX installation. The error is an *accelerator.MissingError if there is none, or an
// *option.Error if the variable is not an absolute path.
func (f Finder) Find() (Plugin, error) {
	if path := f.Getenv(accelerator.Variable); path != "" {
		if !filepath.IsAbs(path) {
			return Plugin{}, option.Errorf(accelerator.Variable, "%q: want an absolute path", path)
		}
		if _, err := os.Stat(path); err != nil {
			return Plugin{}, &accelerator.MissingError{What: accelerator.Variable + " names " + path +
				", which is not there", Advice: f.advice()}
		}
		return Plugin{path, accelerator.Variable}, nil
	}
	for _, place := range []struct {
		from    string
		folders []string
	}{
		{accelerator.Folders, filepath.SplitList(f.Getenv(accelerator.Folders))}, {"a usual place", f.Usual},
		{"JAX", f.jaxFolders()},
	} {
		for _, dir := range place.folders {
			if path := in(dir); path != "" {
				return Plugin{path, place.from}, nil
			}
		}
	}
	return Plugin{}, &accelerator.MissingError{What: "no plugin for a GPU was found", Advice: f.advice()}
}

// in returns the path of a plugin in the folder dir, or "".
func in(dir string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	for _, p := range patterns {
		if found, _ := filepath.Glob(filepath.Join(dir, p)); len(found) > 0 {
			return found[len(found)-1]
		}
	}
	return ""
}

// jaxFolders lists the folders of JAX's plugins in all Python installations, the newest of each first.
func (f Finder) jaxFolders() (all []string) {
	roots := filepath.SplitList(f.Getenv("PYTHONPATH"))
	for _, prefix := range f.prefixes() {
		for _, p := range packages {
			found, _ := filepath.Glob(filepath.Join(prefix, p))
			slices.Reverse(found)
			roots = append(roots, found...)
		}
	}
	for _, root := range roots {
		for _, p := range jax {
			found, _ := filepath.Glob(filepath.Join(root, p))
			slices.Reverse(found)
			all = append(all, found...)
		}
	}
	return all
}

// prefixes lists the prefixes of Python installations: the active environment, every python3 on the path, the usual
// ones.
func (f Finder) prefixes() (all []string) {
	add := func(prefix string) {
		if filepath.IsAbs(prefix) && prefix != "/" && !slices.Contains(all, prefix) {
			all = append(all, prefix)
		}
	}
	add(f.Getenv("VIRTUAL_ENV"))
	add(f.Getenv("CONDA_PREFIX"))
	for _, dir := range filepath.SplitList(f.Getenv("PATH")) {
		python := filepath.Join(dir, "python3")
		if _, err := os.Stat(python); err != nil {
			continue
		}
		add(filepath.Dir(dir))
		if real, err := filepath.EvalSymlinks(python); err == nil {
			add(filepath.Dir(filepath.Dir(real)))
		}
	}
	if home := f.Getenv("HOME"); home != "" {
		add(filepath.Join(home, ".local"))
	}
	for _, prefix := range f.Python {
		add(prefix)
	}
	return all
}

// advice lists where Find looked, and how to get a plugin.
func (f Finder) advice() []string {
	folders := accelerator.Folders + ", which is not set"
	if list := f.Getenv(accelerator.Folders); list != "" {
		folders = accelerator.Folders + "=" + list
	}
	looked := append([]string{folders}, f.Usual...)
	return []string{
		"looked in:  " + strings.Join(looked, "\n              "),
		"            and for JAX in " + strings.Join(f.prefixes(), ", "),
		`get one:    pip install "jax[cuda13]"   # brings xla_cuda_plugin.so`,
		"have one:   " + accelerator.Variable + "=/absolute/path/xla_cuda_plugin.so",
		"without:    --device cpu",
	}
}
