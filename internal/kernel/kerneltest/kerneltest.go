// Package kerneltest has what the tests of all kernels use: the choice of a set, slices between guards, and
// comparisons.
package kerneltest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
)

// Use makes the named set the one in use for the rest of the test, and skips the test where this CPU cannot run it.
func Use(t testing.TB, name string) {
	t.Helper()
	before := kernel.Name()
	if err := kernel.Choose(name); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := kernel.Choose(before); err != nil {
			t.Error(err)
		}
	})
}

const guard = 32 // elements on either side

// A Fence is a buffer with NaN on both sides of its elements: a stray read poisons a result, a stray write breaks it.
type Fence struct{ all, In []float32 }

// NewFence returns n random elements in [-2, 2) between guards.
func NewFence(n int, seed uint64) Fence {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	all := Spoilt(n + 2*guard)
	f := Fence{all, all[guard : guard+n : guard+n]}
	for i := range f.In {
		f.In[i] = 4*rng.Float32() - 2
	}
	return f
}

// Broken reports whether something was written outside of In.
func (f Fence) Broken() bool {
	for i, v := range f.all {
		if (i < guard || i >= guard+len(f.In)) && v == v {
			return true
		}
	}
	return false
}

// Sample returns n random elements in [-2, 2).
func Sample(n int, seed uint64) []float32 { return NewFence(n, seed).In }

// Spoilt returns n NaN: memory to work in, which nobody may read before it is written.
func Spoilt(n int) []float32 {
	all := make([]float32, n)
	for i := range all {
		all[i] = float32(math.NaN())
	}
	return all
}

// Near reports whether a and b differ by at most tol·max(1, |b|), or are both NaN or the same infinity.
func Near(a, b, tol float64) bool {
	return a == b || a != a && b != b || math.Abs(a-b) <= tol*max(1, math.Abs(b))
}
