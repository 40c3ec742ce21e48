package op

import "github.com/attnconv/attnconv/internal/op"

// MixHeads lets every head average the tokens by its own weights, shared by the batch, and puts the heads side by side:
//
//	z[b,q,h] = Σ_k drop(P)[h,q,k] · v[b,k,h]
//
// v (batch, T, e) for all heads, or, if each has its own, (batch, T, heads·e), P (heads, T, T) -> z (batch, T,
// heads·e). Behind it, a Linear and this become one operation.
func MixHeads(v, p *Node, each bool, drop Dropout) *Node {
	return op.Apply(op.MixHeadsOp{Each: each, Drop: drop}, v, p)
}

// MixSeparable is MixHeads by weights that are a product of one along rows and one along columns:
//
//	z[b,(i,j),h] = Σ_{k,l} drop(R[h,i,k]·C[h,j,l]) · v[b,(k,l),h]
//
// v as MixHeads has it, R (heads, rows, rows), C (heads, cols, cols) -> z (batch, rows·cols, heads·e). Behind it, a
// Linear and this become one operation that never builds a map of all pairs.
func MixSeparable(v, r, c *Node, each bool, drop Dropout) *Node {
	return MixHeads(v, op.Apply(op.OuterOp{}, r, c), each, drop)
}

// Terms are what scores that depend on the image are the sum of, for each head:
//
//	A[q,k] = Scale·Query[q]·Key[k] + Row[q, δ1] + Col[q, δ2] + Shift[δ],  δ = k - q
//
// Query and Key, Row and Col, or Shift may be nil. R1 and R2 are the reach of the heads' window along the rows and
// along the columns: rows - 1 and cols - 1 if a query sees all keys.
type Terms struct {
	Query *Node   // (batch, tokens, heads·d)
	Key   *Node   // (batch, tokens, heads·d), or (batch, tokens, d): one for all heads
	Row   *Node   // (batch, tokens, heads·(2·R1+1)): what each query gives each shift along the rows
	Col   *Node   // (batch, tokens, heads·(2·R2+1))
	Shift *Node   // (heads, (2·R1+1)·(2·R2+1)): the score of each shift, the same for all queries and images
	Scale float32 // of Query·Key
	Each  bool    // every head has values of its own
}

// A Window says which keys a query sees: Size × Size of them, Dilation tokens apart. Blocks of Stride × Stride queries
// share a window, in whose middle they are; the first block begins Offset tokens before the grid. Border says what the
// window has outside of the grid. The zero Window has all keys of the grid. All reports whether it has, Fits whether a
// query finds all its keys in n tokens of an axis, and Reach how many tokens away the farthest key of a query may be.
type Window = op.Window

// A Border says what a window has outside of the grid.
type Border = op.Border

// ZeroBorder: keys exist outside of the grid and have zero channels. AbsentBorder: they do not exist. ClampBorder: the
// window moves inside the grid.
const (
	ZeroBorder   = op.ZeroBorder
	AbsentBorder = op.AbsentBorder
	ClampBorder  = op.ClampBorder
)

// Heads says how many heads attend on how large a grid of tokens, and which keys a query sees.
type Heads struct {
	Count, Rows, Cols int
	Window            Window
}

// MixContent lets every head average the tokens by weights that depend on the image, the softmax of the terms:
//
//	z[b,q,h] = Σ_k drop(softmax(A_h))[b,q,k] · v[b,k,h]
//
// v (batch, tokens, e) for all heads, or, if t.Each, (batch, tokens, heads·e) -> z (batch, tokens, heads·e). The
// weights exist for some queries at a time, and backward computes them again.
func MixContent(t Terms, v *Node, heads Heads, drop Dropout) *Node {
	return op.MixContent(op.Terms(t), v, op.Heads(heads), drop)
}

// ContentScores returns Scale·Query[q]·Key[k] of every pair, to be looked at: it has no gradient.
//
// t -> (batch, heads, tokens, tokens), the keys last
func ContentScores(t Terms, heads Heads) *Node {
	return op.Apply(op.ContentScoresOp{Heads: op.Heads(heads), Scale: t.Scale}, t.Query, t.Key)
}

// ShiftPairScores returns Row[q, δ1] + Col[q, δ2] of every pair, to be looked at: it has no gradient.
//
// t -> (batch, heads, tokens, tokens), the keys last
func ShiftPairScores(t Terms, heads Heads) *Node {
	return op.Apply(op.ShiftPairScoresOp{Heads: op.Heads(heads)}, t.Row, t.Col)
}

// HeadScale multiplies what each head has by the head's own factor: y[…,h,c] = τ[h]·x[…,h,c].
//
// x (…, heads·n), τ (heads) -> y (…, heads·n)
func HeadScale(x, tau *Node) *Node { return op.Apply(op.HeadScaleOp{}, x, tau) }

// HeadBlend is between a and b for each head, by the head's own gate:
//
//	y[…,h,c] = (1-σ(λ[h]))·a[…,h,c] + σ(λ[h])·b[…,h,c],  σ(λ) = 1/(1+exp(-λ))
//
// a, b (…, heads·n), λ (heads) -> y (…, heads·n)
func HeadBlend(a, b, gate *Node) *Node { return op.Apply(op.HeadBlendOp{}, a, b, gate) }

// HeadsFirst puts heads before tokens. It is for readers of a graph: it has no gradient.
//
// x (batch, tokens, heads·n) -> y (batch, heads, tokens, n)
func HeadsFirst(x *Node, heads int) *Node { return op.Apply(op.HeadsFirstOp{Heads: heads}, x) }

// Identity gives every token a channel of its own: as the values of attention, they make its weights its result. images
// is how many images the result has.
//
// x (batch, tokens, …) -> y (images, tokens, tokens)
func Identity(x *Node, images int) *Node { return op.Apply(op.IdentityOp{Images: images}, x) }
