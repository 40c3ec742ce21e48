package op

import (
	"fmt"
	"math"

	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// AddOp is a + b.
type AddOp struct{}

func (AddOp) String() string { return "add" }

func (o AddOp) Shape(in []Shape) (Shape, error) {
	return fits(o, in, in[0].Eq(in[1]), in[0], "a and b of one shape")
}

func (AddOp) Cost(*Node) Cost { return Cost{} }

func (AddOp) Kernel([]Shape) Kernel { return add }

var add = Kernel{
	Skips:    []int{0, 1},
	NotSaved: []int{0, 1, Output},
	InPlace:  true,
	Forward: func(y []float32, in [][]float32) {
		copy(y, in[0])
		vec.Add(y, in[1])
	},
	Backward: func(d [][]float32, dy, _ []float32, _ [][]float32) {
		for i := len(d) - 1; i >= 0; i-- { // d[0] may be dy
			copy(d[i], dy)
		}
	},
}

// ReLUOp is max(0, x); backward, dx = dy where y > 0, else 0.
type ReLUOp struct{}

func (ReLUOp) String() string { return "relu" }

func (ReLUOp) Shape(in []Shape) (Shape, error) { return in[0], nil }

func (ReLUOp) Cost(*Node) Cost { return Cost{} }

func (ReLUOp) Kernel([]Shape) Kernel { return relu }

var relu = Kernel{
	NotSaved: []int{0},
	InPlace:  true,
	Forward: func(y []float32, in [][]float32) {
		for i, x := range in[0] {
			if y[i] = x; x <= 0 { // NaN stays
				y[i] = 0
			}
		}
	},
	Backward: func(d [][]float32, dy, y []float32, _ [][]float32) {
		for i, v := range y {
			if g := dy[i]; v > 0 {
				d[0][i] = g
			} else {
				d[0][i] = 0
			}
		}
	},
}

// ScaleOp is Factor·x.
type ScaleOp struct{ Factor float32 }

func (o ScaleOp) String() string { return fmt.Sprintf("scale{%v}", o.Factor) }

func (ScaleOp) Shape(in []Shape) (Shape, error) { return in[0], nil }

func (ScaleOp) Cost(*Node) Cost { return Cost{} }

func (o ScaleOp) Kernel([]Shape) Kernel {
	times := func(y, x []float32) {
		copy(y, x)
		vec.Scale(o.Factor, y)
	}
	return Kernel{
		NotSaved: []int{0, Output},
		InPlace:  true,
		Forward:  func(y []float32, in [][]float32) { times(y, in[0]) },
		Backward: func(dx [][]float32, dy, _ []float32, _ [][]float32) { times(dx[0], dy) },
	}
}

// GELUOp is x·Φ(x), with Φ(x) = ½(1 + erf(x/√2)), the exact form; backward, dx = dy·(Φ(x) + x·φ(x)) with φ = Φ'.
type GELUOp struct{}

func (GELUOp) String() string { return "gelu" }

func (o GELUOp) Shape(in []Shape) (Shape, error) {
	return fits(o, in, in[0].Dims() > 0, in[0], "at least one axis")
}

func (GELUOp) Cost(*Node) Cost { return Cost{} }

func (GELUOp) Kernel(in []Shape) Kernel {
	d := in[0][in[0].Dims()-1]
	none := make([]float32, d) // no bias
	return Kernel{
		NotSaved: []int{Output},
		InPlace:  true,
		Forward:  func(y []float32, in [][]float32) { vec.GELU(y, in[0], none) },
		Backward: func(dx [][]float32, dy, _ []float32, in [][]float32) {
			vec.GELUGrad(dx[0], dy, in[0], none)
		},
	}
}

// RunningNormOp is batch norm by given moments:
//
//	y = γ·(x - μ)/√(σ² + 1e-5) + β
//
// backward, with r = 1/√(σ² + 1e-5) and sums over all axes but the last,
//
//	dx = γ·r·dy,  dβ = Σ dy,  dγ = r·Σ dy·(x - μ),  dμ = -γ·r·Σ dy,  dσ² = -½γ·r³·Σ dy·(x - μ)
type RunningNormOp struct{}

func (RunningNormOp) String() string { return "running-norm" }

func (o RunningNormOp) Shape(in []Shape) (Shape, error) {
	ok := in[0].Dims() > 0
	for _, s := range in[1:] {
		ok = ok && s.Eq(in[0][in[0].Dims()-1:])
	}
	return fits(o, in, ok, in[0], "x (…, d), gamma, beta, mean and variance (d)")
}

func (RunningNormOp) Cost(*Node) Cost { return Cost{} }

func (RunningNormOp) Kernel(in []Shape) Kernel {
	d := in[1][0]
	norm := make([]float32, 2*d)
	return Kernel{
		Skips:    []int{0, 1, 2, 3, 4},
		NotSaved: []int{2, Output},
		InPlace:  true,
		Forward: func(y []float32, in [][]float32) {
			foldNorm(norm, in[1:])
			for i, x := range in[0] {
				y[i] = norm[i%d]*x + norm[d+i%d]
			}
		},
		Backward: func(dIn [][]float32, dy, _ []float32, in [][]float32) {
			sums, moments := make([]float64, d), make([]float64, d) // Σ dy and Σ dy·(x - μ)
			for i, g := range dy {
				sums[i%d] += float64(g)
				moments[i%d] += float64(g) * float64(in[0][i]-in[3][i%d])
			}
			for c := range d {
				r := 1 / math.Sqrt(float64(in[4][c])+BatchNormEps)
				scale := float64(in[1][c]) * r
				norm[c] = float32(scale)
				for i, v := range []float64{1: r * moments[c], 2: sums[c], 3: -scale * sums[c],
					4: -scale * r * r * moments[c] / 2} {
					if i > 0 && dIn[i] != nil {
						dIn[i][c] = float32(v)
					}
				}
			}
			if dIn[0] != nil {
				for i, g := range dy {
					dIn[0][i] = norm[i%d] * g
				}
			}
		},
	}
}
