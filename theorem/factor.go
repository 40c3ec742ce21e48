package theorem

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Factors are the two matrices of every head, as attention layers usually have them: W_h ≈ W_val·W_out.
type Factors[F Float] struct {
	Dim   int     // D_h
	Value [][]F   // W_val (in, D_h)
	Out   [][]F   // W_out (D_h, out)
	Lost  float64 // √Σ‖W_h - W_val·W_out‖² / √Σ‖W_h‖²
}

// Factor factors every head's matrix for heads of dimension dim. It is exact for dim ≥ min(in, out): one of the factors
// is the identity, padded with zeros. Below that it is the best approximation (Eckart and Young): hard heads attend to
// different pixels, so no head can compensate for another.
func (l *Layer[F]) Factor(dim int) (*Factors[F], error) {
	if dim < 1 {
		return nil, fmt.Errorf("head dimension: want 1 or more, got %d", dim)
	}
	f := &Factors[F]{Dim: dim}
	var lost, all float64
	for _, w := range l.Weights {
		value, out, left, norm := Factor(w, l.In, l.Out, dim)
		f.Value, f.Out = append(f.Value, value), append(f.Out, out)
		lost, all = lost+left, all+norm
	}
	if all > 0 {
		f.Lost = math.Sqrt(lost / all)
	}
	return f, nil
}

// Factor factors w (in, out). lost and all are squared norms.
func Factor[F Float](w []F, in, out, dim int) (value, outer []F, lost, all float64) {
	value, outer = make([]F, in*dim), make([]F, dim*out)
	for _, v := range w {
		all += float64(v) * float64(v)
	}
	switch {
	case out <= dim: // [W 0]·[I; 0]
		for i := range in {
			copy(value[i*dim:], w[i*out:(i+1)*out])
		}
		for o := range out {
			outer[o*out+o] = 1
		}
	case in <= dim: // [I 0]·[W; 0]
		for i := range in {
			value[i*dim+i] = 1
		}
		copy(outer, w)
	default:
		lost = truncate(value, outer, w, in, out, dim)
	}
	return value, outer, lost, all
}

// truncate fills value and outer with the first dim singular directions of w, and returns the squared norm of the rest.
func truncate[F Float](value, outer, w []F, in, out, dim int) (lost float64) {
	u, s, v := Singular(Dense(w, in, out))
	for r, scale := range s {
		if r >= dim {
			lost += scale * scale
			continue
		}
		for i := range in {
			value[i*dim+r] = F(u.At(i, r) * scale)
		}
		for o := range out {
			outer[r*out+o] = F(v.At(o, r))
		}
	}
	return lost
}

// Layer returns l with the products of the factors as its matrices.
func (f *Factors[F]) Layer(l *Layer[F]) *Layer[F] {
	with := *l
	with.Weights = nil
	for h := range f.Value {
		with.Weights = append(with.Weights, Product(f.Value[h], f.Out[h], l.In, l.Out, f.Dim))
	}
	return &with
}

// Product returns value·outer (in, out).
func Product[F Float](value, outer []F, in, out, dim int) []F {
	w := make([]F, in*out)
	for i := range in {
		AddProduct(w[i*out:(i+1)*out], value[i*dim:(i+1)*dim], outer)
	}
	return w
}

// Dense converts w (rows, cols) to a gonum matrix.
func Dense[F Float](w []F, rows, cols int) *mat.Dense {
	d := mat.NewDense(rows, cols, nil)
	for i, v := range w {
		d.Set(i/cols, i%cols, float64(v))
	}
	return d
}

// Singular returns the thin singular value decomposition U·diag(s)·Vᵀ, with the largest value first.
func Singular(m mat.Matrix) (u *mat.Dense, s []float64, v *mat.Dense) {
	var svd mat.SVD
	if !svd.Factorize(m, mat.SVDThin) {
		panic("theorem: a matrix without singular values: it contains NaN or infinity")
	}
	u, v = new(mat.Dense), new(mat.Dense)
	svd.UTo(u)
	svd.VTo(v)
	return u, svd.Values(nil), v
}
