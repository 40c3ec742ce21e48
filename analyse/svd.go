package analyse

import "gonum.org/v1/gonum/mat"

// SVD returns the thin singular value decomposition of a finite matrix a (rows, cols), with the largest value first:
//
//	a = Σ_r s[r]·u[r]·v[r]ᵀ
func SVD(a []float64, rows, cols int) (u [][]float64, s []float64, v [][]float64) {
	var d mat.SVD
	if !d.Factorize(mat.NewDense(rows, cols, a), mat.SVDThin) {
		panic("analyse: a matrix without singular values: it contains NaN or infinity")
	}
	var left, right mat.Dense
	d.UTo(&left)
	d.VTo(&right)
	s = d.Values(nil)
	for r := range s {
		u, v = append(u, mat.Col(nil, r, &left)), append(v, mat.Col(nil, r, &right))
	}
	return u, s, v
}
