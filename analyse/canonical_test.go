package analyse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/posenc/geometry"
)

// product is a·b by its definition, of (rows, inner) and (inner, cols).
func product(a, b []float64, rows, inner, cols int) []float64 {
	c := make([]float64, rows*cols)
	for i := range rows {
		for j := range cols {
			for k := range inner {
				c[i*cols+j] += a[i*inner+k] * b[k*cols+j]
			}
		}
	}
	return c
}

// centering is C = 1 - 𝟏𝟏ᵀ/n as a matrix.
func centering(n int) []float64 {
	c := make([]float64, n*n)
	for i := range c {
		c[i] = -1 / float64(n)
		if i%n == i/n {
			c[i]++
		}
	}
	return c
}

// gauges are of each kind, for a layer of as many channels as patch has columns.
func gauges(in int) map[string]Gauge {
	rng := rand.New(rand.NewPCG(9, 9))
	gamma := make([]float64, in)
	for i := range gamma {
		gamma[i] = 0.3 + rng.Float64()*float64(1+i)
	}
	pixels := normals(rng, 2*in)
	return map[string]Gauge{"none": {}, "output": {Center: true}, "input": {Gamma: gamma},
		"post-norm": {Gamma: gamma, Center: true}, "first": {Pixels: pixels, Center: true},
		"pre-norm, first": {Gamma: gamma, Pixels: pixels, Center: true}}
}

// The canonical maps are R·W·C, with the matrices written out. In and out differ, so that no factor fits elsewhere.
func TestCanonicalMapsAreTheProduct(t *testing.T) {
	const in, out = 5, 3
	for name, g := range gauges(in) {
		l := randomLayer(2, Grid{Rows: 3, Cols: 4}, 3, in, out)
		canonical, err := g.Layer(l)
		if err != nil {
			t.Fatal(err)
		}
		for h, w := range l.Maps {
			rows := in
			if g.Gamma != nil {
				diagonal := make([]float64, in*in)
				for i, v := range g.Gamma {
					diagonal[i*in+i] = v
				}
				w = product(centering(in), product(diagonal, w, in, in, out), in, in, out)
			}
			if g.Pixels != nil {
				w, rows = product(g.Pixels, w, 2, in, out), 2
			}
			if g.Center {
				w = product(w, centering(out), rows, out, out)
			}
			if canonical.In != rows || canonical.Out != out || len(canonical.Maps[h]) != rows*out {
				t.Fatalf("%s: %d × %d maps of %d elements", name, canonical.In, canonical.Out, len(canonical.Maps[h]))
			}
			for i, v := range w {
				near(t, name, canonical.Maps[h][i], v, 1e-13)
			}
		}
	}
}

// transformed returns l after a random gauge transformation of each kind that g hides.
func transformed(l Layer, g Gauge, rng *rand.Rand) Layer {
	maps := make([][]float64, len(l.Maps))
	v := make([]float64, l.In) // what a change of the input may read
	switch {
	case g.Pixels != nil: // v with U·C·diag(γ)·v = 0: what is left of a random vector behind U's rows
		rows := [][]float64{}
		for at := 0; at < len(g.Pixels); at += l.In {
			row := append([]float64{}, g.Pixels[at:at+l.In]...)
			if g.Gamma != nil {
				row = product(row, centering(l.In), 1, l.In, l.In)
				for i := range row {
					row[i] *= g.Gamma[i]
				}
			}
			for _, r := range rows {
				along := dot(row, r) / dot(r, r)
				for i := range row {
					row[i] -= along * r[i]
				}
			}
			rows = append(rows, row)
		}
		v = normals(rng, l.In)
		for _, r := range rows {
			along := dot(v, r) / dot(r, r)
			for i := range v {
				v[i] -= along * r[i]
			}
		}
	case g.Gamma != nil:
		for i := range v {
			v[i] = 1 / g.Gamma[i]
		}
	}
	for h, w := range l.Maps {
		a, b := normals(rng, l.In), normals(rng, l.Out)
		maps[h] = append([]float64{}, w...)
		for i := range w {
			if maps[h][i] += 2 * v[i/l.Out] * b[i%l.Out]; g.Center {
				maps[h][i] += 2 * a[i/l.Out]
			}
		}
	}
	l.Maps = maps
	return l
}

// Twelve gauge transformations of each kind leave shares, kernels, rank, leverage and p-values alone; the same numbers
// of the maps as they are change.
func TestGaugeTransformationsLeaveEveryNumberAlone(t *testing.T) {
	for name, g := range gauges(6) {
		rng := rand.New(rand.NewPCG(4, 4))
		l := randomLayer(7, Grid{Rows: 5, Cols: 5}, 4, 6, 4)
		want, raw := numbersOf(t, l, g), numbersOf(t, l, Gauge{})
		for range 12 {
			other := transformed(l, g, rng)
			for i, v := range numbersOf(t, other, g) {
				near(t, fmt.Sprintf("%s, number %d", name, i), v/want[i], 1, 1e-10)
			}
			if moved := math.Abs(numbersOf(t, other, Gauge{})[0]/raw[0] - 1); name != "none" && moved < 1e-3 {
				t.Errorf("%s: the transformation changes the first share by %g of itself only", name, moved)
			}
		}
	}
}

// numbersOf lists what is measured of a layer.
func numbersOf(t *testing.T, l Layer, g Gauge) (all []float64) {
	t.Helper()
	canonical, err := g.Layer(l)
	if err != nil {
		t.Fatal(err)
	}
	o := measured(t, canonical)
	s, _ := o.Shares(0)
	inside, _ := o.Interior(3)
	rank := o.Rank()
	all = append(append(s.List(), inside, o.Norm(), rank.Effective, float64(rank.For90), float64(o.Reach(0.9))),
		rank.Values[0])
	norms := o.KernelNorms()
	for _, shift := range geometry.Square(5) {
		all = append(all, norms[shift])
	}
	for _, null := range []Null{must(o.MapsShuffled(20, 1)), must(o.TokensShuffled(20, 1))} {
		b := null.Of(func(s Shares) float64 { return s.Within(3) })
		all = append(all, float64(b.Mean), b.P(s.Within(3)))
	}
	return all
}

// I + L has the layer's blocks, and the unit matrix for the token itself.
func TestWithResidual(t *testing.T) {
	l := randomLayer(3, Grid{Rows: 2, Cols: 3}, 2, 4, 4)
	sum, ok := l.WithResidual()
	if !ok || len(l.Maps) != 2 {
		t.Fatal("no residual, or the layer was changed")
	}
	want := operatorOf(l)
	for q := range 6 {
		for i := range 4 {
			want.block[q][q][i*4+i]++
		}
	}
	for q, row := range operatorOf(sum).block {
		for k, block := range row {
			for i, v := range block {
				near(t, "I + L", v, want.block[q][k][i], 1e-14)
			}
		}
	}
	if _, ok := randomLayer(3, Grid{Rows: 2, Cols: 3}, 2, 4, 3).WithResidual(); ok {
		t.Error("a layer of 4 × 3 channels was added to its input")
	}
}

func TestRefusedGauges(t *testing.T) {
	l := randomLayer(1, Grid{Rows: 2, Cols: 2}, 1, 3, 2)
	for want, g := range map[string]Gauge{
		"gamma: 2 for 3 channels":          {Gamma: []float64{1, 1}},
		"pixels: 4 elements for maps of 3": {Pixels: make([]float64, 4)},
		"gamma: element 1 is NaN":          {Gamma: []float64{1, math.NaN(), 1}},
		"pixels: element 2 is +Inf":        {Pixels: []float64{1, 1, math.Inf(1)}},
	} {
		if _, err := g.Layer(l); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Maps of any scale have the same shares, and no draw of a null is said to be zero.
func TestScaleOfTheMaps(t *testing.T) {
	l := randomLayer(5, Grid{Rows: 4, Cols: 4}, 3, 3, 2)
	want, _ := measured(t, l).Shares(0)
	for _, scale := range []float64{1e-160, 1e160, 1e300} {
		scaled := l
		scaled.Maps = nil
		for _, w := range l.Maps {
			m := make([]float64, len(w))
			for i, v := range w {
				m[i] = scale * v
			}
			scaled.Maps = append(scaled.Maps, m)
		}
		o := measured(t, scaled)
		s, err := o.Shares(0)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range s.List() {
			near(t, "share", v, want.List()[i], 1e-12)
		}
		if n, err := o.TokensShuffled(5, 1); err != nil || len(n.Draws) != 5 {
			t.Errorf("scale %g: %d draws, %v", scale, len(n.Draws), err)
		}
		near(t, "largest singular value", o.Rank().Values[0]/scale, measured(t, l).Rank().Values[0], 1e-12)
		near(t, "kernel", o.KernelNorms()[Shift{0, 1}]/scale, measured(t, l).KernelNorms()[Shift{0, 1}], 1e-12)
	}
}

// Attention in float32 is rounded. Two heads that differ only by rounding count as one.
func TestRankHasTheTolerancesOfTheSource(t *testing.T) {
	l := randomLayer(6, Grid{Rows: 4, Cols: 4}, 2, 3, 3)
	l.Attention[1] = make([]float64, len(l.Attention[0]))
	for i, v := range l.Attention[0] {
		l.Attention[1][i] = v * (1 + 1e-7*math.Cos(float64(i)))
	}
	for epsilon, want := range map[float64]int{0: 2, 0x1p-23: 1} {
		l.Epsilon = epsilon
		if got := measured(t, l).Leverage().Rank; got != want {
			t.Errorf("ε %g: rank %d, want %d", epsilon, got, want)
		}
	}
}
