package op

import "github.com/attnconv/attnconv/internal/op"

// MixHeads lets every head average the tokens by its own weights, shared by the batch, and puts the heads side by side:
//
//	z[b,q,h] = Σ_k drop(P)[h,q,k] · v[b,k,h]
//
// v (batch, T, e) for all heads, or, if each has its own, (batch, T, heads·e), P (heads, T, T) -> z (batch, T, heads·e).
// Behind it, a Linear and this become one operation.
func MixHeads(v, p *Node, each bool, drop Dropout) *Node { return op.MixHeads(v, p, each, drop) }

// MixSeparable is MixHeads by weights that are a product of one along rows and one along columns:
//
//	z[b,(i,j),h] = Σ_{k,l} drop(R[h,i,k]·C[h,j,l]) · v[b,(k,l),h]
//
// v as MixHeads has it, R (heads, rows, rows), C (heads, cols, cols) -> z (batch, rows·cols, heads·e). Behind it, a Linear
// and this become one operation that never builds a map of all pairs.
func MixSeparable(v, r, c *Node, each bool, drop Dropout) *Node {
	return op.MixHeads(v, op.Outer(r, c), each, drop)
}

// Terms are what scores that depend on the image are the sum of, for each head:
//
//	A[q,k] = Scale·Query[q]·Key[k] + Row[q, δ1] + Col[q, δ2],  δ = k - q
//
// Query and Key, or Row and Col, may be nil.
type Terms struct {
	Query *Node   // (batch, tokens, heads·d)
	Key   *Node   // (batch, tokens, heads·d), or (batch, tokens, d): one for all heads
	Row   *Node   // (batch, tokens, heads·(2·rows-1)): what each query gives each shift along the rows
	Col   *Node   // (batch, tokens, heads·(2·cols-1))
	Scale float32 // of Query·Key
	Each  bool    // every head has values of its own
}

// Heads are how many heads attend on how large a grid of tokens.
type Heads struct{ Count, Rows, Cols int }

// MixContent lets every head average the tokens by weights that depend on the image, the softmax of the terms:
//
//	z[b,q,h] = Σ_k drop(softmax(A_h))[b,q,k] · v[b,k,h]
//
// v (batch, tokens, e) for all heads, or, if t.Each, (batch, tokens, heads·e) -> z (batch, tokens, heads·e). The weights
// exist for some queries at a time, and backward computes them again.
func MixContent(t Terms, v *Node, heads Heads, drop Dropout) *Node {
	return op.MixContent(op.Terms(t), v, op.Heads(heads), drop)
}

// ContentScores returns Scale·Query[q]·Key[k] of every pair, to be looked at: it has no gradient.
//
// t -> (batch, heads, tokens, tokens), the keys last
func ContentScores(t Terms, heads Heads) *Node {
	return op.ContentScores(op.Terms(t), op.Heads(heads))
}

// ShiftPairScores returns Row[q, δ1] + Col[q, δ2] of every pair, to be looked at: it has no gradient.
//
// t -> (batch, heads, tokens, tokens), the keys last
func ShiftPairScores(t Terms, heads Heads) *Node {
	return op.ShiftPairScores(op.Terms(t), op.Heads(heads))
}
