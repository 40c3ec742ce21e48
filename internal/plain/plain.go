// Package plain is attention by its equations, in plain Go: scores, a softmax, a weighted mean. It is for reading, and
// for checking faster code. A sequence is a Matrix with one token per row.
//
// Stable: all of it; sizes that do not match panic, as an index does.
package plain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// A Matrix is rows of equal length.
type Matrix [][]float64

// New returns a matrix of zeros.
func New(rows, cols int) Matrix {
	m := make(Matrix, rows)
	for i := range m {
		m[i] = make([]float64, cols)
	}
	return m
}

// Normal draws a matrix of normal values with the given standard deviation.
func Normal(rng *rand.Rand, rows, cols int, deviation float64) Matrix {
	m := New(rows, cols)
	for _, row := range m {
		for j := range row {
			row[j] = deviation * rng.NormFloat64()
		}
	}
	return m
}

// Identity returns the identity matrix.
func Identity(n int) Matrix {
	m := New(n, n)
	for i := range m {
		m[i][i] = 1
	}
	return m
}

// Times returns the matrix product m·n. It panics if the sizes do not match.
func (m Matrix) Times(n Matrix) Matrix {
	if len(m) > 0 && len(m[0]) != len(n) {
		panic(fmt.Sprintf("plain: want as many columns as rows in a product, got %d and %d", len(m[0]), len(n)))
	}
	p := New(len(m), len(n[0]))
	for i, row := range m {
		for k, v := range row {
			for j, u := range n[k] {
				p[i][j] += v * u
			}
		}
	}
	return p
}

// Plus returns the sum m + n.
func (m Matrix) Plus(n Matrix) Matrix {
	sum := New(len(m), len(m[0]))
	for i := range m {
		for j := range m[i] {
			sum[i][j] = m[i][j] + n[i][j]
		}
	}
	return sum
}

// T returns the transposed matrix.
func (m Matrix) T() Matrix {
	t := New(len(m[0]), len(m))
	for i, row := range m {
		for j, v := range row {
			t[j][i] = v
		}
	}
	return t
}

// Concat concatenates matrices by columns, [m_1 m_2 …].
func Concat(matrices ...Matrix) Matrix {
	all := make(Matrix, len(matrices[0]))
	for _, m := range matrices {
		for i, row := range m {
			all[i] = append(all[i], row...)
		}
	}
	return all
}

// Flat returns the elements in row-major order.
func (m Matrix) Flat() []float64 { return slices.Concat(m...) }

// Softmax returns exp(s_k) / Σ_j exp(s_j). A score of -∞ has weight 0.
func Softmax(scores []float64) []float64 {
	top := slices.Max(scores) // subtracted, so that exp does not overflow; it cancels
	weights := make([]float64, len(scores))
	var sum float64
	for k, s := range scores {
		weights[k] = math.Exp(s - top)
		sum += weights[k]
	}
	for k := range weights {
		weights[k] /= sum
	}
	return weights
}

// SoftmaxRows returns the softmax of every row: for every query, over the keys.
func SoftmaxRows(scores Matrix) Matrix {
	p := make(Matrix, len(scores))
	for q, row := range scores {
		p[q] = Softmax(row)
	}
	return p
}
