package rewrite

import "github.com/attnconv/attnconv/internal/op"

// geluLinear is GELULinear: W·g(V·x + b) + c, where nothing else reads what is between. It always pays: g(V·x + b) is
// made chunk by chunk, and recomputed in backward.
func geluLinear(v *view, n *op.Node) *op.Node {
	a, w, c, ok := affine(n)
	if !ok || !v.alone(a) {
		return nil
	}
	if _, ok := is[op.GELUOp](a); !ok {
		return nil
	}
	up := a.In()[0]
	x, m, b, ok := affine(up)
	if !ok || !v.alone(up) {
		return nil
	}
	return op.Apply(op.GELULinearOp{}, mapOf(x, m, nil).InPlaceOf(up), b, w, c)
}
