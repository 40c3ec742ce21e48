package vec

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// lengths stand on both sides of eight lanes, of the unrolled turns and of a block of a mask.
var lengths = []int{0, 1, 7, 8, 9, 31, 32, 33, 63, 400, 1000}

// twins calls each routine on slices of one length, of elements in [-2, 2); sums are returned.
var twins = []struct {
	name   string
	slices int
	tol    float64 // of an element; of a sum, times its length
	call   func(k *routines, x [][]float32) []float64
}{
	{"add", 3, 0, func(k *routines, x [][]float32) []float64 { k.Add(x[0], x[1], x[2]); return nil }},
	{"add in place", 2, 0, func(k *routines, x [][]float32) []float64 { k.Add(x[0], x[0], x[1]); return nil }},
	{"mul", 3, 0, func(k *routines, x [][]float32) []float64 { k.Mul(x[0], x[1], x[2]); return nil }},
	{"axpy", 2, 1e-6, func(k *routines, x [][]float32) []float64 { k.Axpy(-0.7, x[0], x[1]); return nil }},
	{"scale", 1, 0, func(k *routines, x [][]float32) []float64 { k.Scale(-0.7, x[0]); return nil }},
	{"dot", 2, 1e-6, func(k *routines, x [][]float32) []float64 { return sums(k.Dot(x[0], x[1])) }},
	{"sum", 1, 1e-6, func(k *routines, x [][]float32) []float64 { return sums(k.Sum(x[0])) }},
	{"deviations", 1, 1e-6, func(k *routines, x [][]float32) []float64 { return sums(k.Deviations(x[0], 0.3)) }},
	{"max", 1, 0, func(k *routines, x [][]float32) []float64 { return sums(k.Max(x[0])) }},
	{"max of negative numbers", 1, 0, func(k *routines, x [][]float32) []float64 {
		for i, v := range x[0] {
			x[0][i] = v - 5
		}
		return sums(k.Max(x[0]))
	}},
	{"addSum", 3, 1e-6, func(k *routines, x [][]float32) []float64 { return sums(k.AddSum(x[0], x[1], x[2])) }},
	{"maskAddSum", 4, 1e-6, func(k *routines, x [][]float32) []float64 {
		return sums(k.MaskAddSum(x[0], x[1], x[2], x[3]))
	}},
	{"normalize", 4, 1e-6, func(k *routines, x [][]float32) []float64 {
		k.Normalize(x[0], x[1], x[2], x[3], 0.2, 1.7)
		return nil
	}},
	{"normSums", 6, 1e-6, func(k *routines, x [][]float32) []float64 {
		a, b := k.NormSums(x[0], x[1], x[2], x[3], x[4], x[5], 0.2, 1.7)
		return sums(a, b)
	}},
	{"normGrad", 4, 1e-6, func(k *routines, x [][]float32) []float64 {
		k.NormGrad(x[0], x[1], x[2], x[3], 1.7, 0.1, -0.2)
		return nil
	}},
	{"relu", 2, 0, func(k *routines, x [][]float32) []float64 { k.ReLU(x[0], x[1]); return nil }},
	{"reluGrad", 3, 0, func(k *routines, x [][]float32) []float64 { k.ReLUGrad(x[0], x[1], x[2]); return nil }},
	{"addDeviations", 3, 1e-6, func(k *routines, x [][]float32) []float64 {
		k.AddDeviations(x[0], x[1], x[2])
		return nil
	}},
	{"centered", 5, 1e-6, func(k *routines, x [][]float32) []float64 {
		k.Centered(x[0], x[1], x[2], x[3], x[4])
		return nil
	}},
	{"centeredSums", 5, 1e-6, func(k *routines, x [][]float32) []float64 {
		k.CenteredSums(x[0], x[1], x[2], x[3], x[4])
		return nil
	}},
	{"centeredGrad", 7, 1e-6, func(k *routines, x [][]float32) []float64 {
		k.CenteredGrad(x[0], x[1], x[2], x[3], x[4], x[5], x[6])
		return nil
	}},
	{"maskedSums", 7, 1e-6, func(k *routines, x [][]float32) []float64 {
		k.MaskedSums(x[0], x[1], x[2], x[3], x[4], x[5], x[6])
		return nil
	}},
	{"maskedGrad", 8, 1e-6, func(k *routines, x [][]float32) []float64 {
		k.MaskedGrad(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7])
		return nil
	}},
	{"takeMax", 3, 0, func(k *routines, x [][]float32) []float64 {
		for i := range x[0] {
			switch i % 5 {
			case 1:
				x[2][i] = x[0][i] // the first of equal ones stays
			case 2:
				x[0][i] = float32(math.Inf(-1))
			}
		}
		k.TakeMax(x[0], x[1], x[2], 3)
		return nil
	}},
	{"where", 3, 0, func(k *routines, x [][]float32) []float64 {
		for i := range x[2] {
			x[2][i] = float32(i % 3)
		}
		k.Where(x[0], x[1], x[2], 2)
		return nil
	}},
	{"addOuter", 3, 1e-6, func(k *routines, x [][]float32) []float64 {
		rows, cols := outerShape(len(x[0]))
		k.AddOuter(x[0][:rows*cols], x[1][:rows], x[2][:cols])
		return nil
	}},
	{"sumOuter", 3, 1e-5, func(k *routines, x [][]float32) []float64 {
		rows, cols := outerShape(len(x[0]))
		k.SumOuter(x[0][:rows], x[1][:cols], x[2][:rows*cols])
		return nil
	}},
	{"expSum", 2, 3e-7, func(k *routines, x [][]float32) []float64 { return sums(k.ExpSum(x[0], x[1], 2)) }},
	{"softmaxGrad", 3, 1e-6, func(k *routines, x [][]float32) []float64 {
		k.SoftmaxGrad(x[0], x[1], x[2], 0.3)
		return nil
	}},
	{"gelu", 3, 1e-6, func(k *routines, x [][]float32) []float64 { k.GELU(x[0], x[1], x[2]); return nil }},
	{"geluGrad", 4, 1e-6, func(k *routines, x [][]float32) []float64 {
		k.GELUGrad(x[0], x[1], x[2], x[3])
		return nil
	}},
	{"geluBoth", 5, 1e-6, func(k *routines, x [][]float32) []float64 {
		k.GELUBoth(x[0], x[1], x[2], x[3], x[4])
		return nil
	}},
	{"dropoutRow", 1, 0, func(k *routines, x [][]float32) []float64 {
		k.DropoutRow(x[0], 1, 2, 3, 4, 5, 1<<30, 4./3)
		return nil
	}},
	{"sgd", 3, 1e-6, func(k *routines, x [][]float32) []float64 {
		k.SGD(x[0], x[1], x[2], 0.1, 0.9, 1e-2)
		return nil
	}},
	{"adamW", 4, 1e-6, func(k *routines, x [][]float32) []float64 {
		for i, v := range x[2] {
			x[2][i] = v * v
		}
		k.AdamW(x[0], x[1], x[2], x[3], 0.99, 0.9, 0.1, 0.75, 0.25, 0.1, 1.5, 1e-3)
		return nil
	}},
	{"sumSquares", 1, 1e-12, func(k *routines, x [][]float32) []float64 { return []float64{k.SumSquares(x[0])} }},
	{"finite", 1, 0, func(k *routines, x [][]float32) []float64 {
		if k.Finite(x[0]) {
			return []float64{1}
		}
		return []float64{0}
	}},
}

// outerShape returns the rows and columns of a matrix of up to n elements: few columns of short ones, more of longer
// ones.
func outerShape(n int) (rows, cols int) {
	cols = min(n, 1+n/11)
	return n / max(1, cols), cols
}

func sums(v ...float32) []float64 {
	w := make([]float64, len(v))
	for i, x := range v {
		w[i] = float64(x)
	}
	return w
}

func TestRoutines(t *testing.T) {
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			for _, k := range twins {
				for _, n := range lengths {
					var got, want [][]float32
					var fences []kerneltest.Fence
					for i := range k.slices {
						f := kerneltest.NewFence(n, uint64(i))
						fences, got = append(fences, f), append(got, f.In)
						want = append(want, kerneltest.NewFence(n, uint64(i)).In)
					}
					gotSums, wantSums := k.call(&best, got), k.call(&plain, want)
					for i := range got {
						for j := range got[i] {
							if !kerneltest.Near(float64(got[i][j]), float64(want[i][j]), k.tol) {
								t.Fatalf("%s, n=%d: slice %d[%d] = %v, want %v", k.name, n, i, j, got[i][j], want[i][j])
							}
						}
						if fences[i].Broken() {
							t.Fatalf("%s, n=%d: wrote outside slice %d", k.name, n, i)
						}
					}
					for i := range gotSums {
						if !kerneltest.Near(gotSums[i], wantSums[i], k.tol*float64(max(n, 1))) {
							t.Fatalf("%s, n=%d: result %d = %v, want %v", k.name, n, i, gotSums[i], wantSums[i])
						}
					}
				}
			}
		})
	}
}

// TestThreadsDoNotCount runs every parallel operation on 1, 2, 4 and 7 threads and requires the same bytes.
func TestThreadsDoNotCount(t *testing.T) {
	const n, d = 700, 96 // several blocks, the last one short
	drop := Dropout{Key: 9, Step: 4, Rate: 0.1}
	work := func() []byte {
		x := make([][]float32, 6)
		for i := range x {
			x[i] = kerneltest.NewFence(n*d, uint64(i)).In
		}
		b, c, mean, rstd := kerneltest.NewFence(d, 1).In, kerneltest.NewFence(d, 2).In, make([]float32, n),
			make([]float32, n)
		dg, db, row, image := make([]float32, d), make([]float32, d), make([]float32, d), make([]float32, 7*d)
		GELU(x[0], x[0], b)
		GELUGrad(x[1], x[1], x[0], b)
		AddRow(x[2], x[1], b)
		SumRows(row, x[2])
		Add(x[2], x[0])
		Scale(0.3, x[2])
		ResidualNorm(x[3], mean, rstd, x[0], x[1], b, c, drop)
		ResidualNormGrad(x[4], x[5], dg, db, x[3], x[0], x[1], mean, rstd, b, drop)
		SoftmaxRows(x[0], x[0], d)
		SoftmaxRowsGrad(x[1], x[1], x[0], d)
		MeanTokens(image, x[1], n/7, d)
		for i := 0; i < n*d; i += d { // a channel far from zero
			x[2][i] = 1000 + x[2][i]/1000
		}
		center, rest, variance := make([]float32, d), make([]float32, d), make([]float32, d)
		Moments(center, rest, variance, x[2])
		BatchNorm(x[3], x[2], x[4], center, rest, b, c, c, true)
		BatchNormGrad(x[5], nil, dg, db, x[4], x[3], x[2], center, rest, b, b, c, true)
		SGD(x[0], x[2], x[4], 0.1, 0.9, 1e-4)
		AdamW(x[1], x[3], x[0], x[4], 0.1, 0.9, 0.99, 1e-8, 1e-4, 3)
		out := fmt.Append(nil, SumSquares(x[1]), Finite(x[2]))
		for _, s := range append(x, mean, rstd, dg, db, row, image, center, rest, variance) {
			for _, v := range s {
				out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
			}
		}
		return out
	}
	defer threads.SetLimit(0)
	threads.SetLimit(1)
	want := work()
	for _, limit := range []int{2, 4, 7} {
		threads.SetLimit(limit)
		if !bytes.Equal(work(), want) {
			t.Errorf("%d threads: other bytes than one", limit)
		}
	}
}

// slope checks grad, the gradient of f by x, against central differences with steps of h.
func slope(t *testing.T, what string, x, grad []float32, h, tol float64, f func() float64) {
	t.Helper()
	for i, v := range x {
		x[i] = v + float32(h)
		high, up := f(), float64(x[i])
		x[i] = v - float32(h)
		low, down := f(), float64(x[i])
		x[i] = v
		if want := (high - low) / (up - down); !kerneltest.Near(float64(grad[i]), want, tol) {
			t.Errorf("%s: gradient %d = %v, differences say %v", what, i, grad[i], want)
		}
	}
}

// weighted returns Σ a·b in float64: a loss whose gradient by a is b.
func weighted(a, b []float32) (s float64) {
	for i, v := range a {
		s += float64(v) * float64(b[i])
	}
	return s
}
