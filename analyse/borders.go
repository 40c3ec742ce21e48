package analyse

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// BorderShares returns the parts of ‖L‖² that convolutions with a border have; of Zeros, they are Shares(0).
//
// A convolution with shifts in I × J is Σ S_δ ⊗ W_δ, and the axes of the grid separate: S_δ = A_δ₁ ⊗ A_δ₂ with
// (A_i)_qk = 1 where q + i reads k along an axis. Repeated edges make the A_i overlap. With an orthonormal basis E_a of
// their span along rows, and F_b along columns, the nearest convolution has
//
//	c_h(a, b) = ⟨P^h, E_a ⊗ F_b⟩,  ‖ΠL‖² = Σ_ab Σ_hg c_h(a, b)·c_g(a, b)·⟨W_h, W_g⟩
//
// The bases are of the shifts 0, 1, -1, 2, -2 and so on in this order, so the first K of each are those of Δ_K. It
// takes 2·H·T² additions.
func (o *Operator) BorderShares(b Border) Shares {
	if b == Zeros {
		return o.whole.shares()
	}
	rows, cols := b.rank(o.Layer.Grid.Rows), b.rank(o.Layer.Grid.Cols)
	p := &part{total: o.whole.total, rings: make([]float64, len(o.whole.rings))}
	for _, attention := range o.Layer.Attention {
		p.mean = append(p.mean, b.coefficients(o.Layer.Grid, attention))
	}
	for i := range rows * cols {
		p.rings[(max(i/cols, i%cols)+1)/2] += o.energy(p.mean, i)
	}
	p.sum()
	return p.shares()
}

// Chance returns how many independent operators the convolutions with a border have, over T²: the share of an operator
// that is anything, on average.
func (b Border) Chance(g Grid) float64 {
	n := float64(g.Tokens())
	return float64(b.rank(g.Rows)*b.rank(g.Cols)) / (n * n)
}

// rank returns the number of independent shifts along an axis of n tokens.
func (b Border) rank(n int) int {
	if b == Circular {
		return n
	}
	return 2*n - 1
}

// shiftAt returns the shifts of an axis in their order: 0, 1, -1, 2, -2.
func shiftAt(i int) int {
	if i%2 == 1 {
		return (i + 1) / 2
	}
	return -i / 2
}

// coefficients returns c of one head, (rank of rows, rank of columns), for a border that reads a token everywhere.
func (b Border) coefficients(g Grid, p []float64) (c []float64) {
	z := make([][]float64, b.rank(g.Rows)) // ⟨P, A_i ⊗ A_j⟩
	part := make([]float64, g.Cols*g.Cols) // Σ P of the rows of tokens that are i apart
	for i := range z {
		clear(part)
		for q := range g.Rows {
			k, _ := b.along(q+shiftAt(i), g.Rows)
			for at := 0; at < len(part); at += g.Cols {
				floats.Add(part[at:at+g.Cols], p[((q*g.Cols+at/g.Cols)*g.Rows+k)*g.Cols:][:g.Cols])
			}
		}
		z[i] = make([]float64, b.rank(g.Cols))
		for j := range z[i] {
			for q := range g.Cols {
				k, _ := b.along(q+shiftAt(j), g.Cols)
				z[i][j] += part[q*g.Cols+k]
			}
		}
	}
	b.orthonormal(g.Rows, z)
	z = transposed(z)
	b.orthonormal(g.Cols, z)
	for _, row := range transposed(z) {
		c = append(c, row...)
	}
	return c
}

// orthonormal turns inner products with the shifts of an axis of n tokens, a row each, into inner products with an
// orthonormal basis of the same shifts. Around the grid, all shifts are orthogonal, with ‖A_i‖² = n. Of repeated edges
//
//	D_i = A_i - A_{i∓1}  (D_0 = A_0)
//
// is 0 where both read the edge, and orthogonal to all others but its neighbors, so that the Cholesky factor l of
// ⟨D_i, D_j⟩ in the order of shifts has two diagonals below the main one. The basis is l⁻¹·D.
func (b Border) orthonormal(n int, z [][]float64) {
	if b == Circular {
		for i := range z {
			floats.Scale(1/math.Sqrt(float64(n)), z[i])
		}
		return
	}
	for i := len(z) - 1; i > 0; i-- {
		floats.Sub(z[i], z[max(0, i-2)])
	}
	l := make([][3]float64, len(z)) // l_{i,i-d} at d
	for i := range z {
		first := max(0, i-2)
		for j := first; j <= i; j++ {
			v := differences(n, i, j)
			for k := first; k < j; k++ {
				v -= l[i][i-k] * l[j][j-k]
			}
			if j == i {
				l[i][0] = math.Sqrt(v)
				floats.Scale(1/l[i][0], z[i])
			} else {
				l[i][i-j] = v / l[j][0]
				floats.AddScaled(z[i], -l[i][i-j], z[j])
			}
		}
	}
}

// differences returns ⟨D_i, D_j⟩ for the places i ≥ j of two shifts in their order. D of shift s ≠ 0 has 1 and -1 in
// each of n - |s| rows; it shares an entry of each row with the next shift inwards, and D_1 with D_-1 those of all rows
// but two.
func differences(n, i, j int) float64 {
	rows := float64(n - (i+1)/2)
	switch {
	case i == 0:
		return rows
	case i == j:
		return 2 * rows
	case j == max(0, i-2):
		return -rows
	case i == 2:
		return rows - 1
	}
	return 0
}
