package gemm

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// plainMul is the definition, in float64.
func plainMul(c, a, b Mat, add bool) []float32 {
	out := make([]float32, c.rows*c.cols)
	for i := range c.rows {
		for j := range c.cols {
			var s float64
			if add {
				s = float64(at(c, i, j))
			}
			for l := range a.cols {
				s += float64(at(a, i, l)) * float64(at(b, l, j))
			}
			out[i*c.cols+j] = float32(s)
		}
	}
	return out
}

func at(m Mat, i, j int) float32 {
	if m.layout == byCols {
		i, j = j, i
	}
	return m.data[i*m.stride+j]
}

// inside makes a rows × cols matrix, transposed or not, within a wider one.
func inside(rows, cols int, transposed bool, seed uint64) (Mat, kerneltest.Fence) {
	r, c := rows, cols
	if transposed {
		r, c = cols, rows
	}
	all := kerneltest.NewFence(r*(c+3), seed)
	m := Matrix(all.In, r, c+3).Block(0, 2, r, c)
	if transposed {
		m = m.T()
	}
	return m, all
}

// eachSet runs f with every set that this CPU can run.
func eachSet(t *testing.T, f func(t *testing.T)) {
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			f(t)
		})
	}
}

func TestMul(t *testing.T) {
	shapes := [][3]int{{1, 1, 1}, {6, 8, 16}, {7, 9, 17}, {5, 1, 31}, {13, 16, 48}, {100, 50, 70}, {97, 801, 33},
		{16, 400, 16}, {16, 16, 100}, {150, 13, 250}, {3, 0, 5}, {31, 24, 64}, {300, 40, 520},
		{5, 9, NC + 40}, {sharedRows + 6, 20, 40}, {sharedRows + 6, KC + 10, 20}, {3, 2*KC + 10, 3000}}
	eachSet(t, func(t *testing.T) {
		for _, d := range shapes {
			for v := range 8 {
				testMul(t, d, v&1 != 0, v&2 != 0, v&4 != 0)
			}
		}
	})
}

// Every microkernel: all heights of a tile, columns that fill panels, half panels, and neither, for every layout of A
// and B.
func TestMulOfFewRowsAndColumns(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for m := 1; m <= 2*MR()+1; m++ {
			for i, n := range []int{1, 4, 8, 11, 16, 20, 31, 32, 33, 48} {
				v := m + i
				testMul(t, [3]int{m, 1 + (m*n)%23, n}, v&1 != 0, v&2 != 0, v&4 != 0)
				testMul(t, [3]int{m, 1 + (m*n)%23, n}, v&1 == 0, false, v&2 != 0)
			}
		}
	})
}

// testMul holds every way to multiply matrices within wider ones against the definition.
func testMul(t *testing.T, d [3]int, transA, transB, add bool) {
	t.Helper()
	a, fenceA := inside(d[0], d[1], transA, 1)
	b, fenceB := inside(d[1], d[2], transB, 2)
	before, original := inside(d[0], d[2], false, 3)
	want := plainMul(before, a, b, add)
	packA := func() Mat { return PackA(a, make([]float32, d[0]*d[1])) }
	packB := func() Mat { return PackB(b, make([]float32, PackedBFloats(d[1], d[2]))) }
	ways := map[string]func(c Mat){
		"as planned":        func(c Mat) { Plan{Add: add}.Mul(c, a, b) },
		"serial":            func(c Mat) { Plan{Add: add, Serial: true}.Mul(c, a, b) },
		"packed A":          func(c Mat) { Plan{Add: add}.Mul(c, packA(), b) },
		"packed B":          func(c Mat) { Plan{Add: add}.Mul(c, a, packB()) },
		"packed B, A there": func(c Mat) { Plan{Add: add, InPlaceA: true}.Mul(c, a, packB()) },
		"A there":           func(c Mat) { Plan{Add: add, InPlaceA: true}.Mul(c, a, b) },
		"packed A and B": func(c Mat) {
			a, b := packA(), packB()
			for j := 0; j < d[2]; j += 2 * widest { // in pieces, as columns of a packed matrix are used
				n := min(2*widest, d[2]-j)
				Plan{Add: add}.Mul(c.Cols(j, n), a, b.Cols(j, n))
			}
		},
	}
	if d[1] > 0 {
		ways["parallel"] = func(c Mat) { (&Plan{Add: add}).parallel(c, a, b) }
	}
	if !transB {
		ways["packed A, B there"] = func(c Mat) { Plan{Add: add, InPlaceB: true}.Mul(c, packA(), b) }
		ways["A and B there"] = func(c Mat) { Plan{Add: add, InPlaceA: true, InPlaceB: true}.Mul(c, a, b) }
	}
	for way, f := range ways {
		c, fence := inside(d[0], d[2], false, 3)
		f(c)
		name := fmt.Sprintf("%s %v transposed %t %t add %t", way, d, transA, transB, add)
		checkMul(t, name, c, want, d[1])
		checkAround(t, name, c, fence.In, original.In)
		if fence.Broken() || fenceA.Broken() || fenceB.Broken() {
			t.Fatalf("%s: wrote outside of a slice", name)
		}
	}
}

// checkMul compares c with want, for sums of k products.
func checkMul(t *testing.T, name string, c Mat, want []float32, k int) {
	t.Helper()
	for i := range c.rows {
		for j := range c.cols {
			got, want := float64(at(c, i, j)), float64(want[i*c.cols+j])
			if !kerneltest.Near(got, want, 16e-6*(1+math.Sqrt(float64(k)))/max(1, math.Abs(want))) {
				t.Fatalf("%s: c[%d,%d] = %v, want %v", name, i, j, got, want)
			}
		}
	}
}

// checkAround compares what is around c, in the wider matrix, with what was there before.
func checkAround(t *testing.T, name string, c Mat, all, before []float32) {
	t.Helper()
	for i, v := range all {
		if col := i % (c.cols + 3); (col < 2 || col >= c.cols+2) && v != before[i] {
			t.Fatalf("%s: wrote outside of c, at %d", name, i)
		}
	}
}

// A B that is followed by PadFloats floats is read in place to its last columns, and what follows does not count.
func TestPadded(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for _, n := range []int{1, 15, 17, 40} {
			const m, k = 7, 5
			a := Matrix(kerneltest.Sample(m*k, 1), m, k)
			data := kerneltest.Sample(k*n+PadFloats, 2)
			for i := k * n; i < len(data); i++ {
				data[i] = 1e30
			}
			b := Padded(data, k, n)
			c := Matrix(make([]float32, m*n), m, n)
			want := plainMul(c, a, b, false)
			Plan{InPlaceA: true, InPlaceB: true}.Mul(c, a, b)
			checkMul(t, fmt.Sprint(n, " columns"), c, want, k)
		}
	})
}

// Any shape, any view, any set.
func TestMulProperty(t *testing.T) {
	before := kernel.Name()
	t.Cleanup(func() { kernel.Choose(before) })
	rapid.Check(t, func(r *rapid.T) {
		if kernel.Choose(rapid.SampledFrom(kernel.Names()).Draw(r, "set")) != nil {
			return // not on this CPU
		}
		size := rapid.IntRange(0, 70)
		m, k, n := size.Draw(r, "m"), rapid.IntRange(0, 900).Draw(r, "k"), size.Draw(r, "n")
		a, _ := inside(m, k, rapid.Bool().Draw(r, "a transposed"), 1)
		b, _ := inside(k, n, rapid.Bool().Draw(r, "b transposed"), 2)
		c, _ := inside(m, n, false, 3)
		p := Plan{Add: rapid.Bool().Draw(r, "add")}
		want := plainMul(c, a, b, p.Add)
		if m*k*n > 0 && rapid.Bool().Draw(r, "parallel") {
			p.parallel(c, a, b)
		} else {
			p.Mul(c, a, b)
		}
		for i := range m {
			for j := range n {
				if d := math.Abs(float64(at(c, i, j) - want[i*n+j])); !(d <= 16e-6*(1+math.Sqrt(float64(k)))) {
					r.Fatalf("c[%d,%d] = %v, want %v", i, j, at(c, i, j), want[i*n+j])
				}
			}
		}
	})
}

// Whatever the number of threads, the bytes are the same; and so are they for the same rows in a larger product.
func TestMulThreads(t *testing.T) {
	defer threads.SetLimit(0)
	for _, d := range [][3]int{{500, 300, 90}, {40, 2000, 500}, {700, 64, 64}, {2 * sharedRows, 500, 50}} {
		a, b := random(d[0], d[1], 1), random(d[1], d[2], 2)
		var first []float32
		for _, n := range []int{1, 2, 3, 4, 7} {
			threads.SetLimit(n)
			c := make([]float32, d[0]*d[2])
			Mul(Matrix(c, d[0], d[2]), a, b)
			if first == nil {
				first = c
			}
			if !slices.Equal(c, first) {
				t.Errorf("%v: %d threads give other bytes than one", d, n)
			}
		}
		half := make([]float32, d[0]/2*d[2])
		Mul(Matrix(half, d[0]/2, d[2]), a.Block(0, 0, d[0]/2, d[1]), b)
		if !slices.Equal(half, first[:len(half)]) {
			t.Errorf("%v: the first half of the rows differs when computed alone", d)
		}
	}
}

func random(rows, cols int, seed uint64) Mat {
	return Matrix(kerneltest.Sample(rows*cols, seed), rows, cols)
}

// The epilogue is called once for every element, and not before it is finished.
func TestEpilogue(t *testing.T) {
	for _, d := range [][3]int{{400, 30, 50}, {sharedRows + 30, 3, 90}, {3, 4, 5}} {
		m, n := d[0], d[2]
		a, b := random(m, d[1], 1), random(d[1], n, 2)
		data, seen := make([]float32, m*n), make([]int32, m*n)
		c := Matrix(data, m, n)
		want := plainMul(c, a, b, false)
		Plan{Epilogue: func(i, j, m, cols int) {
			for r := i; r < i+m; r++ {
				for q := j; q < j+cols; q++ {
					seen[r*n+q]++
					data[r*n+q] *= 2
				}
			}
		}}.Mul(c, a, b)
		for i, times := range seen {
			if times != 1 || !kerneltest.Near(float64(data[i]), float64(2*want[i]), 1e-4) {
				t.Fatalf("%v: element %d: finished %d times, is %v, want %v", d, i, times, data[i], 2*want[i])
			}
		}
	}
}

func TestBias(t *testing.T) {
	const m, k, n = 300, 20, 70
	a, b, bias := random(m, k, 1), random(k, n, 2), kerneltest.Sample(n, 3)
	got, want := Matrix(make([]float32, m*n), m, n), Matrix(make([]float32, m*n), m, n)
	Mul(want, a, b)
	Plan{Epilogue: Bias(got, bias)}.Mul(got, a, b)
	for i, v := range want.data {
		if got.data[i] != v+bias[i%n] {
			t.Fatalf("[%d,%d] = %v, want %v + %v", i/n, i%n, got.data[i], v, bias[i%n])
		}
	}
}

// Products on one goroutine are called many times a step: once the pools are filled they allocate nothing.
func TestSerialMulDoesNotAllocate(t *testing.T) {
	a, b := random(17, 20, 1), random(20, 75, 2)
	c := Matrix(make([]float32, 17*75), 17, 75)
	packedA, packedB := PackA(a, nil), PackB(b, make([]float32, PackedBFloats(20, 75)))
	for name, f := range map[string]func(){
		"both factors packed here": func() { Plan{Serial: true}.Mul(c, a, b) },
		"both packed before":       func() { Plan{}.Mul(c, packedA, packedB) },
		"B in place":               func() { Plan{InPlaceB: true}.Mul(c, packedA, b) },
		"batch":                    func() { MulBatch(Same(c, 1), Same(packedA, 1), Same(b, 1), false) },
	} {
		if n := testing.AllocsPerRun(100, f); n > 0 && !raceDetector {
			t.Errorf("%s: %v allocations a call", name, n)
		}
	}
}

// Factors and results that do not fit are refused before assembly reads them.
func TestWhatDoesNotFitPanics(t *testing.T) {
	a, b, c := random(5, 6, 1), random(6, 40, 2), random(5, 40, 3)
	packedA, packedB := PackA(a, nil), PackB(b, make([]float32, PackedBFloats(6, 40)))
	for name, f := range map[string]func(){
		"shapes":                  func() { Mul(c, b, a) },
		"transposed C":            func() { Mul(random(40, 5, 1).T(), a, b) },
		"packed B as A":           func() { Mul(random(6, 40, 1), packedB, random(40, 40, 2)) },
		"packed A as B":           func() { Mul(random(5, 6, 1), random(5, 5, 2), packedA) },
		"packed C":                func() { Mul(packedA, random(5, 5, 1), random(5, 6, 2)) },
		"transposed B in place":   func() { Plan{InPlaceB: true}.Mul(c, a, random(40, 6, 2).T()) },
		"transposed packed":       func() { packedB.T() },
		"block of a packed A":     func() { packedA.Block(0, 0, 2, 6) },
		"columns within a panel":  func() { packedB.Cols(3, 5) },
		"columns beyond":          func() { packedB.Cols(32, 9) },
		"a slice of another size": func() { Matrix(make([]float32, 5), 2, 3) },
		"few panels":              func() { Panels(make([]float32, 6*40-1), 6, 40) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

// The smallest set is a single microkernel, for whole tiles of an A in strips: everything else is plain Go's, for its
// MR and NR.
func TestSetWithASingleRoutine(t *testing.T) {
	before := best
	t.Cleanup(func() { best = before })
	const mr, nr = 5, 8
	var called atomic.Bool
	one := routines{Tiles: complete(tiles{MR: mr, NR: nr, Whole: [3][]microkernel{
		inStrips: {mr: down(mr, func(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int,
			add bool) {
			called.Store(true)
			for i := range mr {
				for j := range nr {
					var s float32
					for l := range k {
						s += a[l*mr+i] * b[l*ldb+j]
					}
					if add {
						s += c[i*ldc+j]
					}
					c[i*ldc+j] = s
				}
			}
		})},
	}})}
	best = one
	kernel.Inherit(&best, plain)
	for _, d := range [][3]int{{1, 1, 1}, {5, 5, 8}, {21, 17, 40}, {300, 40, 100}, {2*mr + 3, KC + 9, nr + 5}} {
		for v := range 8 {
			testMul(t, d, v&1 != 0, v&2 != 0, v&4 != 0)
		}
	}
	if !called.Load() {
		t.Error("the set's own microkernel was not called")
	}
}
