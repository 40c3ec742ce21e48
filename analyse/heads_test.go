package analyse

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/posenc/geometry"
)

func gaussians(t *testing.T, g Grid, precision float64, centers ...[2]float64) Layer {
	t.Helper()
	l := Layer{Grid: g, In: 1, Out: len(centers)}
	for h, c := range centers {
		p, err := Gaussian(g, c, [2][2]float64{{precision, 0}, {0, precision}})
		if err != nil {
			t.Fatal(err)
		}
		m := make([]float64, len(centers))
		m[h] = 1
		l.Attention, l.Maps = append(l.Attention, p), append(l.Maps, m)
	}
	return l
}

func TestTapScore(t *testing.T) {
	g := Grid{Rows: 8, Cols: 8}
	w := kernelOf(3, true)
	for _, b := range []Border{Zeros, Replicate, Circular} {
		o := measured(t, must(Convolution(g, w, b)))
		score, f, ok := o.TapScore()
		near(t, "score of taps", score, 1, 1e-12)
		for h, s := range w.Shifts {
			if f[h] != s || !ok[h] {
				t.Errorf("border %d: head %d is the tap of %v, want %v", b, h, f[h], s)
			}
		}
	}
	// Two taps of one shift: one of them has to take another.
	twice := measured(t, must(Convolution(g, Kernel{1, 2, []Shift{{0, 1}, {0, 1}}, [][]float64{{1, 0}, {0, 1}}, nil},
		Circular)))
	score, _, _ := twice.TapScore()
	near(t, "two taps of one shift", score, 0.5, 1e-12)
	// Without the bound on shifts a wide head far outside of the grid would score on the one pair of a corner.
	far := measured(t, gaussians(t, g, 1, [2]float64{12, 12}))
	score, _, _ = far.TapScore()
	if corner := far.MeanByShift(0, Shift{7, 7}); corner < 0.99 || score > 0.15 {
		t.Errorf("a wide head far outside: %.3f at the pair of the corner, score %.3f", corner, score)
	}
	// More heads than shifts: a score of 1 if every shift has a tap.
	var many []Shift
	for range 2 {
		many = append(many, geometry.Square(3)...)
	}
	g = Grid{Rows: 3, Cols: 3}
	l := Layer{Grid: g, In: 1, Out: 1, Attention: must(Taps(g, many, Circular)),
		Maps: make([][]float64, 18)}
	for h := range l.Maps {
		l.Maps[h] = []float64{1}
	}
	score, _, ok := measured(t, l).TapScore()
	count := 0
	for _, has := range ok {
		count += btoi(has)
	}
	if near(t, "more heads than shifts", score, 1, 1e-12); count != 9 {
		t.Errorf("%d heads have a shift of 9", count)
	}
}

// The assignment is the best of all permutations.
func TestAssign(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		rows := 1 + rng.IntN(4)
		cols := rows + rng.IntN(3)
		gain := make([][]float64, rows)
		for i := range gain {
			for range cols {
				gain[i] = append(gain[i], float64(rng.IntN(7))) // with ties
			}
		}
		got, used := 0.0, map[int]bool{}
		for i, j := range assign(gain) {
			got += gain[i][j]
			used[j] = true
		}
		var best func(i int, taken int) float64
		best = func(i, taken int) float64 {
			if i == rows {
				return 0
			}
			top := math.Inf(-1)
			for j := range cols {
				if taken>>j&1 == 0 {
					top = max(top, gain[i][j]+best(i+1, taken|1<<j))
				}
			}
			return top
		}
		if want := best(0, 0); got != want || len(used) != rows {
			t.Fatalf("%v: an assignment of %v with %d columns, want %v", gain, got, len(used), want)
		}
	}
}

// Heads that are taps can express their shifts and no other; two heads whose difference is a tap can express it.
func TestLeverage(t *testing.T) {
	g := Grid{Rows: 6, Cols: 6}
	o := measured(t, must(Convolution(g, kernelOf(3, false), Zeros)))
	l := o.Leverage()
	sum := 0.0
	for s, v := range l.Of {
		sum += v
		if s.Side() <= 3 {
			near(t, "leverage of a tap", v, 1, 1e-12)
		}
	}
	near(t, "sum of leverage", sum, float64(l.Rank), 1e-9)
	if l.Rank != 9 {
		t.Errorf("rank %d of nine taps", l.Rank)
	}
	taps := must(Taps(g, []Shift{{0, 1}, {1, 0}}, Zeros))
	mixed := make([]float64, len(taps[0]))
	for i := range mixed {
		mixed[i] = (taps[0][i] + taps[1][i]) / 2
	}
	two := Layer{Grid: g, In: 1, Out: 1, Attention: [][]float64{taps[0], mixed, mixed},
		Maps: [][]float64{{1}, {1}, {1}}, Padded: true}
	l = measured(t, two).Leverage()
	near(t, "leverage of a tap", l.Of[Shift{0, 1}], 1, 1e-12)
	near(t, "leverage of what is left of a mixture", l.Of[Shift{1, 0}], 1, 1e-12)
	near(t, "leverage elsewhere", l.Of[Shift{0, 0}], 0, 1e-12)
	if l.Rank != 2 {
		t.Errorf("rank %d of two heads and a copy", l.Rank)
	}
	half := two
	half.Attention, half.Maps = half.Attention[1:2], half.Maps[:1]
	near(t, "leverage of one of two shifts", measured(t, half).Leverage().Of[Shift{0, 1}], 0.5, 1e-12)
}

// σ² are the eigenvalues of MᵀM, by power sums: Σσ² = tr MMᵀ, Σσ⁴ = ‖MMᵀ‖².
func TestRank(t *testing.T) {
	l := randomLayer(9, Grid{Rows: 4, Cols: 5}, 4, 3, 2)
	r := measured(t, l).Rank()
	kernel := operatorOf(l).nearest(0)
	var squares, fourth float64
	for _, a := range kernel {
		for i := range a {
			squares += a[i] * a[i]
		}
		for _, b := range kernel {
			product := 0.0
			for i := range a {
				product += a[i] * b[i]
			}
			fourth += product * product
		}
	}
	var got2, got4 float64
	for _, v := range r.Values {
		got2, got4 = got2+v*v, got4+v*v*v*v
	}
	near(t, "Σσ²", got2/squares, 1, 1e-12)
	near(t, "Σσ⁴", got4/fourth, 1, 1e-12)
	near(t, "effective", r.Effective, squares*squares/fourth, 1e-9)
	r = measured(t, must(Convolution(Grid{Rows: 8, Cols: 8}, kernelOf(3, true), Zeros))).Rank()
	near(t, "effective number of nine equal ones", r.Effective, 9, 1e-9)
	if r.For90 != 9 || r.For99 != 9 || len(r.Values) != 9 {
		t.Errorf("%+v", r)
	}
	w := kernelOf(3, true)
	w.Maps[4][4] = 10 // 100 of 108
	if r = measured(t, must(Convolution(Grid{Rows: 8, Cols: 8}, w, Zeros))).Rank(); r.For90 != 1 || r.For99 != 8 {
		t.Errorf("one large map of nine: %d for 90 %%, %d for 99 %%", r.For90, r.For99)
	}
}

func TestGeometry(t *testing.T) {
	g := Grid{Rows: 9, Cols: 9}
	o := measured(t, must(Convolution(g, Kernel{1, 2, []Shift{{0, 2}, {-1, 0}}, [][]float64{{1, 0}, {0, 1}}, nil},
		Zeros)))
	m := o.Geometry()
	if m[0].Center != [2]float64{0, 2} || m[0].Radius != 0 || m[0].Half != 0 || m[0].Peak != (Shift{0, 2}) ||
		m[0].PeakMean != 1 {
		t.Errorf("a tap: %+v", m[0])
	}
	near(t, "attention distance of a tap", m[0].Distance, 2, 1e-12)
	near(t, "attention distance of another", m[1].Distance, 1, 1e-12)
	// By brute force over queries and keys: 1/T Σ_q Σ_k P_qk‖δ‖, and the second moment.
	l := gaussians(t, g, 0.5, [2]float64{1, -0.5})
	m = measured(t, l).Geometry()
	var distance, cy, cx, square float64
	for q := range 81 {
		for k := range 81 {
			dy, dx := float64(k/9-q/9), float64(k%9-q%9)
			p := l.Attention[0][q*81+k] / 81
			distance += p * math.Sqrt(dy*dy+dx*dx)
			cy, cx, square = cy+p*dy, cx+p*dx, square+p*(dy*dy+dx*dx)
		}
	}
	near(t, "distance", m[0].Distance, distance, 1e-12)
	near(t, "center", m[0].Center[0], cy, 1e-12)
	near(t, "center", m[0].Center[1], cx, 1e-12)
	near(t, "radius", m[0].Radius, math.Sqrt(square-cy*cy-cx*cx), 1e-12)
	within := 0.0 // the least radius with half of the attention has it, and anything less has not
	less := 0.0
	for q := range 81 {
		for k := range 81 {
			r := math.Hypot(float64(k/9-q/9)-cy, float64(k%9-q%9)-cx)
			if r <= m[0].Half+1e-9 {
				within += l.Attention[0][q*81+k] / 81
			}
			if r < m[0].Half-1e-9 {
				less += l.Attention[0][q*81+k] / 81
			}
		}
	}
	if within < 0.5 || less >= 0.5 {
		t.Errorf("radius %.2f has %.3f of the attention, less has %.3f", m[0].Half, within, less)
	}
}
