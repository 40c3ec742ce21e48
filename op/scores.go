package op

import "github.com/attnconv/attnconv/internal/op"

// An Axis of the grid of tokens.
type Axis int

// Rows run down the image, Cols across it: the first and the second coordinate of every center and shift.
const (
	Rows Axis = iota
	Cols
)

// ShiftScores lays the scores of each shift out as scores of every query and key along one axis of n tokens:
//
//	A[h,q,k] = s[h, k-q + (m-1)],  0 ≤ q, k < n ≤ m
//
// s (heads, 2m-1), or as many elements -> A (heads, n, n)
func ShiftScores(s *Node, heads, n int) *Node { return op.ShiftScores(s, heads, n) }

// AxisScores returns one axis's part of the scores of isotropic Gaussian heads on n positions:
//
//	A[h,q,k] = -½·s_h²·(δ - Δ_h)²,  δ = k - q
//
// center Δ (heads, 2), spread s (heads) -> A (heads, n, n).
// Source: Cordonnier, Loukas, Jaggi 2020 (arXiv:1911.03584), eq. 9, with α = s²/2.
func AxisScores(center, spread *Node, axis Axis, n int) *Node {
	return op.AxisScores(center, spread, op.Axis(axis), n, 1)
}

// AxisScoresApart is AxisScores where neighbours are unit apart, in that of center and spread: δ = unit·(k - q).
func AxisScoresApart(center, spread *Node, axis Axis, n int, unit float64) *Node {
	return op.AxisScores(center, spread, op.Axis(axis), n, float32(unit))
}

// GeneralScores returns the scores of Gaussian heads of any shape on a rows × cols grid:
//
//	A[h,q,k] = -½·(δ - Δ_h)ᵀ Σ_h⁻¹ (δ - Δ_h),  Σ_h⁻¹ = S_h·S_hᵀ,  δ = k - q = (row, column)
//
// center Δ (heads, 2), root S (heads, 2, 2) -> A (heads, rows·cols, rows·cols)
func GeneralScores(center, root *Node, rows, cols int) *Node {
	return op.GeneralScores(center, root, rows, cols, 1)
}

// GeneralScoresApart is GeneralScores where neighbours are unit apart, in that of center and root: δ = unit·(k - q).
func GeneralScoresApart(center, root *Node, rows, cols int, unit float64) *Node {
	return op.GeneralScores(center, root, rows, cols, float32(unit))
}

// ShiftsOf returns what each query gives each shift within n tokens along one axis, by its channels from first on:
//
//	y[t, h, δ+n-1] = scale·Σ_p q[t, h, first+p]·r[δ, p],  |δ| < n
//
// q (batch, T, heads·d), r (2m-1, p) with m at least n, or, vectors for each head and with first = 0, (2m-1, heads·d)
// -> y (batch, T, heads·(2n-1)), for Terms.
func ShiftsOf(q, table *Node, heads, first, n int, scale float32) *Node {
	return op.ShiftsOf(q, table, heads, first, n, scale)
}

// FoldTable returns, head by head, what a vector that is the same for all queries gives each shift within n tokens along
// one axis, by its p channels from first on: ShiftsOf of one query. W is such a vector, or a map of a query's channels.
//
//	G[h, δ+n-1] = scale·Σ_p W[h, first+p]·r[δ, p],  |δ| < n
//
// W (heads·d) or (heads·d, in), r as ShiftsOf has it -> G (heads·(2n-1)) or (heads·(2n-1), in)
func FoldTable(w, table *Node, heads, first, n int, scale float32) *Node {
	return op.FoldTable(w, table, heads, first, n, scale)
}

// Softmax normalises the last axis: p = exp(a) / Σ exp(a).
//
// a (…, n) -> p (…, n)
func Softmax(a *Node) *Node { return op.Softmax(a) }
