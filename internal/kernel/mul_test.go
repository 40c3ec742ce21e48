package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// use makes s the set in use for the rest of the test.
func use(t testing.TB, s Set) {
	if !s.OK() {
		t.Skipf("%s: not on this CPU", s.Name)
	}
	before := best
	best = s
	t.Cleanup(func() { best = before })
}

// guarded returns n random numbers with NaN on both sides: a stray read poisons the result, a stray write is seen by
// intact.
func guarded(n int, seed uint64) []float32 {
	rng := rand.New(rand.NewPCG(seed, 0))
	buf := make([]float32, n+2*guard)
	for i := range buf {
		buf[i] = float32(math.NaN())
		if guard <= i && i < guard+n {
			buf[i] = rng.Float32() - 0.5
		}
	}
	return buf[guard : guard+n]
}

const guard = 32

// intact reports whether the NaN on both sides of s are still there.
func intact(s []float32) bool {
	buf := s[:len(s)+guard]
	for _, v := range buf[len(s):] {
		if v == v {
			return false
		}
	}
	return true
}

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
	if m.turned {
		i, j = j, i
	}
	return m.data[i*m.stride+j]
}

// inside makes a rows × cols matrix, transposed or not, within a wider one.
func inside(rows, cols int, turned bool, seed uint64) (m Mat, all []float32) {
	r, c := rows, cols
	if turned {
		r, c = cols, rows
	}
	all = guarded(r*(c+3), seed)
	m = Matrix(all, r, c+3).Block(0, 2, r, c)
	if turned {
		m = m.T()
	}
	return m, all
}

func TestMul(t *testing.T) {
	shapes := [][3]int{{1, 1, 1}, {6, 8, 16}, {7, 9, 17}, {5, 1, 31}, {13, 16, 48}, {100, 50, 70}, {97, 801, 33},
		{16, 400, 16}, {16, 16, 100}, {150, 13, 250}, {3, 0, 5}, {31, 24, 64}, {300, 40, 520},
		{5, 9, blockCols + 40}, {fewRows + 6, 20, 40}, {fewRows + 6, depth + 10, 20}, {3, 2*depth + 10, 3000}}
	for _, s := range sets {
		t.Run(s.Name, func(t *testing.T) {
			use(t, s)
			for _, d := range shapes {
				for v := range 8 {
					testMul(t, d, v&1 != 0, v&2 != 0, v&4 != 0)
				}
			}
		})
	}
}

// testMul holds every way to multiply matrices within wider ones against the definition.
func testMul(t *testing.T, d [3]int, turnA, turnB, add bool) {
	t.Helper()
	a, _ := inside(d[0], d[1], turnA, 1)
	b, _ := inside(d[1], d[2], turnB, 2)
	before, all := inside(d[0], d[2], false, 3)
	want := plainMul(before, a, b, add)
	ways := map[string]func(c Mat){
		"any":    func(c Mat) { mul(c, a, b, add, nil) },
		"serial": func(c Mat) { mulSerial(c, a, b, add) },
	}
	if d[1] > 0 {
		ways["parallel"] = func(c Mat) { mulParallel(c, a, b, add, nil) }
	}
	if !turnB {
		ways["small"] = func(c Mat) {
			var left Left
			left.Pack(a, nil)
			MulLeft(c, &left, b, add)
		}
	}
	ways["packed"] = func(c Mat) {
		var left Left
		var right Right
		left.Pack(a, make([]float32, d[0]*d[1]))
		right.Pack(b, make([]float32, RightSize(d[1], d[2])))
		for j := 0; j < d[2]; j += 2 * widest { // in pieces, as columns of a packed matrix are used
			n := min(2*widest, d[2]-j)
			part := right.Cols(j, n)
			MulPacked(c.Block(0, j, d[0], n), &left, &part, add)
		}
	}
	for way, f := range ways {
		c, got := inside(d[0], d[2], false, 3)
		f(c)
		name := fmt.Sprintf("%s %v turned %t %t add %t", way, d, turnA, turnB, add)
		checkMul(t, name, c, want, got, all, d[1])
	}
}

// MulLefts is MulLeft for one part after the other.
func TestMulLefts(t *testing.T) {
	for _, s := range sets {
		t.Run(s.Name, func(t *testing.T) {
			use(t, s)
			const rows, k, n, ld, parts = 5, 7, 45, 48, 3
			const step = k * ld
			a, b := newFence(rows*k, 1), newFence(parts*step, 2)
			var left Left
			left.Pack(Matrix(a.in, rows, k), nil)
			c := make([]float32, parts*step)
			MulLefts(c, &left, b.in, n, ld, parts, step)
			for p := range parts {
				want := make([]float32, rows*ld)
				part := Matrix(b.in[p*step:][:step], k, ld)
				MulLeft(Matrix(want, rows, ld).Block(0, 0, rows, n), &left, part.Block(0, 0, k, n), false)
				if !slices.Equal(c[p*step:][:rows*ld], want) {
					t.Errorf("part %d is not its product, or more was written", p)
				}
			}
		})
	}
}

// checkMul compares c with want, and what lies around c with what was there.
func checkMul(t *testing.T, name string, c Mat, want, all, before []float32, k int) {
	t.Helper()
	for i := range c.rows {
		for j := range c.cols {
			got, want := at(c, i, j), want[i*c.cols+j]
			if !(math.Abs(float64(got-want)) <= 1e-6*(1+math.Sqrt(float64(k)))) {
				t.Fatalf("%s: c[%d,%d] = %v, want %v", name, i, j, got, want)
			}
		}
	}
	for i, v := range all {
		if col := i % (c.cols + 3); (col < 2 || col >= c.cols+2) && v != before[i] {
			t.Fatalf("%s: wrote outside of c, at %d", name, i)
		}
	}
	if !intact(all) {
		t.Fatalf("%s: wrote behind c", name)
	}
}

// Any shape, any view, any set.
func TestMulProperty(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := rapid.SampledFrom(sets).Draw(r, "set")
		if !s.OK() {
			return
		}
		before := best
		best = s
		defer func() { best = before }()
		size := rapid.IntRange(0, 70)
		m, k, n := size.Draw(r, "m"), rapid.IntRange(0, 900).Draw(r, "k"), size.Draw(r, "n")
		a, _ := inside(m, k, rapid.Bool().Draw(r, "a turned"), 1)
		b, _ := inside(k, n, rapid.Bool().Draw(r, "b turned"), 2)
		c, _ := inside(m, n, false, 3)
		add := rapid.Bool().Draw(r, "add")
		want := plainMul(c, a, b, add)
		if m*k*n > 0 && rapid.Bool().Draw(r, "parallel") {
			mulParallel(c, a, b, add, nil)
		} else {
			mul(c, a, b, add, nil)
		}
		for i := range m {
			for j := range n {
				if d := math.Abs(float64(at(c, i, j) - want[i*n+j])); !(d <= 1e-6*(1+math.Sqrt(float64(k)))) {
					r.Fatalf("c[%d,%d] = %v, want %v", i, j, at(c, i, j), want[i*n+j])
				}
			}
		}
	})
}

// Whatever the number of threads, the bytes are the same; and so are they for the same rows in a larger product.
func TestMulThreads(t *testing.T) {
	defer SetThreads(0)
	for _, d := range [][3]int{{500, 300, 90}, {40, 2000, 500}, {700, 64, 64}, {2 * fewRows, 500, 50}} {
		a, b := Matrix(guarded(d[0]*d[1], 1), d[0], d[1]), Matrix(guarded(d[1]*d[2], 2), d[1], d[2])
		var first []float32
		for _, n := range []int{1, 2, 3, 4, 7} {
			SetThreads(n)
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

func TestMulEach(t *testing.T) {
	a, b := Matrix(guarded(400*30, 1), 400, 30), Matrix(guarded(30*50, 2), 30, 50)
	data, seen := make([]float32, 400*50), make([]int32, 400*50)
	c := Matrix(data, 400, 50)
	want := plainMul(c, a, b, false)
	MulEach(c, a, b, func(i, j, rows, cols int) {
		for r := i; r < i+rows; r++ {
			for q := j; q < j+cols; q++ {
				seen[r*50+q]++
				data[r*50+q] *= 2
			}
		}
	})
	for i, n := range seen {
		if n != 1 || math.Abs(float64(data[i]-2*want[i])) > 1e-5 {
			t.Fatalf("number %d: finished %d times, is %v, want %v", i, n, data[i], 2*want[i])
		}
	}
}

// Products on one goroutine are called many times a step: once the pools are filled they allocate nothing.
func TestMulSerialDoesNotAllocate(t *testing.T) {
	a, b := Matrix(guarded(17*20, 1), 17, 20), Matrix(guarded(20*75, 2), 20, 75)
	c := Matrix(make([]float32, 17*75), 17, 75)
	var left Left
	left.Pack(a, nil)
	for name, f := range map[string]func(){
		"MulSerial": func() { MulSerial(c, a, b) },
		"MulLeft":   func() { MulLeft(c, &left, b, false) },
		"MulLefts":  func() { MulLefts(c.data, &left, b.data, 75, 75, 1, 0) },
	} {
		if n := testing.AllocsPerRun(100, f); n > 0 && !raceDetector {
			t.Errorf("%s allocates %v times a call", name, n)
		}
	}
}
