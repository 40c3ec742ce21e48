package train

import (
	"cmp"
	"math"

	G "gorgonia.org/gorgonia"

	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/vec"
	"github.com/attnconv/attnconv/nn"
)

// muon: momentum whose step has singular values near 1 (Jordan and others 2024), with the scale and the decay of Liu
// and others (2025), so that learning rates of AdamW serve:
//
//	m ← momentum·m + g,  O = orthogonal(g + momentum·m),  W ← W - lr·(0.2·√max(rows, cols)·O + decay·W)
//
// It moves weights of two or more dimensions, of a convolution (out, in·k·k). Vectors, positions, and weights of which
// some rows are frozen move by AdamW.
type muon struct {
	*adamW
	momentum [][]float32 // of matrices
	x, next  []float32   // the step of a matrix, and what an iteration makes of it
	a, p     []float32   // (n, n)
}

// orthogonalSteps is the number of Newton–Schulz iterations, and newtonSchulz the polynomial a·x + b·x³ + c·x⁵ that
// each applies to the singular values: five bring what is in (0.01, 1] between 0.7 and 1.2 (Jordan and others 2024).
const orthogonalSteps = 5

var newtonSchulz = struct{ a, b, c float32 }{3.4445, -4.7750, 2.0315}

func newMuon(o Options, params []*nn.Param) Solver {
	s := &muon{adamW: &adamW{base: newBase(o, params)}}
	vectors := make([]*nn.Param, len(params))
	side, size := 0, 0
	for i, p := range params {
		if rows, cols, ok := s.matrix(i); ok {
			side, size = max(side, min(rows, cols)), max(size, rows*cols)
			vectors[i] = &nn.Param{}
			s.momentum = append(s.momentum, make([]float32, len(p.Data)))
		} else {
			vectors[i] = p
			s.momentum = append(s.momentum, nil)
		}
	}
	s.m, s.v = zeros(vectors), zeros(vectors)
	s.x, s.next = make([]float32, size), make([]float32, size)
	s.a, s.p = make([]float32, side*side), make([]float32, side*side)
	return s
}

// matrix returns the extent of a parameter that moves as a whole matrix.
func (s *muon) matrix(i int) (rows, cols int, ok bool) {
	p := s.params[i]
	if len(p.Shape) < 2 || p.Group != nn.Weight || len(s.moving[i]) != 1 || s.moving[i][0] != [2]int{0, len(p.Data)} {
		return 0, 0, false
	}
	return p.Shape[0], len(p.Data) / p.Shape[0], true
}

func checkMuon(o Options) error {
	return cmp.Or(checkSGD(o), checkAdamW(o))
}

func (s *muon) Slots() map[string][][]float32 {
	slots := s.adamW.Slots()
	slots["momentum"] = s.momentum
	return slots
}

// Memory returns the bytes of the solver's scratch, which its slots are no part of.
func (s *muon) Memory() int { return 4 * (len(s.x) + len(s.next) + len(s.a) + len(s.p)) }

func (s *muon) Step(model []G.ValueGrad) error {
	s.Stepped()
	return s.each(model, func(i, lo, hi int, w, g []float32) {
		rows, cols, ok := s.matrix(i)
		if !ok {
			s.move(i, lo, hi, w, g)
			return
		}
		m, mu := s.momentum[i], float32(s.o.Momentum)
		vec.Scale(mu, m)
		vec.Axpy(1, g, m)
		step := append(s.x[:0], g...)
		vec.Axpy(mu, m, step)
		step = s.orthogonal(step, rows, cols)
		lr, decay := s.rates(nn.Weight)
		vec.Scale(float32(1-lr*decay), w)
		vec.Axpy(float32(-lr*0.2*math.Sqrt(float64(max(rows, cols)))), step, w)
	})
}

// orthogonal returns the semi-orthogonal matrix nearest to G (rows, cols), about: X ← G/‖G‖, and then, for n =
// min(rows, cols) and A = X·Xᵀ (n, n),
//
//	X ← (a·I + b·A + c·A²)·X
//
// It works in G and in s.
func (s *muon) orthogonal(g []float32, rows, cols int) []float32 {
	squares := vec.SumSquares(g)
	if squares == 0 {
		return g
	}
	vec.Scale(float32(1/math.Sqrt(squares)), g)
	y := s.next[:len(g)]
	n := min(rows, cols)
	a, p := s.a[:n*n], s.p[:n*n]
	square, poly := gemm.Matrix(a, n, n), gemm.Matrix(p, n, n)
	for range orthogonalSteps {
		x, next := gemm.Matrix(g, rows, cols), gemm.Matrix(y, rows, cols)
		wide := x
		if rows > cols {
			wide = x.T()
		}
		gemm.Mul(square, wide, wide.T())
		gemm.Mul(poly, square, square)
		vec.Scale(newtonSchulz.c, p)
		vec.Axpy(newtonSchulz.b, a, p)
		for i := range n {
			p[i*n+i] += newtonSchulz.a
		}
		if rows > cols { // the polynomial is symmetric: Xᵀ ← P·Xᵀ is X ← X·P
			gemm.Mul(next, x, poly)
		} else {
			gemm.Mul(next, poly, x)
		}
		g, y = y, g
	}
	return g
}
