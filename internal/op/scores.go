package op

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// An Axis of the grid of tokens.
type Axis int

// Rows run down the image, Cols across it: the first and the second coordinate of every center and shift.
const (
	Rows Axis = iota
	Cols
)

func (a Axis) String() string { return [...]string{"rows", "cols"}[a] }

// AxisScoresOp is one axis's part of the scores of isotropic Gaussian heads on n positions:
//
//	A[h,q,k] = -½·s_h²·(δ - Δ_h)²,  δ = unit·(k - q)
//
// with unit the distance of neighbors in that of Δ and s: 1, where these are in tokens of the grid. Backward,
//
//	dΔ_h = Σ dA·s_h²·(δ - Δ_h),  ds_h = -Σ dA·s_h·(δ - Δ_h)²
//
// Source: Cordonnier, Loukas, Jaggi 2020 (arXiv:1911.03584), eq. 9, with α = s²/2.
type AxisScoresOp struct {
	Axis   Axis
	Tokens int // along it
	Unit   float32
}

func (o AxisScoresOp) String() string {
	return fmt.Sprintf("axis-scores{%v,%d%s}", o.Axis, o.Tokens, times(o.Unit))
}

// times is ",×2" of the unit 2, and nothing of 1.
func times(unit float32) string {
	if unit == 1 {
		return ""
	}
	return fmt.Sprintf(",×%g", unit)
}

// apart is the distance of k from q. The product is rounded before it is used, so that processors that could do both at
// once compute the same.
func apart(k, q int, unit float32) float32 { return float32(float32(k-q) * unit) }

func (o AxisScoresOp) Shape(in []Shape) (Shape, error) {
	var out Shape
	ok := in[1].Dims() == 1 && in[0].Eq(Shape{in[1][0], 2})
	if ok {
		out = Shape{in[1][0], o.Tokens, o.Tokens}
	}
	return fits(o, in, ok, out, "center (heads, 2) and spread (heads)")
}

func (AxisScoresOp) Cost(*Node) Cost { return Cost{} }

func (o AxisScoresOp) Kernel([]Shape) Kernel {
	axis, n, unit := o.Axis, o.Tokens, o.Unit
	return Kernel{
		NotSaved: []int{Output},
		Forward: func(a []float32, in [][]float32) {
			for h, s := range in[1] {
				center := in[0][2*h+int(axis)]
				for q := range n {
					for k := range n {
						d := apart(k, q, unit) - center
						a[(h*n+q)*n+k] = -0.5 * s * s * d * d
					}
				}
			}
		},
		Backward: func(dIn [][]float32, da, _ []float32, in [][]float32) {
			for h, s := range in[1] {
				center := in[0][2*h+int(axis)]
				var dCenter, dSpread float64
				for q := range n {
					for k := range n {
						d, g := apart(k, q, unit)-center, da[(h*n+q)*n+k]
						dCenter += float64(g * s * s * d)
						dSpread -= float64(g * s * d * d)
					}
				}
				dIn[0][2*h+int(axis)], dIn[0][2*h+1-int(axis)] = float32(dCenter), 0
				dIn[1][h] = float32(dSpread)
			}
		},
	}
}

// GeneralScoresOp is the scores of Gaussian heads of any shape on a rows × cols grid:
//
//	A[h,q,k] = -½·(δ - Δ_h)ᵀ Σ_h⁻¹ (δ - Δ_h),  Σ_h⁻¹ = S_h·S_hᵀ,  δ = unit·(k - q) = (row, column)
//
// with unit as in AxisScoresOp. With e = δ - Δ and u = Sᵀe the score is -½‖u‖²; backward, dΔ = Σ dA·S·u and
// dS = -Σ dA·e·uᵀ.
type GeneralScoresOp struct {
	Rows, Cols int
	Unit       float32
}

func (o GeneralScoresOp) String() string {
	return fmt.Sprintf("general-scores{%d,%d%s}", o.Rows, o.Cols, times(o.Unit))
}

func (o GeneralScoresOp) Shape(in []Shape) (Shape, error) {
	var out Shape
	ok := min(o.Rows, o.Cols) > 0 && in[0].Dims() == 2 && in[0][1] == 2 && in[1].Eq(Shape{in[0][0], 2, 2})
	if ok {
		out = Shape{in[0][0], o.Rows * o.Cols, o.Rows * o.Cols}
	}
	return fits(o, in, ok, out, "center (heads, 2) and root (heads, 2, 2)")
}

func (GeneralScoresOp) Cost(*Node) Cost { return Cost{} }

func (o GeneralScoresOp) Kernel([]Shape) Kernel {
	rows, cols, unit := o.Rows, o.Cols, o.Unit
	t := rows * cols
	// each calls f with every query-key pair of head h, its e and its u.
	each := func(h int, in [][]float32, f func(qk int, e0, e1, u0, u1 float32)) {
		c, s := in[0][2*h:2*h+2], in[1][4*h:4*h+4]
		for q := range t {
			for k := range t {
				e0, e1 := apart(k/cols, q/cols, unit)-c[0], apart(k%cols, q%cols, unit)-c[1]
				f(q*t+k, e0, e1, s[0]*e0+s[2]*e1, s[1]*e0+s[3]*e1)
			}
		}
	}
	return Kernel{
		NotSaved: []int{Output},
		Forward: func(a []float32, in [][]float32) {
			threads.Parallel(len(a)/(t*t), func(h int) {
				a := a[h*t*t:]
				each(h, in, func(qk int, _, _, u0, u1 float32) { a[qk] = -0.5 * (u0*u0 + u1*u1) })
			})
		},
		Backward: func(dIn [][]float32, da, _ []float32, in [][]float32) {
			threads.Parallel(len(da)/(t*t), func(h int) {
				da, s := da[h*t*t:], in[1][4*h:4*h+4]
				var c [2]float64
				var r [4]float64
				each(h, in, func(qk int, e0, e1, u0, u1 float32) {
					g := da[qk]
					c[0] += float64(g * (s[0]*u0 + s[1]*u1))
					c[1] += float64(g * (s[2]*u0 + s[3]*u1))
					r[0] -= float64(g * e0 * u0)
					r[1] -= float64(g * e0 * u1)
					r[2] -= float64(g * e1 * u0)
					r[3] -= float64(g * e1 * u1)
				})
				for i, v := range c {
					dIn[0][2*h+i] = float32(v)
				}
				for i, v := range r {
					dIn[1][4*h+i] = float32(v)
				}
			})
		},
	}
}

// SoftmaxOp normalizes the last axis: p = exp(a) / Σ exp(a); backward, da = p·(dp - Σ p·dp).
type SoftmaxOp struct{}

func (SoftmaxOp) String() string { return "softmax" }

func (o SoftmaxOp) Shape(in []Shape) (Shape, error) {
	return fits(o, in, in[0].Dims() > 0, in[0], "at least one axis")
}

func (SoftmaxOp) Cost(*Node) Cost { return Cost{} }

func (SoftmaxOp) Kernel(in []Shape) Kernel {
	s := in[0]
	return Kernel{
		NotSaved: []int{0},
		InPlace:  true,
		Forward:  func(p []float32, in [][]float32) { vec.SoftmaxRows(p, in[0], s[len(s)-1]) },
		Backward: func(d [][]float32, dp, p []float32, _ [][]float32) {
			vec.SoftmaxRowsGrad(d[0], dp, p, s[len(s)-1])
		},
	}
}
