package analyse

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/posenc/geometry"
)

// A dense operator is L by its definition: L[q][k] is the block Σ_h P^h_qk·W_h. The oracles work on it with loops over
// rows and columns of the grid, and share no code with the package.
type dense struct {
	rows, cols, width int
	block             [][][]float64
}

func operatorOf(l Layer) dense {
	n := l.Grid.Rows * l.Grid.Cols
	d := dense{l.Grid.Rows, l.Grid.Cols, l.In * l.Out, make([][][]float64, n)}
	for q := range n {
		d.block[q] = make([][]float64, n)
		for k := range n {
			d.block[q][k] = make([]float64, l.In*l.Out)
			for h := range l.Maps {
				for i, w := range l.Maps[h] {
					d.block[q][k][i] += l.Attention[h][q*n+k] * w
				}
			}
		}
	}
	return d
}

// each calls f for every pair of a query at least margin from the borders and any key, with their shift.
func (d dense) each(margin int, f func(dy, dx int, block []float64)) {
	for qy := margin; qy < d.rows-margin; qy++ {
		for qx := margin; qx < d.cols-margin; qx++ {
			for ky := range d.rows {
				for kx := range d.cols {
					f(ky-qy, kx-qx, d.block[qy*d.cols+qx][ky*d.cols+kx])
				}
			}
		}
	}
}

// nearest returns the mean block of each shift, which minimizes the squared distance shift by shift.
func (d dense) nearest(margin int) map[[2]int][]float64 {
	sum, pairs := map[[2]int][]float64{}, map[[2]int]float64{}
	d.each(margin, func(dy, dx int, block []float64) {
		s := [2]int{dy, dx}
		if pairs[s]++; sum[s] == nil {
			sum[s] = make([]float64, d.width)
		}
		for i, v := range block {
			sum[s][i] += v
		}
	})
	for s, w := range sum {
		for i := range w {
			w[i] /= pairs[s]
		}
	}
	return sum
}

// distance is the squared distance to the convolution of the kernel's shifts with |δ| ≤ reach; -1: to zero.
func (d dense) distance(margin, reach int, kernel map[[2]int][]float64) (sum float64) {
	d.each(margin, func(dy, dx int, block []float64) {
		w := kernel[[2]int{dy, dx}]
		inside := max(dy, -dy) <= reach && max(dx, -dx) <= reach
		for i, v := range block {
			if inside && w != nil {
				v -= w[i]
			}
			sum += v * v
		}
	})
	return sum
}

// randomLayer has soft heads of random scores, sharper for some.
func randomLayer(seed uint64, g Grid, heads, in, out int) Layer {
	rng := rand.New(rand.NewPCG(seed, 1))
	l := Layer{Grid: g, In: in, Out: out}
	n := g.Rows * g.Cols
	for h := range heads {
		p := make([]float64, n*n)
		for q := range n {
			sum := 0.0
			for k := range n {
				dy, dx := k/g.Cols-q/g.Cols-h%3, k%g.Cols-q%g.Cols
				p[q*n+k] = math.Exp(rng.NormFloat64() - float64(h)*float64(dy*dy+dx*dx)/3)
				sum += p[q*n+k]
			}
			for k := range n {
				p[q*n+k] /= sum
			}
		}
		l.Attention, l.Maps = append(l.Attention, p), append(l.Maps, normals(rng, in*out))
	}
	return l
}

func normals(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// uniform is a head that attends to all tokens alike.
func uniform(g Grid) []float64 {
	n := g.Rows * g.Cols
	p := make([]float64, n*n)
	for i := range p {
		p[i] = 1 / float64(n)
	}
	return p
}

func measured(t *testing.T, l Layer) *Operator {
	t.Helper()
	o, err := NewOperator(l)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %.15g, want %.15g within %.1g", what, got, want, tolerance)
	}
}

// kernelOf has random maps, or orthonormal ones: (1, shifts) each with a channel of its own.
func kernelOf(k int, orthonormal bool) Kernel {
	shifts := geometry.Square(k)
	w := Kernel{In: 2, Out: 3, Shifts: shifts}
	if orthonormal {
		w.In, w.Out = 1, len(shifts)
	}
	rng := rand.New(rand.NewPCG(uint64(k), 2))
	for i := range shifts {
		m := normals(rng, w.In*w.Out)
		if orthonormal {
			clear(m)
			m[i] = 1
		}
		w.Maps = append(w.Maps, m)
	}
	return w
}
