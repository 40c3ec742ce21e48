package rewrite

import "github.com/attnconv/attnconv/internal/op"

// affineThenLinear folds two maps with nothing between them into one:
//
//	D·(A(z) + a) + b = (D·A)(z) + (D·a + b)
//
// where A is linear, a convolution, or ends in a linear map of mixed heads. It pays where the rows that the second map
// would multiply are more than the columns of A, which are multiplied once a run. A graph that does not train folds
// once for all its runs, and always pays.
func affineThenLinear(v *view, n *op.Node) *op.Node {
	first, d, b, ok := affine(n)
	if !ok || !v.alone(first) {
		return nil
	}
	at, ok := affineAt(first)
	if !ok {
		return nil
	}
	w, a := first.In()[at], first.In()[at+1]
	columns := w.Shape().TotalSize() / w.Shape()[0]
	if rows := first.Shape().TotalSize() / w.Shape()[0]; v.Train && rows <= columns {
		return nil
	}
	return with(first, inputs{at: op.Apply(op.ProductOp{}, d, w), at + 1: mapOf(a, d, b)})
}

// affineAt returns which input of n is the W of a map that n ends in, with what is added to it behind.
func affineAt(n *op.Node) (w int, ok bool) {
	switch n.Op().(type) {
	case op.LinearOp, op.ConvOp:
		return 1, len(n.In()) > 2
	case op.MixFullOp:
		return 2, true
	case op.MixSeparableOp:
		return 3, true
	}
	return 0, false
}
