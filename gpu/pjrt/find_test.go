package pjrt

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/internal/accelerator"
	"github.com/attnconv/attnconv/option"
)

// touch creates an empty file and its folders.
func touch(t *testing.T, path string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o777); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWhereAPluginIsFound(t *testing.T) {
	const plugin = "xla_cuda_plugin.so"
	root := t.TempDir()
	in := func(parts ...string) string { return filepath.Join(append([]string{root}, parts...)...) }
	named := touch(t, in("mine", "anything.so"))
	folder := touch(t, in("folder", "pjrt_c_api_cuda_plugin.so"))
	usual := touch(t, in("usual", "pjrt_plugin_cuda13.so"))
	rocm := touch(t, in("rocm", "pjrt_c_api_rocm_plugin.so"))
	touch(t, in("cpu", "pjrt_c_api_cpu_plugin.so"))
	jax := func(parts ...string) string {
		return touch(t, in(append(parts, plugin)...))
	}
	jax("venv", "lib", "python3.12", "site-packages", "jax_plugins", "xla_cuda12")
	venv := jax("venv", "lib", "python3.12", "site-packages", "jax_plugins", "xla_cuda13")
	debian := jax("usr", "local", "lib", "python3.13", "dist-packages", "jax_plugins", "xla_cuda13")
	conda := jax("conda", "lib", "python3.11", "site-packages", "jax_plugins", "xla_cuda12")
	touch(t, in("conda", "bin", "python3"))
	local := jax("home", ".local", "lib", "python3.12", "site-packages", "jax_plugins", "xla_cuda12")
	module := jax("modules", "jax_plugins", "xla_rocm7")
	if err := os.Rename(module, filepath.Join(filepath.Dir(module), "xla_rocm_plugin.so")); err != nil {
		t.Fatal(err)
	}
	module = filepath.Join(filepath.Dir(module), "xla_rocm_plugin.so")
	if err := os.Symlink(in("conda", "bin"), in("bin")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		env   map[string]string
		usual []string
		want  Plugin
	}{
		{"named by its path", map[string]string{accelerator.Variable: named, accelerator.Folders: in("folder")}, nil,
			Plugin{named, accelerator.Variable}},
		{"in a folder of PJRT's", map[string]string{accelerator.Folders: in("no") + ":" + in("folder")},
			[]string{in("usual")},
			Plugin{folder, accelerator.Folders}},
		{"in a usual place", map[string]string{"VIRTUAL_ENV": in("venv")}, []string{in("cpu"), in("usual")},
			Plugin{usual, "a usual place"}},
		{"AMD's", nil, []string{in("rocm")}, Plugin{rocm, "a usual place"}},
		{"JAX in the environment that is active", map[string]string{"VIRTUAL_ENV": in("venv"), "HOME": in("home")}, nil,
			Plugin{venv, "JAX"}},
		{"JAX with the python3 on the path", map[string]string{"PATH": in("none") + ":" + in("conda", "bin")}, nil,
			Plugin{conda, "JAX"}},
		{"JAX with a python3 that is a link", map[string]string{"PATH": in("bin")}, nil, Plugin{conda, "JAX"}},
		{"JAX of one user", map[string]string{"HOME": in("home")}, nil, Plugin{local, "JAX"}},
		{"JAX among Python's own modules", map[string]string{"PYTHONPATH": in("modules")}, nil, Plugin{module, "JAX"}},
		{"JAX of the system", nil, nil, Plugin{debian, "JAX"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := Finder{Getenv: func(name string) string { return tt.env[name] }, Usual: tt.usual,
				Python: []string{in("usr", "local"), in("usr")}}
			got, err := f.Find()
			if err != nil || got != tt.want {
				t.Errorf("found %+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
}

func TestWhatIsSaidWhereNoPluginIs(t *testing.T) {
	env := map[string]string{accelerator.Folders: "/none", "VIRTUAL_ENV": "/venv"}
	f := Finder{Getenv: func(name string) string { return env[name] }, Usual: []string{"/usual"},
		Python: []string{"/python"}}
	_, err := f.Find()
	want := `no plugin for a GPU was found
  looked in:  PJRT_PLUGIN_LIBRARY_PATH=/none
              /usual
              and for JAX in /venv, /python
  get one:    pip install "jax[cuda13]"   # brings xla_cuda_plugin.so
  have one:   ATTNCONV_PJRT_PLUGIN=/absolute/path/xla_cuda_plugin.so
  without:    --device cpu`
	if err == nil || err.Error() != want {
		t.Errorf("said\n%v\nwant\n%s", err, want)
	}
	env[accelerator.Variable] = "/none/plugin.so"
	missing := (*accelerator.MissingError)(nil)
	_, err = f.Find()
	if !errors.As(err, &missing) || missing.What != accelerator.Variable+" names /none/plugin.so, which is not there" {
		t.Errorf("a path to nothing: %v", err)
	}
	env[accelerator.Variable] = "plugin.so"
	wrong := (*option.Error)(nil)
	if _, err = f.Find(); !errors.As(err, &wrong) || wrong.Key != accelerator.Variable {
		t.Errorf("a relative path: %v", err)
	}
}

func TestWhatIsNoPlugin(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text.so")
	if err := os.WriteFile(text, []byte("no library\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		text: "it is no shared library", program: "it has no function GetPjrtApi", filepath.Dir(text): "is a directory",
		"/none.so": "no such file or directory",
	} {
		unfit := (*accelerator.PluginError)(nil)
		if err := (Plugin{Path: path}).Check(); !errors.As(err, &unfit) || !strings.Contains(unfit.Reason, want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
