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
func ShiftScores(s *Node, heads, n int) *Node {
	return op.Apply(op.ShiftScoresOp{Heads: heads, Tokens: n}, s)
}

// AxisScores returns one axis's part of the scores of isotropic Gaussian heads on n positions, of which neighbors are
// unit apart, in that of center and spread:
//
//	A[h,q,k] = -½·s_h²·(δ - Δ_h)²,  δ = unit·(k - q)
//
// backward, with dA the gradient of A,
//
//	dΔ_h = Σ dA·s_h²·(δ - Δ_h),  ds_h = -Σ dA·s_h·(δ - Δ_h)²
//
// center Δ (heads, 2), spread s (heads) -> A (heads, n, n).
// Source: Cordonnier, Loukas, Jaggi 2020 (arXiv:1911.03584), eq. 9, with α = s²/2.
func AxisScores(center, spread *Node, axis Axis, n int, unit float64) *Node {
	return op.Apply(op.AxisScoresOp{Axis: op.Axis(axis), Tokens: n, Unit: float32(unit)}, center, spread)
}

// GeneralScores returns the scores of Gaussian heads of any shape on a rows × cols grid, of which neighbors are unit
// apart, in that of center and root:
//
//	A[h,q,k] = -½·(δ - Δ_h)ᵀ Σ_h⁻¹ (δ - Δ_h),  Σ_h⁻¹ = S_h·S_hᵀ,  δ = unit·(k - q) = (row, column)
//
// center Δ (heads, 2), root S (heads, 2, 2) -> A (heads, rows·cols, rows·cols)
func GeneralScores(center, root *Node, rows, cols int, unit float64) *Node {
	return op.Apply(op.GeneralScoresOp{Rows: rows, Cols: cols, Unit: float32(unit)}, center, root)
}

// ShiftsOf returns what each query gives each shift within n tokens along one axis, by its channels from first on:
//
//	y[t, h, δ+n-1] = scale·Σ_p q[t, h, first+p]·r[δ, p],  |δ| < n
//
// q (batch, T, heads·d), r (2m-1, p) with m at least n, or, vectors for each head and with first = 0, (2m-1, heads·d)
// -> y (batch, T, heads·(2n-1)), for Terms.
func ShiftsOf(q, table *Node, heads, first, n int, scale float32) *Node {
	of := op.ShiftTable{Heads: heads, First: first, Tokens: n, Scale: scale}
	return op.Apply(op.ShiftsOfOp{ShiftTable: of}, q, table)
}

// FoldTable returns, head by head, what a vector that is the same for all queries gives each shift within n tokens
// along one axis, by its p channels from first on: ShiftsOf of one query. W is such a vector, or a map of a query's
// channels.
//
//	G[h, δ+n-1] = scale·Σ_p W[h, first+p]·r[δ, p],  |δ| < n
//
// W (heads·d) or (heads·d, in), r as ShiftsOf has it -> G (heads·(2n-1)) or (heads·(2n-1), in)
func FoldTable(w, table *Node, heads, first, n int, scale float32) *Node {
	of := op.ShiftTable{Heads: heads, First: first, Tokens: n, Scale: scale}
	return op.Apply(op.FoldTableOp{ShiftTable: of}, w, table)
}

// Softmax normalizes the last axis: p = exp(a) / Σ exp(a).
//
// a (…, n) -> p (…, n)
func Softmax(a *Node) *Node { return op.Apply(op.SoftmaxOp{}, a) }

// GaussianShifts returns the scores that Gaussian heads give shifts:
//
//	A[h,δ] = -½·(δ - Δ_h)ᵀ Σ_h⁻¹ (δ - Δ_h),  Σ_h⁻¹ = S_h·S_hᵀ,  δ = unit·(row, column), |row| ≤ rows, |column| ≤ cols
//
// An isotropic head has S_h = s_h·I. Neighbors are unit apart, in the unit of center and root.
//
// center Δ (heads, 2), spread s (heads) or root S (heads, 2, 2) -> A (heads, (2·rows+1)·(2·cols+1))
func GaussianShifts(center, root *Node, rows, cols int, unit float64) *Node {
	return op.Apply(op.GaussianShiftsOp{Rows: rows, Cols: cols, Unit: float32(unit)}, center, root)
}

// AxisShifts adds the scores of shifts along rows and along columns:
//
//	A[h,(δ1,δ2)] = row[h, δ1+m] + col[h, δ2+n],  |δ1| ≤ rows ≤ m, |δ2| ≤ cols ≤ n
//
// row (heads, 2m+1), col (heads, 2n+1), or as many elements -> A (heads, (2·rows+1)·(2·cols+1))
func AxisShifts(row, col *Node, heads, rows, cols int) *Node {
	return op.Apply(op.AxisShiftsOp{Heads: heads, Rows: rows, Cols: cols}, row, col)
}

// NearShifts returns the part of a square table of shifts that a window reaches.
//
// s (heads, (2m+1)²), with m at least rows and cols -> A (heads, (2·rows+1)·(2·cols+1))
func NearShifts(s *Node, rows, cols int) *Node {
	return op.Apply(op.NearShiftsOp{Rows: rows, Cols: cols}, s)
}

// ShiftMap lays the scores of shifts out as scores of every query and key on a rows × cols grid: A[h,q,k] = s[h,k-q].
//
// s (heads, (2·rows-1)·(2·cols-1)) -> A (heads, rows·cols, rows·cols)
func ShiftMap(s *Node, rows, cols int) *Node {
	return op.Apply(op.ShiftMapOp{Rows: rows, Cols: cols}, s)
}
