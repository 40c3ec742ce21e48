package rewrite

import "github.com/attnconv/attnconv/internal/op"

// mixThenMap is MixSeparable, or MixFull, where heads average the same tokens by weights that the batch shares and one
// map follows:
//
//	[P_1·X … P_H·X]·Wᵀ + b,  P_h = R_h ⊗ C_h or any
//
// It always pays: the heads' averages side by side, H times as large as X, never are in memory as a whole, and a
// separable P is never built. Heads with values of their own, and images with masks of their own, stay as they are.
func mixThenMap(v *view, n *op.Node) *op.Node {
	mixed, w, b, ok := affine(n)
	if !ok || !v.alone(mixed) {
		return nil
	}
	mix, ok := is[op.MixHeadsOp](mixed)
	if !ok || mix.Each || mix.Drop.PerImage {
		return nil
	}
	x, p := mixed.In()[0], mixed.In()[1]
	if _, separable := is[op.OuterOp](p); separable && !v.pinned[p] {
		return op.Apply(op.MixSeparableOp{Drop: mix.Drop}, x, p.In()[0], p.In()[1], w, b)
	}
	return op.Apply(op.MixFullOp{Drop: mix.Drop}, x, p, w, b)
}
