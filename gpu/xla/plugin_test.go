//go:build cgo && linux

package xla

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"

	"github.com/attnconv/attnconv/gpu/pjrt/fake"
	"github.com/attnconv/attnconv/internal/accelerator"
	"github.com/attnconv/attnconv/train"
)

// environment names the fake plugin, which has a fault. go-xla opens a path once per process, so each test has a
// folder.
func environment(t *testing.T, fault string) func(string) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("the fake plugin needs gcc")
	}
	path, err := fake.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(fake.Fault, fault)
	return func(name string) string { return map[string]string{accelerator.Variable: path}[name] }
}

func TestAPluginOpens(t *testing.T) {
	for _, which := range []string{"gpu", "auto"} {
		d, err := accelerator.Open(which, train.Float32, environment(t, ""))
		if err != nil {
			t.Fatal(err)
		}
		if !d.GPU() || d.String() != "fake device 0" || !strings.HasSuffix(d.Accelerator.Origin(),
			"xla_cuda_plugin.so ("+accelerator.Variable+")") {
			t.Errorf("%s is %v, %q of %s", which, d.GPU(), d, d.Accelerator.Origin())
		}
		d.Close()
	}
}

func TestAProgramIsCompiledAndRun(t *testing.T) {
	programs := t.TempDir()
	t.Setenv(fake.Programs, programs)
	d, err := accelerator.Open("gpu", train.Float32, environment(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := probe(d.Accelerator.(opened).Backend); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(programs, "1.mlir"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"@main(", "tensor<3xf32>", "stablehlo.multiply"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the program has no %s:\n%s", want, text)
		}
	}
}

// Products request the precision of the setting. float32 needs an explicit request: XLA's default on a GPU is TF32.
func TestPrecisionOfProducts(t *testing.T) {
	for _, tt := range []struct {
		precision string
		has, not  []string
	}{
		{"float32", []string{"precision HIGHEST"}, nil},
		{"tf32", []string{"precision DEFAULT"}, []string{"HIGHEST"}},
		{"bfloat16", []string{"precision DEFAULT"}, []string{"HIGHEST"}},
	} {
		t.Run(tt.precision, func(t *testing.T) {
			programs := t.TempDir()
			t.Setenv(fake.Programs, programs)
			d, err := accelerator.Open("gpu", tt.precision, environment(t, ""))
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if _, err := product(d.Accelerator.(opened).Backend); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(filepath.Join(programs, "2.mlir")) // after the probe
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.has {
				if !strings.Contains(string(text), want) {
					t.Errorf("want %s in\n%s", want, text)
				}
			}
			for _, bad := range tt.not {
				if strings.Contains(string(text), bad) {
					t.Errorf("want no %s in\n%s", bad, text)
				}
			}
		})
	}
}

func TestWhatAPluginCannotDo(t *testing.T) {
	for _, tt := range []struct {
		fault string
		as    any
		want  []string
	}{
		{"device", new(*accelerator.MissingError), []string{"opens no device",
			"no supported devices found for platform CUDA", "nvidia-smi"}},
		{"none", new(*accelerator.MissingError), []string{"opens no device: it finds none"}},
		{"compile", new(*accelerator.PluginError), []string{"runs no program", "this program does not compile"}},
		{"options", new(*accelerator.PluginError), []string{"Unexpected PJRT_ExecuteOptions size", "another version"}},
		{"wrong", new(*accelerator.PluginError), []string{"the squares of 1, 2, 3 are [0 0 0]"}},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			_, err := accelerator.Open("gpu", train.Float32, environment(t, tt.fault))
			if err == nil || !errors.As(err, tt.as) {
				t.Fatalf("got %T: %v", err, err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("want %q in %q", want, err)
				}
			}
		})
	}
}

func TestAutoFallsBackWhereNothingWasNamed(t *testing.T) {
	path := environment(t, "device")(accelerator.Variable)
	getenv := func(name string) string { return map[string]string{accelerator.Folders: filepath.Dir(path)}[name] }
	d, err := accelerator.Open("auto", train.Float32, getenv)
	if err != nil || d.GPU() || !strings.Contains(d.Why, "opens no device") {
		t.Errorf("got %+v, %v", d, err)
	}
	if _, err := accelerator.Open("auto", "tf32", getenv); err == nil ||
		!strings.Contains(err.Error(), "the CPU has float32 and bfloat16, and ") {
		t.Errorf("tf32 without a GPU: %v", err)
	}
}

// product compiles y = x·w, (2, 3) times (3, 4).
func product(b compute.Backend) (compute.Executable, error) {
	builder := b.Builder("product")
	f := builder.Main()
	x, err := f.Parameter("x", shapes.Make(dtypes.Float32, 2, 3), nil)
	if err != nil {
		return nil, err
	}
	w, err := f.Parameter("w", shapes.Make(dtypes.Float32, 3, 4), nil)
	if err != nil {
		return nil, err
	}
	y, err := f.DotGeneral(x, []int{1}, nil, w, []int{0}, nil, compute.DotGeneralConfig{})
	if err != nil {
		return nil, err
	}
	if err := f.Return([]compute.Value{y}, nil); err != nil {
		return nil, err
	}
	return builder.Compile()
}
