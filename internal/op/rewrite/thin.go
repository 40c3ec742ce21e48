package rewrite

import "github.com/attnconv/attnconv/internal/op"

// thin returns p, U and u where x = U·p + u has more than twice as many channels as p: then [p 1 0], as op.WithOneOp
// makes it, is cheaper to mix and to multiply than x.
func thin(x *op.Node) (p, u, bias *op.Node, ok bool) {
	p, u, bias, ok = affine(x)
	return p, u, bias, ok && 2*u.Shape()[1] < u.Shape()[0]
}

// mapOfThin multiplies the tokens before a thin map instead of those behind it:
//
//	W·(U·p + u) + b = W·[U u 0]·[p 1 0] + b
//
// It pays for every map of the tokens, which goes from fewer columns; W·[U u 0] is once a run. Where the map is of
// mixed tokens, mixOfThin does it; a convolution is none, for the zeros around an image would need a zero instead of
// the one.
func mapOfThin(v *view, n *op.Node) *op.Node {
	x, w, b, ok := linear(n)
	if !ok || x.Shape().Dims() != 3 {
		return nil
	}
	p, u, bias, ok := thin(x)
	if !ok {
		return nil
	}
	return mapOf(v.withOne(p), v.foldInput(w, u, bias), b)
}

// mixOfThin mixes the tokens before a thin map instead of those behind it:
//
//	(P_h·(U·p + u))·W_hᵀ = (P_h·[p 1 0])·(W_h·[U u 0])ᵀ
//
// It pays where heads mix the tokens themselves, in MixSeparable, MixFull, and in a mixing that a map follows. Weights
// that depend on the image have to be made of [p 1 0] already, as mapOfThin leaves them: else the tokens behind the
// thin map are read all the same.
func mixOfThin(v *view, n *op.Node) *op.Node {
	if at, ok := affineAt(n); ok && at > 1 {
		p, u, bias, ok := thin(n.In()[0])
		if !ok {
			return nil
		}
		return with(n, inputs{0: v.withOne(p), at: v.foldInput(n.In()[at], u, bias)})
	}
	mixed, w, b, ok := affine(n)
	if !ok || !v.alone(mixed) {
		return nil
	}
	mixedThin, u, bias := mixOfThinTokens(v, mixed)
	if mixedThin == nil {
		return nil
	}
	return mapOf(mixedThin, v.foldInput(w, u, bias), b)
}

// mixOfThinTokens returns the mixing n of x = U·p + u as one of [p 1 0], or nil where n is none.
func mixOfThinTokens(v *view, n *op.Node) (mixed, u, bias *op.Node) {
	switch o := n.Op().(type) {
	case op.MixHeadsOp:
		p, u, bias, ok := thin(n.In()[0])
		if !ok || o.Each {
			return nil, nil, nil
		}
		return op.Apply(op.MixHeadsOp{Drop: o.Drop}, v.withOne(p), n.In()[1]), u, bias
	case op.MixContentOp:
		t, x := n.Terms()
		p, u, bias, ok := thin(x)
		if !ok || o.Each || t.Query == x || t.Key == x {
			return nil, nil, nil
		}
		return op.MixContent(t, v.withOne(p), o.Heads, o.Drop), u, bias
	}
	return nil, nil, nil
}

// withOne is [p 1 0], one for all its readers.
func (v *view) withOne(p *op.Node) *op.Node {
	return v.once(made{"with-one", p, nil, nil}, func() *op.Node { return op.Apply(op.WithOneOp{}, p) })
}

// foldInput is W·[U u 0], one for all its readers.
func (v *view) foldInput(w, u, bias *op.Node) *op.Node {
	return v.once(made{"fold-input", w, u, bias}, func() *op.Node { return op.Apply(op.FoldInputOp{}, w, u, bias) })
}
