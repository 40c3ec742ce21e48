package kernel

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// lengths stand on both sides of eight lanes, of the unrolled turns and of a block of a mask.
var lengths = []int{0, 1, 7, 8, 9, 31, 32, 33, 63, 400, 1000}

// A fence is a buffer with NaN on both sides of its numbers: a stray read poisons a result, a stray write breaks it.
type fence struct{ all, in []float32 }

func newFence(n int, seed uint64) fence {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	all := make([]float32, n+2*guard)
	for i := range all {
		all[i] = float32(math.NaN())
	}
	f := fence{all, all[guard : guard+n : guard+n]}
	for i := range f.in {
		f.in[i] = 4*rng.Float32() - 2
	}
	return f
}

func (f fence) broken() bool {
	for i, v := range f.all {
		if (i < guard || i >= guard+len(f.in)) && v == v {
			return true
		}
	}
	return false
}

// near reports whether a and b differ by at most tol·max(1, |b|), or are both NaN or the same infinity.
func near(a, b, tol float64) bool {
	return a == b || a != a && b != b || math.Abs(a-b) <= tol*max(1, math.Abs(b))
}

// twins calls each row kernel on slices of one length, of numbers in [-2, 2); sums are returned.
var twins = []struct {
	name   string
	slices int
	tol    float64 // of a number; of a sum, times its length
	call   func(k *vecSet, x [][]float32) []float64
}{
	{"add", 3, 0, func(k *vecSet, x [][]float32) []float64 { k.add(x[0], x[1], x[2]); return nil }},
	{"add in place", 2, 0, func(k *vecSet, x [][]float32) []float64 { k.add(x[0], x[0], x[1]); return nil }},
	{"mul", 3, 0, func(k *vecSet, x [][]float32) []float64 { k.mul(x[0], x[1], x[2]); return nil }},
	{"axpy", 2, 1e-6, func(k *vecSet, x [][]float32) []float64 { k.axpy(-0.7, x[0], x[1]); return nil }},
	{"scale", 1, 0, func(k *vecSet, x [][]float32) []float64 { k.scale(-0.7, x[0]); return nil }},
	{"dot", 2, 1e-6, func(k *vecSet, x [][]float32) []float64 { return sums(k.dot(x[0], x[1])) }},
	{"sum", 1, 1e-6, func(k *vecSet, x [][]float32) []float64 { return sums(k.sum(x[0])) }},
	{"about", 1, 1e-6, func(k *vecSet, x [][]float32) []float64 { return sums(k.about(x[0], 0.3)) }},
	{"max", 1, 0, func(k *vecSet, x [][]float32) []float64 { return sums(k.max(x[0])) }},
	{"max of negative numbers", 1, 0, func(k *vecSet, x [][]float32) []float64 {
		for i, v := range x[0] {
			x[0][i] = v - 5
		}
		return sums(k.max(x[0]))
	}},
	{"addSum", 3, 1e-6, func(k *vecSet, x [][]float32) []float64 { return sums(k.addSum(x[0], x[1], x[2])) }},
	{"maskAddSum", 4, 1e-6, func(k *vecSet, x [][]float32) []float64 {
		return sums(k.maskAddSum(x[0], x[1], x[2], x[3]))
	}},
	{"normalise", 4, 1e-6, func(k *vecSet, x [][]float32) []float64 {
		k.normalise(x[0], x[1], x[2], x[3], 0.2, 1.7)
		return nil
	}},
	{"normSums", 6, 1e-6, func(k *vecSet, x [][]float32) []float64 {
		a, b := k.normSums(x[0], x[1], x[2], x[3], x[4], x[5], 0.2, 1.7)
		return sums(a, b)
	}},
	{"normGrad", 4, 1e-6, func(k *vecSet, x [][]float32) []float64 {
		k.normGrad(x[0], x[1], x[2], x[3], 1.7, 0.1, -0.2)
		return nil
	}},
	{"relu", 2, 0, func(k *vecSet, x [][]float32) []float64 { k.relu(x[0], x[1]); return nil }},
	{"where", 3, 0, func(k *vecSet, x [][]float32) []float64 { k.where(x[0], x[1], x[2]); return nil }},
	{"addSquares", 3, 1e-6, func(k *vecSet, x [][]float32) []float64 {
		k.addSquares(x[0], x[1], x[2])
		return nil
	}},
	{"centred", 5, 1e-6, func(k *vecSet, x [][]float32) []float64 {
		k.centred(x[0], x[1], x[2], x[3], x[4])
		return nil
	}},
	{"centredSums", 5, 1e-6, func(k *vecSet, x [][]float32) []float64 {
		k.centredSums(x[0], x[1], x[2], x[3], x[4])
		return nil
	}},
	{"centredGrad", 7, 1e-6, func(k *vecSet, x [][]float32) []float64 {
		k.centredGrad(x[0], x[1], x[2], x[3], x[4], x[5], x[6])
		return nil
	}},
	{"maskedSums", 7, 1e-6, func(k *vecSet, x [][]float32) []float64 {
		k.maskedSums(x[0], x[1], x[2], x[3], x[4], x[5], x[6])
		return nil
	}},
	{"maskedGrad", 8, 1e-6, func(k *vecSet, x [][]float32) []float64 {
		k.maskedGrad(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7])
		return nil
	}},
	{"expSum", 2, 3e-7, func(k *vecSet, x [][]float32) []float64 { return sums(k.expSum(x[0], x[1], 2)) }},
	{"softmaxGrad", 3, 1e-6, func(k *vecSet, x [][]float32) []float64 {
		k.softmaxGrad(x[0], x[1], x[2], 0.3)
		return nil
	}},
	{"gelu", 3, 1e-6, func(k *vecSet, x [][]float32) []float64 { k.gelu(x[0], x[1], x[2]); return nil }},
	{"geluGrad", 4, 1e-6, func(k *vecSet, x [][]float32) []float64 {
		k.geluGrad(x[0], x[1], x[2], x[3])
		return nil
	}},
	{"dropoutRow", 1, 0, func(k *vecSet, x [][]float32) []float64 {
		k.dropoutRow(x[0], &draw{[2]uint32{1, 2}, [2]uint32{3, 4}, 5, 1 << 30, 4. / 3})
		return nil
	}},
	{"sgd", 3, 1e-6, func(k *vecSet, x [][]float32) []float64 {
		k.sgd(x[0], x[1], x[2], 0.1, 0.9, 1e-2)
		return nil
	}},
	{"adamW", 4, 1e-6, func(k *vecSet, x [][]float32) []float64 {
		for i, v := range x[2] {
			x[2][i] = v * v
		}
		k.adamW(x[0], x[1], x[2], x[3], &AdamStep{0.99, 0.9, 0.1, 0.75, 0.25, 0.1, 1.5, 1e-3})
		return nil
	}},
	{"sumSquares", 1, 1e-12, func(k *vecSet, x [][]float32) []float64 { return []float64{k.sumSquares(x[0])} }},
	{"finite", 1, 0, func(k *vecSet, x [][]float32) []float64 {
		if k.finite(x[0]) {
			return []float64{1}
		}
		return []float64{0}
	}},
}

func sums(v ...float32) []float64 {
	w := make([]float64, len(v))
	for i, x := range v {
		w[i] = float64(x)
	}
	return w
}

func TestRowKernels(t *testing.T) {
	for _, s := range sets {
		t.Run(s.Name, func(t *testing.T) {
			use(t, s)
			for _, k := range twins {
				for _, n := range lengths {
					var got, want [][]float32
					var fences []fence
					for i := range k.slices {
						f := newFence(n, uint64(i))
						fences, got = append(fences, f), append(got, f.in)
						want = append(want, newFence(n, uint64(i)).in)
					}
					gotSums, wantSums := k.call(&s.vecSet, got), k.call(&vecGeneric, want)
					for i := range got {
						for j := range got[i] {
							if !near(float64(got[i][j]), float64(want[i][j]), k.tol) {
								t.Fatalf("%s, n=%d: slice %d[%d] = %v, want %v", k.name, n, i, j, got[i][j], want[i][j])
							}
						}
						if fences[i].broken() {
							t.Fatalf("%s, n=%d: wrote outside slice %d", k.name, n, i)
						}
					}
					for i := range gotSums {
						if !near(gotSums[i], wantSums[i], k.tol*float64(max(n, 1))) {
							t.Fatalf("%s, n=%d: result %d = %v, want %v", k.name, n, i, gotSums[i], wantSums[i])
						}
					}
				}
			}
		})
	}
}

// TestThreadsDoNotCount runs every parallel operation on 1, 2, 4 and 7 threads and wants the same bytes.
func TestThreadsDoNotCount(t *testing.T) {
	const n, d = 700, 96 // several blocks, the last one short
	drop := Dropout{Key: 9, Step: 4, Rate: 0.1}
	work := func() []byte {
		x := make([][]float32, 6)
		for i := range x {
			x[i] = newFence(n*d, uint64(i)).in
		}
		b, c, mean, rstd := newFence(d, 1).in, newFence(d, 2).in, make([]float32, n), make([]float32, n)
		dg, db, row, image := make([]float32, d), make([]float32, d), make([]float32, d), make([]float32, 7*d)
		GELU(x[0], x[0], b)
		GELUGrad(Matrix(x[1], n, d), Matrix(x[0], n, d), b)
		AddRow(x[2], x[1], b)
		SumRows(row, x[2])
		Add(x[2], x[0])
		Scale(0.3, x[2])
		ResidualNorm(x[3], mean, rstd, x[0], x[1], b, c, drop)
		ResidualNormGrad(x[4], x[5], dg, db, x[3], x[0], x[1], mean, rstd, b, drop)
		SoftmaxRows(x[0], x[0], d)
		SoftmaxRowsGrad(x[1], x[1], x[0], d)
		MeanTokens(image, x[1], n/7, d)
		SGD(x[0], x[2], x[4], 0.1, 0.9, 1e-4)
		AdamW(x[1], x[3], x[0], x[4], 0.1, 0.9, 0.99, 1e-8, 1e-4, 3)
		out := fmt.Append(nil, SumSquares(x[1]), Finite(x[2]))
		for _, s := range append(x, mean, rstd, dg, db, row, image) {
			for _, v := range s {
				out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
			}
		}
		return out
	}
	defer SetThreads(0)
	SetThreads(1)
	want := work()
	for _, threads := range []int{2, 4, 7} {
		SetThreads(threads)
		if !bytes.Equal(work(), want) {
			t.Errorf("%d threads: other bytes than one", threads)
		}
	}
}

// sample returns n numbers in [-2, 2).
func sample(n int, seed uint64) []float32 { return newFence(n, seed).in }

// slope checks grad, the gradient of f by x, against central differences with steps of h.
func slope(t *testing.T, what string, x, grad []float32, h, tol float64, f func() float64) {
	t.Helper()
	for i, v := range x {
		x[i] = v + float32(h)
		high, up := f(), float64(x[i])
		x[i] = v - float32(h)
		low, down := f(), float64(x[i])
		x[i] = v
		if want := (high - low) / (up - down); !near(float64(grad[i]), want, tol) {
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
