package op

import "fmt"

// GaussianShiftsOp is the scores that Gaussian heads give shifts:
//
//	A[h,δ] = -½·(δ - Δ_h)ᵀ Σ_h⁻¹ (δ - Δ_h),  Σ_h⁻¹ = S_h·S_hᵀ,  δ = unit·(row, column), |row| ≤ rows, |column| ≤ cols
//
// with unit as in AxisScoresOp. An isotropic head has S_h = s_h·I, and its root is s_h. With e = δ - Δ and
// u = Sᵀe the score is -½‖u‖²; backward, dΔ = Σ dA·S·u and dS = -Σ dA·e·uᵀ.
type GaussianShiftsOp struct {
	Rows, Cols int
	Unit       float32
}

func (o GaussianShiftsOp) String() string {
	return fmt.Sprintf("gaussian-shifts{%d,%d%s}", o.Rows, o.Cols, times(o.Unit))
}

func (o GaussianShiftsOp) Shape(in []Shape) (Shape, error) {
	heads := in[0][0]
	ok := min(o.Rows, o.Cols) >= 0 && in[0].Eq(Shape{heads, 2}) &&
		(in[1].Eq(Shape{heads}) || in[1].Eq(Shape{heads, 2, 2}))
	return fits(o, in, ok, Shape{heads, (2*o.Rows + 1) * (2*o.Cols + 1)},
		"center (heads, 2), and spread (heads) or root (heads, 2, 2)")
}

func (GaussianShiftsOp) Cost(*Node) Cost { return Cost{} }

func (o GaussianShiftsOp) Kernel(in []Shape) Kernel {
	heads, isotropic, wide := in[0][0], in[1].Dims() == 1, 2*o.Cols+1
	shifts := (2*o.Rows + 1) * wide
	rootOf := func(root []float32, h int) [4]float32 {
		if isotropic {
			return [4]float32{root[h], 0, 0, root[h]}
		}
		return [4]float32(root[4*h:])
	}
	// each calls f with every shift of head h, its e and its u.
	each := func(h int, in [][]float32, f func(i int, e, u [2]float32)) {
		c, s := in[0][2*h:2*h+2], rootOf(in[1], h)
		for i := range shifts {
			e := [2]float32{apart(i/wide, o.Rows, o.Unit) - c[0], apart(i%wide, o.Cols, o.Unit) - c[1]}
			f(i, e, [2]float32{s[0]*e[0] + s[2]*e[1], s[1]*e[0] + s[3]*e[1]})
		}
	}
	return Kernel{
		NotSaved: []int{Output},
		Forward: func(a []float32, in [][]float32) {
			for h := range heads {
				a := a[h*shifts:]
				each(h, in, func(i int, _, u [2]float32) { a[i] = -0.5 * (u[0]*u[0] + u[1]*u[1]) })
			}
		},
		Backward: func(d [][]float32, da, _ []float32, in [][]float32) {
			for h := range heads {
				s := rootOf(in[1], h)
				var center [2]float64
				var root [4]float64
				each(h, in, func(i int, e, u [2]float32) {
					g := da[h*shifts+i]
					center[0] += float64(g * (s[0]*u[0] + s[1]*u[1]))
					center[1] += float64(g * (s[2]*u[0] + s[3]*u[1]))
					for j := range root {
						root[j] -= float64(g * e[j/2] * u[j%2])
					}
				})
				d[0][2*h], d[0][2*h+1] = float32(center[0]), float32(center[1])
				if isotropic {
					d[1][h] = float32(root[0] + root[3])
					continue
				}
				for j, v := range root {
					d[1][4*h+j] = float32(v)
				}
			}
		},
	}
}
