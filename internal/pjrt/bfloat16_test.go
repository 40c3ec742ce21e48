package pjrt

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
)

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

// convolution compiles y = x * w, one picture of 3 × 3 pixels and 2 channels with a kernel of 2 × 2, NHWC.
func convolution(b compute.Backend) (compute.Executable, error) {
	builder := b.Builder("convolution")
	f := builder.Main()
	x, err := f.Parameter("x", shapes.Make(dtypes.Float32, 1, 3, 3, 2), nil)
	if err != nil {
		return nil, err
	}
	w, err := f.Parameter("w", shapes.Make(dtypes.Float32, 2, 2, 2, 1), nil)
	if err != nil {
		return nil, err
	}
	axes := compute.ConvolveAxesConfig{InputBatch: 0, InputSpatial: []int{1, 2}, InputChannels: 3,
		KernelSpatial: []int{0, 1}, KernelInputChannels: 2, KernelOutputChannels: 3,
		OutputBatch: 0, OutputSpatial: []int{1, 2}, OutputChannels: 3}
	y, err := f.ConvGeneral(x, w, axes, nil, nil, nil, nil, 1, 1)
	if err != nil {
		return nil, err
	}
	if err := f.Return([]compute.Value{y}, nil); err != nil {
		return nil, err
	}
	return builder.Compile()
}

// run gives a program its two arguments and returns its result, which must be float32.
func run(t *testing.T, b compute.Backend, compile func(compute.Backend) (compute.Executable, error), x, w []float32,
) []float32 {
	t.Helper()
	program, err := compile(b)
	if err != nil {
		t.Fatal(err)
	}
	_, in := program.Inputs()
	var args []compute.Buffer
	for i, data := range [][]float32{x, w} {
		arg, err := b.BufferFromFlatData(0, data, in[i])
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, arg)
	}
	out, err := program.Execute(args, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float32, program.Outputs()[0].Size())
	if err := out[0].ToFlatData(y); err != nil {
		t.Fatal(err)
	}
	return y
}

// rounded is x with the 8 significant bits of a bfloat16, ties to even.
func rounded(x []float32) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		bits := math.Float32bits(v)
		y[i] = math.Float32frombits((bits + 0x7fff + bits>>16&1) &^ 0xffff)
	}
	return y
}

func TestHalvedProductsRoundTheirFactorsOnly(t *testing.T) {
	plain, err := gobackend.New("")
	if err != nil {
		t.Fatal(err)
	}
	numbers := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(math.Sin(float64(i + n)))
		}
		return x
	}
	for _, tt := range []struct {
		name    string
		compile func(compute.Backend) (compute.Executable, error)
		x, w    []float32
	}{
		{"matrix product", product, numbers(6), numbers(12)},
		{"convolution", convolution, numbers(18), numbers(8)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := run(t, plain, tt.compile, rounded(tt.x), rounded(tt.w))
			got := run(t, halved{plain}, tt.compile, tt.x, tt.w)
			for i := range want {
				if d := math.Abs(float64(got[i] - want[i])); d > 1e-2 {
					t.Errorf("result %d is %v, want %v", i, got[i], want[i])
				}
			}
			if slices.Equal(got, run(t, plain, tt.compile, tt.x, tt.w)) {
				t.Error("the factors were not rounded")
			}
		})
	}
}
