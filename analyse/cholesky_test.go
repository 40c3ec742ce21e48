package analyse

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// randomSystem has A = M·Mᵀ + n·1 of several panels, tasks and steps, none of which n fills.
func randomSystem(n, out int) system {
	rng := rand.New(rand.NewPCG(7, 7))
	rows, s := normals(rng, n*n), newSystem(n, out)
	for i := range n {
		for j := range n {
			s.data[i*n+j] = dot(rows[i*n:(i+1)*n], rows[j*n:(j+1)*n])
		}
		s.data[i*n+i] += float64(n)
	}
	copy(s.data[n*n:], normals(rng, out*n))
	return s
}

// Solutions of the leading equations, of every size, satisfy them.
func TestSystem(t *testing.T) {
	const n, out = 333, 5
	s := randomSystem(n, out)
	want := slices.Clone(s.data)
	if ok, err := s.factor(context.Background()); !ok || err != nil {
		t.Fatal(ok, err)
	}
	for _, first := range []int{1, 63, 64, 65, 300, n} {
		w := s.solve(first)
		for o := range out {
			for i := range first {
				got := dot(w.data[o*first:(o+1)*first], want[i*n:i*n+first])
				if rhs := want[(n+o)*n+i]; math.Abs(got-rhs) > 1e-10 {
					t.Fatalf("%d unknowns: equation %d of %d is %g, want %g", first, i, o, got, rhs)
				}
			}
		}
	}
	indefinite := randomSystem(n, 1)
	indefinite.data[200*n+200] = -1
	if ok, err := indefinite.factor(context.Background()); ok || err != nil {
		t.Error("a matrix that is not positive definite has a factor", err)
	}
}

// Threads change no bit of kernels and scores, and a context that is done ends the fit.
func TestFitOnThreads(t *testing.T) {
	defer threads.SetLimit(0)
	g := Grid{Rows: 6, Cols: 6}
	rng := rand.New(rand.NewPCG(8, 8))
	x := smooth(rng, g, 60, 20)
	y := convolved(g, kernelWith(rng, 3, 20, 3), x, true)
	var want []Kernel
	var r2 float64
	for _, n := range []int{1, 2, 5} {
		threads.SetLimit(n)
		m := momentsOf(t, g, 20, 3, 5, x, y)
		kernels := must(m.Fit(context.Background()))
		score := scored(t, g, 20, 3, x, y, kernels...).R2(2, 0)
		if n == 1 {
			want, r2 = kernels, score
		}
		for i, k := range kernels {
			if !slices.Equal(k.Bias, want[i].Bias) || !slices.EqualFunc(k.Maps, want[i].Maps, slices.Equal) {
				t.Errorf("%d threads: kernel %d differs", n, i)
			}
		}
		if score != r2 {
			t.Errorf("%d threads: R² %v, on one %v", n, score, r2)
		}
		done, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := m.Fit(done); !errors.Is(err, context.Canceled) {
			t.Errorf("the context is done: %v", err)
		}
	}
}
