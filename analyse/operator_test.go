package analyse

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// ‖L‖² and the energies of the nearest convolutions are those of brute force, for all queries and away from borders;
// what is left is what the nearest convolution is away.
func TestNormAndPythagoras(t *testing.T) {
	for _, g := range []Grid{{Rows: 5, Cols: 4}, {Rows: 1, Cols: 9}, {Rows: 4, Cols: 4}, {Rows: 9, Cols: 9}} {
		l := randomLayer(3, g, 4, 3, 2)
		o, d := measured(t, l), operatorOf(l)
		for margin := range 2 {
			if g.Rows <= 2*margin {
				continue
			}
			norm, kernel := d.distance(margin, -1, nil), d.nearest(margin)
			s, err := o.Shares(margin)
			if err != nil {
				t.Fatal(err)
			}
			if margin == 0 {
				near(t, "‖L‖²/brute force", o.Norm()/norm, 1, 1e-12)
			}
			sum := 0.0
			for i, v := range s.List() {
				if sum += v; v < 0 {
					t.Errorf("%v, margin %d: share %d is %g", g, margin, i, v)
				}
			}
			near(t, "sum of shares", sum, 1, 1e-12)
			for _, k := range []int{1, 3, 5, 7, 99} {
				near(t, "share within K", s.Within(k), 1-d.distance(margin, k/2, kernel)/norm, 1e-12)
			}
			near(t, "place", s.Place, d.distance(margin, 99, kernel)/norm, 1e-12)
		}
		for _, k := range []int{1, 3, 5, 7} {
			if c, err := o.Interior(k); err == nil {
				norm, kernel := d.distance(k/2, -1, nil), d.nearest(k/2)
				near(t, "interior", c, 1-d.distance(k/2, k/2, kernel)/norm, 1e-12)
			} else if min(g.Rows, g.Cols) >= k {
				t.Error(err)
			}
		}
	}
}

// Kernel is the mean along diagonals, and any other kernel D away is Σ N_δ‖D_δ‖² further from the layer.
func TestNoOtherKernelIsNearer(t *testing.T) {
	l := randomLayer(5, Grid{Rows: 4, Cols: 6}, 3, 2, 2)
	o, d := measured(t, l), operatorOf(l)
	kernel, best := map[[2]int][]float64{}, d.nearest(0)
	w := o.Kernel(5)
	if len(w.Shifts) != 25 || w.Shifts[0] != (Shift{}) || w.Shifts[1] != (Shift{-1, -1}) ||
		w.Shifts[9] != (Shift{-2, -2}) {
		t.Fatalf("shifts %v: want rings", w.Shifts)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for i, s := range w.Shifts {
		for j, v := range w.Maps[i] {
			near(t, "Ŵ", v, best[s][j], 1e-13)
		}
	}
	least := d.distance(0, 2, best)
	for range 5 {
		further := 0.0
		for i, s := range w.Shifts {
			off := normals(rng, 4)
			kernel[s] = make([]float64, 4)
			for j := range off {
				kernel[s][j] = w.Maps[i][j] + off[j]
				further += float64((4-max(s[0], -s[0]))*(6-max(s[1], -s[1]))) * off[j] * off[j]
			}
		}
		near(t, "distance of another kernel", d.distance(0, 2, kernel)/(least+further), 1, 1e-12)
	}
	if got := len(o.Kernel(0).Shifts); got != 7*11 {
		t.Errorf("the largest kernel has %d shifts, want 7 × 11", got)
	}
}

func TestConvolutionsHaveShareOne(t *testing.T) {
	for k, share := range map[int]func(Shares) float64{
		1: func(s Shares) float64 { return s.K1 }, 3: func(s Shares) float64 { return s.K1 + s.K3 },
		5: func(s Shares) float64 { return s.K1 + s.K3 + s.K5 },
		7: func(s Shares) float64 { return 1 - s.Larger - s.Place },
		9: func(s Shares) float64 { return 1 - s.Place },
	} {
		l, err := Convolution(Grid{Rows: 8, Cols: 8}, kernelOf(k, false), Zeros)
		if err != nil {
			t.Fatal(err)
		}
		o := measured(t, l)
		s, _ := o.Shares(0)
		near(t, "share of a convolution with zero borders", share(s), 1, 1e-12)
		if s.Place > 1e-12 || k > 1 && k < 9 && s.List()[k/2] < 0.1 {
			t.Errorf("%d × %d: %+v", k, k, s)
		}
		if got := o.Reach(1); got != k {
			t.Errorf("%d × %d: reach %d", k, k, got)
		}
		for i, m := range o.Kernel(k).Maps {
			for j, v := range m {
				near(t, "Ŵ of a convolution", v, l.Maps[i][j], 1e-13)
			}
		}
	}
}

// Replicated edges are no convolution with zero borders there. Of orthonormal maps on 8 × 8 tokens,
// ‖L‖² = 9·64, and e(Δ₃) counts the 484 pairs and those that the edge moves: 4 heads along an axis with 64·(8/64)², 4
// along a diagonal with 2·56·(7/56)² + 64·(1/64)².
func TestReplicatedEdges(t *testing.T) {
	l, err := Convolution(Grid{Rows: 8, Cols: 8}, kernelOf(3, true), Replicate)
	if err != nil {
		t.Fatal(err)
	}
	o := measured(t, l)
	s, _ := o.Shares(0)
	near(t, "first share", s.K1+s.K3, (484+4*1+4*(2*56/64.+1/64.))/576, 1e-12)
	near(t, "first share to two digits", s.K1+s.K3, 0.86, 0.005)
	inner, _ := o.Shares(1)
	near(t, "share of interior queries", inner.K1+inner.K3, 1, 1e-12)
	c, _ := o.Interior(3)
	near(t, "interior", c, 1, 1e-12)
	if c, _ := o.Interior(1); c > 0.2 {
		t.Errorf("1 × 1 has %.2f of a 3 × 3", c)
	}
}

// A uniform head has p̄ = 1/T, so e(Δ) = Σ N_δ/T²·‖W‖², and ‖L‖² = ‖W‖².
func TestUniformHead(t *testing.T) {
	g := Grid{Rows: 8, Cols: 6}
	o := measured(t, Layer{Grid: g, In: 1, Out: 2, Attention: [][]float64{uniform(g)}, Maps: [][]float64{{3, -4}}})
	s, _ := o.Shares(0)
	near(t, "‖L‖²", o.Norm(), 25, 1e-12)
	along := func(n, reach int) float64 { // Σ over |d| ≤ reach of n - |d|
		sum := 0
		for d := -reach; d <= reach; d++ {
			sum += max(0, n-max(d, -d))
		}
		return float64(sum)
	}
	for k := 1; k <= 7; k += 2 {
		near(t, "uniform", s.Within(k), along(8, k/2)*along(6, k/2)/(48*48), 1e-12)
	}
	near(t, "place", s.Place, 0, 1e-12) // it depends on no place: 1/T at every shift of the grid
}

// An absolute head depends on the place: every query attends to token 0.
func TestAbsoluteHeadDependsOnThePlace(t *testing.T) {
	g := Grid{Rows: 4, Cols: 4}
	p := make([]float64, 256)
	for q := range 16 {
		p[q*16] = 1
	}
	s, _ := measured(t, Layer{Grid: g, In: 1, Out: 1, Attention: [][]float64{p}, Maps: [][]float64{{1}}}).Shares(0)
	want := 0.0 // one query of N_δ has each shift: Σ 1/N_δ over the shifts up and left
	for y := range 4 {
		for x := range 4 {
			want += 1 / float64((4-y)*(4-x))
		}
	}
	near(t, "place", s.Place, 1-want/16, 1e-12)
}

func TestReach(t *testing.T) {
	w := kernelOf(5, true) // 1 of 3 × 3, the rest in the ring of 5 × 5
	o := measured(t, must(Convolution(Grid{Rows: 9, Cols: 9}, w, Circular)))
	rings := func(k int) float64 { s, _ := o.Shares(0); return s.Within(k) / (1 - s.Place) }
	for fraction, want := range map[float64]int{rings(1) * 0.99: 1, rings(1) * 1.01: 3, rings(3): 3,
		rings(3) * 1.01: 5} {
		if got := o.Reach(fraction); got != want {
			t.Errorf("reach of %.3f is %d, want %d", fraction, got, want)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestRefusedLayers(t *testing.T) {
	good := randomLayer(1, Grid{Rows: 2, Cols: 2}, 2, 1, 1)
	for _, tt := range []struct {
		name string
		spot func(l *Layer)
		want string
	}{
		{"no tokens", func(l *Layer) { l.Grid = Grid{Rows: 0, Cols: 5} }, "grid: 0 × 5 tokens"},
		{"negative", func(l *Layer) { l.Grid = Grid{Rows: -2, Cols: -2} }, "grid"},
		{"overflow", func(l *Layer) { l.Grid = Grid{Rows: 1 << 40, Cols: 1 << 40} }, "grid"},
		{"no heads", func(l *Layer) { l.Attention, l.Maps = nil, nil }, "attention: 0 heads"},
		{"fewer maps", func(l *Layer) { l.Maps = l.Maps[:1] }, "maps: 1 for 2 heads"},
		{"no channels", func(l *Layer) { l.Out = 0 }, "1 × 0 channels"},
		{"ragged map", func(l *Layer) { l.Maps[1] = []float64{1, 2} }, "head 2 has 2 elements, want 1 × 1"},
		{"map not finite", func(l *Layer) { l.Maps[1] = []float64{math.Inf(1)} }, "head 2: element 0 is +Inf"},
		{"ragged attention", func(l *Layer) { l.Attention[1] = l.Attention[1][:15] },
			"head 2 has 15 elements, want 4 × 4"},
		{"NaN", func(l *Layer) { l.Attention[0][5] = math.NaN() }, "head 1, query 1, key 1: NaN is no probability"},
		{"negative", func(l *Layer) { l.Attention[0][5] = -0.5 }, "-0.5 is no probability"},
		{"rows", func(l *Layer) { l.Attention[0] = make([]float64, 16) }, "query 0: the row adds up to 0, want 1"},
		{"more than 1", func(l *Layer) { l.Padded = true; l.Attention[0][0], l.Attention[0][1] = 0.9, 0.9 },
			"adds up to"},
		{"zero", func(l *Layer) { l.Maps = [][]float64{{0}, {0}} }, "the operator is zero"},
		{"too much", func(l *Layer) {
			l.In, l.Out = 1<<14, 1<<14
			l.Attention = make([][]float64, 999)
			l.Maps = make([][]float64, 999)
		}, "too much"},
	} {
		l := randomLayer(1, good.Grid, 2, 1, 1)
		tt.spot(&l)
		var bad *Error
		if _, err := NewOperator(l); !errors.As(err, &bad) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want an *Error with %q", tt.name, err, tt.want)
		}
	}
	o := measured(t, good)
	for name, err := range map[string]error{
		"margin": second(o.Shares(1)), "negative margin": second(o.Shares(-1)), "even k": second(o.Interior(2)),
		"k": second(o.Interior(3)), "draws": second(o.TokensShuffled(0, 1)),
		"too many draws": second(o.MapsShuffled(1<<30, 1)),
		"taps":           second(Taps(Grid{}, nil, Zeros)), "gaussian": second(Gaussian(Grid{Rows: 2, Cols: 2},
			[2]float64{math.NaN()},
			[2][2]float64{})),
	} {
		var bad *Error
		if !errors.As(err, &bad) {
			t.Errorf("%s: %v, want an *Error", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }
