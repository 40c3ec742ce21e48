package analyse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// borderReads is what each border reads at a place along an axis of n tokens, -1 for nothing.
var borderReads = map[Border]func(at, n int) int{
	Zeros: func(at, n int) int {
		if at < 0 || at >= n {
			return -1
		}
		return at
	},
	Replicate: func(at, n int) int {
		for at < 0 {
			at++
		}
		for at >= n {
			at--
		}
		return at
	},
	Circular: func(at, n int) int {
		for at < 0 {
			at += n
		}
		return at % n
	},
}

// nearestShare is the share of ‖L‖² of the nearest K × K convolution with a border, and the number of independent
// operators S_δ: a projection of each element of the blocks on all S_δ as vectors of T² elements, orthonormalized twice
// by Gram and Schmidt.
func (d dense) nearestShare(b Border, k int) (share float64, rank int) {
	n := d.rows * d.cols
	var basis [][]float64
	for dy := -k / 2; dy <= k/2; dy++ {
		for dx := -k / 2; dx <= k/2; dx++ {
			s, some := make([]float64, n*n), false
			for q := range n {
				y, x := borderReads[b](q/d.cols+dy, d.rows), borderReads[b](q%d.cols+dx, d.cols)
				if y >= 0 && x >= 0 {
					s[q*n+y*d.cols+x], some = 1, true
				}
			}
			for range 2 {
				for _, e := range basis {
					inner := 0.0
					for i, v := range e {
						inner += v * s[i]
					}
					for i, v := range e {
						s[i] -= inner * v
					}
				}
			}
			norm := 0.0
			for _, v := range s {
				norm += v * v
			}
			if !some || norm < 1e-18 {
				continue
			}
			for i := range s {
				s[i] /= math.Sqrt(norm)
			}
			basis = append(basis, s)
		}
	}
	for _, e := range basis {
		for c := range d.width {
			inner := 0.0
			for i, v := range e {
				if v != 0 {
					inner += v * d.block[i/n][i%n][c]
				}
			}
			share += inner * inner
		}
	}
	return share / d.distance(0, -1, nil), len(basis)
}

// The shares for each border are those of plain projections, for any attention: of soft heads and of a hard one that
// leaves the grid, of one head, of maps that cancel, on grids of any form.
func TestBorderSharesAreProjections(t *testing.T) {
	for _, tt := range []struct{ rows, cols, heads int }{{4, 4, 3}, {3, 5, 4}, {6, 2, 2}, {2, 2, 2}, {1, 7, 3},
		{30, 1, 2}, {7, 6, 1}, {1, 1, 1}} {
		g := Grid{Rows: tt.rows, Cols: tt.cols}
		l := randomLayer(11, g, tt.heads, 2, 2)
		hard, err := Taps(g, []Shift{{g.Rows - 1, -(g.Cols - 1) / 2}}, Replicate)
		if err != nil {
			t.Fatal(err)
		}
		l.Attention[0] = hard[0]
		canceled := l
		canceled.Attention = append([][]float64{uniform(g), uniform(g)}, l.Attention...)
		canceled.Maps = append([][]float64{{1, 2, 3, 4}, {-1, -2, -3, -4}}, l.Maps...)
		o, without, d := measured(t, l), measured(t, canceled), operatorOf(l)
		for _, b := range []Border{Zeros, Replicate, Circular} {
			s, rest := o.BorderShares(b), without.BorderShares(b)
			if all, err := o.Shares(0); err != nil || b == Zeros && s != all {
				t.Errorf("%v: with zeros %+v, want %+v; %v", g, s, all, err)
			}
			for _, k := range []int{1, 3, 5, 7, 99} {
				what := fmt.Sprintf("%v, border %d, K %d", g, b, k)
				want, rank := d.nearestShare(b, min(k, g.Side()))
				near(t, what, s.Within(k), want, 1e-9)
				near(t, what+", two heads that cancel", rest.Within(k), want, 1e-9)
				if k == 99 {
					near(t, what+": place", s.Place, 1-want, 1e-9)
					pairs := float64(g.Tokens() * g.Tokens())
					near(t, what+": chance", b.Chance(g), float64(rank)/pairs, 1e-15)
				}
			}
		}
	}
}

// A tap at (3, 0) on 8 × 8 tokens repeats the last row of tokens: five rows of tokens read the shift (3, 0), and one
// each (2, 0), (1, 0) and (0, 0). With zeros, these shifts are in 5, 6, 7 and 8 rows, and around the grid in 8 each.
func TestBordersOfATap(t *testing.T) {
	g := Grid{Rows: 8, Cols: 8}
	head, err := Taps(g, []Shift{{3, 0}}, Replicate)
	if err != nil {
		t.Fatal(err)
	}
	o := measured(t, Layer{Grid: g, In: 1, Out: 1, Attention: head, Maps: [][]float64{{-2}}})
	near(t, "repeated edges", 1-o.BorderShares(Replicate).Place, 1, 1e-12)
	near(t, "repeated edges, 7 × 7", o.BorderShares(Replicate).Within(7), 1, 1e-12)
	near(t, "zeros", 1-o.BorderShares(Zeros).Place, (5.+1./6+1./7+1./8)/8, 1e-12)
	near(t, "around", 1-o.BorderShares(Circular).Place, (25+1+1+1)/64., 1e-12)
	near(t, "chance, repeated", Replicate.Chance(g), 225./4096, 1e-15)
	near(t, "chance, zeros", Zeros.Chance(g), 225./4096, 1e-15)
	near(t, "chance, around", Circular.Chance(g), 64./4096, 1e-15)
}

// A convolution has share 1 for its own border and its own size, and less for other borders and smaller sizes. Around
// the grid it is one with zeros as well, as large as the grid: a shift by i reads what i and i - n read with zeros.
func TestBordersOfConvolutions(t *testing.T) {
	for _, b := range []Border{Zeros, Replicate, Circular} {
		for _, k := range []int{1, 3, 5, 7} {
			l, err := Convolution(Grid{Rows: 8, Cols: 6}, kernelOf(k, false), b)
			if err != nil {
				t.Fatal(err)
			}
			o := measured(t, l)
			for _, other := range []Border{Zeros, Replicate, Circular} {
				s := o.BorderShares(other)
				if got := s.Within(k); math.Abs(got-1) > 1e-12 == (other == b || k == 1) {
					t.Errorf("border %d, %d × %d: share %v for border %d", b, k, k, got, other)
				}
				if other == b && k > 1 && s.Within(k-2) > 0.99 {
					t.Errorf("border %d: a smaller kernel than %d × %d has %v", b, k, k, s.Within(k-2))
				}
			}
			if b == Circular {
				near(t, "around the grid, with zeros", 1-o.BorderShares(Zeros).Place, 1, 1e-12)
			}
		}
	}
}

// Isotropic Gaussian heads are near one of the two borders whatever their places, widths and maps are.
func TestGaussianHeadsAreNearABorder(t *testing.T) {
	rng, g, low, least := rand.New(rand.NewPCG(1, 1)), Grid{Rows: 8, Cols: 8}, 0, 1.0
	const layers = 200
	for i := range layers {
		l := Layer{Grid: g, In: 1, Out: 9}
		for range 9 {
			width, away := 0.3*math.Pow(20, rng.Float64()), float64(1+i%3)
			p, err := Gaussian(g, [2]float64{away * rng.NormFloat64(), away * rng.NormFloat64()},
				[2][2]float64{{1 / width / width, 0}, {0, 1 / width / width}})
			if err != nil {
				t.Fatal(err)
			}
			l.Attention, l.Maps = append(l.Attention, p), append(l.Maps, normals(rng, 9))
		}
		o := measured(t, l)
		better := 1 - min(o.BorderShares(Zeros).Place, o.BorderShares(Replicate).Place)
		if least = min(least, better); better < 0.87 {
			low++
		}
	}
	if low > layers/40 {
		t.Errorf("%d of %d layers have less than 87 %%, the least %.2f", low, layers, least)
	}
	corner, err := Gaussian(g, [2]float64{8, 8}, [2][2]float64{{1. / 16, 0}, {0, 1. / 16}})
	if err != nil {
		t.Fatal(err)
	}
	o := measured(t, Layer{Grid: g, In: 1, Out: 1, Attention: [][]float64{corner}, Maps: [][]float64{{1}}})
	better := 1 - min(o.BorderShares(Zeros).Place, o.BorderShares(Replicate).Place)
	near(t, "a wide head at the corner", better, 0.58, 0.005)
}
