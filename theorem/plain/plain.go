// Package plain is attention as its equations say, in plain Go: scores, a softmax, a weighted mean. It is made to be read,
// and to check faster code with. A sequence is a Matrix with one token a row.
package plain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// A Matrix is rows of equal length.
type Matrix [][]float64

// New is a matrix of zeros.
func New(rows, cols int) Matrix {
	m := make(Matrix, rows)
	for i := range m {
		m[i] = make([]float64, cols)
	}
	return m
}

// Normal is a matrix of normal numbers of the given standard deviation.
func Normal(rng *rand.Rand, rows, cols int, deviation float64) Matrix {
	m := New(rows, cols)
	for _, row := range m {
		for j := range row {
			row[j] = deviation * rng.NormFloat64()
		}
	}
	return m
}

// Identity has ones on its diagonal.
func Identity(n int) Matrix {
	m := New(n, n)
	for i := range m {
		m[i][i] = 1
	}
	return m
}

// Times is the matrix product m·n.
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

// Plus is the sum m + n.
func (m Matrix) Plus(n Matrix) Matrix {
	sum := New(len(m), len(m[0]))
	for i := range m {
		for j := range m[i] {
			sum[i][j] = m[i][j] + n[i][j]
		}
	}
	return sum
}

// T is the transposed matrix.
func (m Matrix) T() Matrix {
	t := New(len(m[0]), len(m))
	for i, row := range m {
		for j, v := range row {
			t[j][i] = v
		}
	}
	return t
}

// Columns are the columns from first to before last.
func (m Matrix) Columns(first, last int) Matrix {
	part := make(Matrix, len(m))
	for i, row := range m {
		part[i] = row[first:last]
	}
	return part
}

// Beside puts matrices next to each other: the columns of the first, then those of the next.
func Beside(parts ...Matrix) Matrix {
	all := make(Matrix, len(parts[0]))
	for _, p := range parts {
		for i, row := range p {
			all[i] = append(all[i], row...)
		}
	}
	return all
}

// Flat is the rows one after another.
func (m Matrix) Flat() []float64 { return slices.Concat(m...) }

// Softmax turns scores into positive weights that add up to one: exp(s_k) / Σ exp(s_j). A score of -∞ has weight 0.
func Softmax(scores []float64) []float64 {
	top := slices.Max(scores) // taken from all, so that no exp overflows; it cancels
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

// SoftmaxRows is the softmax of every row: of every query, over the keys.
func SoftmaxRows(scores Matrix) Matrix {
	p := make(Matrix, len(scores))
	for q, row := range scores {
		p[q] = Softmax(row)
	}
	return p
}
