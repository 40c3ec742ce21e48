//go:build xla && cgo && linux

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

	"github.com/attnconv/attnconv/internal/pjrt"
	"github.com/attnconv/attnconv/internal/pjrt/fake"
	"github.com/attnconv/attnconv/train"
)

// finder returns a Finder of the fake plugin with a fault. go-xla opens a path once per process, so each test has a folder.
func finder(t *testing.T, fault string) pjrt.Finder {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("the fake plugin needs gcc")
	}
	path, err := fake.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(fake.Fault, fault)
	return pjrt.Finder{Getenv: func(name string) string { return map[string]string{pjrt.Variable: path}[name] }}
}

func TestAPluginOpens(t *testing.T) {
	for _, which := range []string{"gpu", "auto"} {
		d, err := finder(t, "").Open(which, train.Float32)
		if err != nil {
			t.Fatal(err)
		}
		if !d.GPU() || d.String() != "fake device 0" || d.Plugin.From != pjrt.Variable {
			t.Errorf("%s is %v, %q of %+v", which, d.GPU(), d, d.Plugin)
		}
		d.Close()
	}
}

func TestAProgramIsCompiledAndRun(t *testing.T) {
	programs := t.TempDir()
	t.Setenv(fake.Programs, programs)
	d, err := finder(t, "").Open("gpu", train.Float32)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := probe(d.Accelerator.(Device).Backend); err != nil {
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
			d, err := finder(t, "").Open("gpu", tt.precision)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if _, err := product(d.Accelerator.(Device).Backend); err != nil {
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
		{"device", new(*pjrt.Missing), []string{"opens no device", "no supported devices found for platform CUDA", "nvidia-smi"}},
		{"none", new(*pjrt.Missing), []string{"opens no device: it finds none"}},
		{"compile", new(*pjrt.Unfit), []string{"runs no program", "this program does not compile"}},
		{"options", new(*pjrt.Unfit), []string{"Unexpected PJRT_ExecuteOptions size", "another version"}},
		{"wrong", new(*pjrt.Unfit), []string{"the squares of 1, 2, 3 are [0 0 0]"}},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			_, err := finder(t, tt.fault).Open("gpu", train.Float32)
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
	f := finder(t, "device")
	path := f.Getenv(pjrt.Variable)
	f.Getenv = func(name string) string { return map[string]string{pjrt.Folders: filepath.Dir(path)}[name] }
	d, err := f.Open("auto", train.Float32)
	if err != nil || d.GPU() || !strings.Contains(d.Why, "opens no device") {
		t.Errorf("got %+v, %v", d, err)
	}
	if _, err := f.Open("auto", "tf32"); err == nil || !strings.Contains(err.Error(), "the CPU has float32 and bfloat16, and ") {
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
