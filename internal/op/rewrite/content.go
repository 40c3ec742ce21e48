package rewrite

import "github.com/attnconv/attnconv/internal/op"

// tableIntoQuery makes what a query gives each shift a map of what the query is a map of:
//
//	r·(W·x + b) = (r·W)·x + r·b
//
// It pays as long as a head has no more shifts along an axis than channels, as on images: r·W is made once a run, and
// the query need not be there at all if nothing else reads it.
func tableIntoQuery(_ *view, n *op.Node) *op.Node {
	o, ok := is[op.ShiftsOfOp](n)
	if !ok {
		return nil
	}
	table := n.In()[1]
	return remap(n.In()[0], func(w *op.Node) *op.Node {
		return op.Apply(op.FoldTableOp(o), w, table)
	})
}

// keyIntoQuery folds the two maps of a query and a key into one of the query, head by head:
//
//	(W_q·x_q + b)·(W_k·x_k) = ((W_kᵀ·W_q)·x_q + W_kᵀ·b)·x_k
//
// Then x itself is the key of all heads. It pays where a head is so wide that one map of in × in channels takes fewer
// multiplications a token than two of in × d, scores included.
func keyIntoQuery(v *view, n *op.Node) *op.Node {
	o, ok := is[op.MixContentOp](n)
	if !ok || !o.Content || o.KeyIsValue {
		return nil
	}
	t, value := n.Terms()
	x, key, bias, ok := linear(t.Key)
	if !ok || bias != nil || !v.alone(t.Key) || !v.alone(t.Query) || t.Key.Shape()[2] != t.Query.Shape()[2] {
		return nil
	}
	in, d, tokens := key.Shape()[1], key.Shape()[0]/o.Heads.Count, x.Shape()[1]
	if in*(in+tokens) > d*(2*in+tokens) {
		return nil
	}
	fold := op.FoldKeyOp{Heads: o.Heads.Count, Scale: t.Scale}
	t.Query = remap(t.Query, func(w *op.Node) *op.Node { return op.Apply(fold, w, key) })
	if t.Query == nil {
		return nil
	}
	t.Key, t.Scale = x, 1
	return op.MixContent(t, value, o.Heads, o.Drop)
}

// remap is n, a map W·x + b of tokens or one row b for all of them, as the map by f(W) and f(b); nil if n is neither.
func remap(n *op.Node, f func(w *op.Node) *op.Node) *op.Node {
	if o, ok := is[op.RepeatOp](n); ok {
		return op.Apply(o, f(n.In()[0])).InPlaceOf(n)
	}
	x, w, b, ok := linear(n)
	if !ok {
		return nil
	}
	if b != nil {
		b = f(b)
	}
	return mapOf(x, f(w), b).InPlaceOf(n)
}
