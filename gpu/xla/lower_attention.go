package xla

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/attnconv/attnconv/internal/op"
)

// axisScores returns -½(s·(δ - Δ))² along one axis, δ = unit·(key - query).  Δ (heads, 2), s (heads) -> (heads, n, n)
func axisScores(o op.AxisScoresOp, center, spread *graph.Node) *graph.Node {
	n, heads, g := o.Tokens, dim(spread, 0), spread.Graph()
	delta := graph.Sub(positions(g, 2, 1, n, n), positions(g, 1, 1, n, n))
	e := graph.Sub(apart(delta, o.Unit), ofHead(center, int(o.Axis)))
	return graph.MulScalar(graph.Square(graph.Mul(e, graph.Reshape(spread, heads, 1, 1))), -0.5)
}

// generalScores returns -½‖Sᵀ(δ - Δ)‖² on a grid.  Δ (heads, 2), S (heads, 2, 2) -> (heads, T, T)
func generalScores(o op.GeneralScoresOp, center, root *graph.Node) *graph.Node {
	t, root := o.Rows*o.Cols, graph.Reshape(root, dim(root, 0), 4)
	e := func(axis int) *graph.Node {
		at := positions(center.Graph(), axis, o.Rows, o.Cols)
		delta := graph.Sub(graph.Reshape(at, 1, 1, t), graph.Reshape(at, 1, t, 1))
		return graph.Sub(apart(delta, o.Unit), ofHead(center, axis))
	}
	u := func(i int) *graph.Node {
		return graph.Add(graph.Mul(ofHead(root, i), e(0)), graph.Mul(ofHead(root, 2+i), e(1)))
	}
	return graph.MulScalar(graph.Add(graph.Square(u(0)), graph.Square(u(1))), -0.5)
}

// ofHead returns element i of each head.  x (heads, n) -> (heads, 1, 1)
func ofHead(x *graph.Node, i int) *graph.Node {
	return graph.Reshape(graph.Slice(x, graph.AxisRange(), graph.AxisElem(i)), -1, 1, 1)
}

// windows returns scores of n keys for each of n queries, from scores of shifts along the last axis of s: those of
// query q are the n from the middle - q on. Along the axis at, s has one row for each query, or one for all.
func windows(s *graph.Node, at, n int) *graph.Node {
	middle := dim(s, -1) / 2
	var all []*graph.Node
	for q := range n {
		own := graph.AxisRange(q, q+1)
		if dim(s, at) == 1 {
			own = graph.AxisRange()
		}
		all = append(all, graph.SliceAxis(graph.SliceAxis(s, at, own), -1, graph.AxisRange(middle-q, middle-q+n)))
	}
	return graph.Concatenate(all, at)
}

// shiftsOf returns scale·Σ_p q[t, h, first+p]·r[δ, p].  q (batch, T, heads·d) -> (batch, T, heads·(2n-1))
func (l *lowering) shiftsOf(o op.ShiftsOfOp, q, r *graph.Node) *graph.Node {
	r, axes, p := vectors(r, o.Heads, dim(q, 2), o.Tokens)
	part := graph.Reshape(q, -1, o.Heads, dim(q, 2)/o.Heads)
	part = graph.Slice(part, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(o.First, o.First+p))
	y := graph.MulScalar(l.product("thp,"+axes+"->ths", part, r), o.Scale)
	return graph.Reshape(y, dim(q, 0), dim(q, 1), -1)
}

// foldTable returns scale·Σ_p r[δ, p]·W[h, first+p]: shiftsOf of x·Wᵀ is x times it.  W (heads·d, …) -> (heads·(2n-1),
// …)
func (l *lowering) foldTable(o op.FoldTableOp, w, r *graph.Node) *graph.Node {
	r, axes, p := vectors(r, o.Heads, dim(w, 0), o.Tokens)
	part := graph.Reshape(w, o.Heads, dim(w, 0)/o.Heads, -1)
	part = graph.Slice(part, graph.AxisRange(), graph.AxisRange(o.First, o.First+p))
	y := graph.MulScalar(l.product(axes+",hpi->hsi", r, part), o.Scale)
	return graph.Reshape(y, append([]int{-1}, w.Shape().Dimensions[1:]...)...)
}

// vectors returns those of a table for the shifts within n, their axes, and how many elements each has: for all heads
// (2n-1, p), or, in a table as wide as all heads together, (2n-1, heads, p).
func vectors(table *graph.Node, heads, wide, n int) (r *graph.Node, axes string, p int) {
	middle := dim(table, 0) / 2
	r = graph.Slice(table, graph.AxisRange(middle-(n-1), middle+n))
	if dim(table, 1) != wide {
		return r, "sp", dim(table, 1)
	}
	return graph.Reshape(r, 2*n-1, heads, wide/heads), "shp", wide / heads
}

// outer returns P[h, (i,j), (k,l)] = R[h,i,k]·C[h,j,l].
func outer(r, c *graph.Node) *graph.Node {
	heads, rows, cols := dim(r, 0), dim(r, 1), dim(c, 1)
	p := graph.Mul(graph.Reshape(r, heads, rows, 1, rows, 1), graph.Reshape(c, heads, 1, cols, 1, cols))
	return graph.Reshape(p, heads, rows*cols, rows*cols)
}

// mixHeads returns z[b,q,h] = Σ_k drop(P)[h,q,k]·v[b,k,h].
func (l *lowering) mixHeads(o op.MixHeadsOp, v, p *graph.Node) *graph.Node {
	axes := "hqk"
	if o.Drop.PerImage {
		axes, p = "bhqk", graph.BroadcastPrefix(p, dim(v, 0))
	}
	return l.mix(axes, l.masked(p, o.Drop), v, o.Each)
}

// mix returns the heads' averages of v by the weights p, side by side; axes are those of p, "hqk" or "bhqk".
func (l *lowering) mix(axes string, p, v *graph.Node, each bool) *graph.Node {
	batch, tokens, equation := dim(v, 0), dim(v, 1), axes+",bke->bqhe"
	if each { // head has values of its own
		equation, v = axes+",bkhe->bqhe", graph.Reshape(v, batch, tokens, dim(p, -3), -1)
	}
	return graph.Reshape(l.product(equation, p, v), batch, tokens, -1)
}

// mixContent returns z[b,q,h] = Σ_k drop(softmax(A_h))[b,q,k]·v[b,k,h] with A = scale·Q·Kᵀ + row + col. The weights of
// all pairs are in memory at once. Windows, and scores of shifts that images share, have no equation here yet.
func (l *lowering) mixContent(o op.MixContentOp, in []*graph.Node) *graph.Node {
	if o.Shift || !o.Heads.Window.All() {
		return nil
	}
	v, rest := in[0], in[1:]
	batch, tokens, heads := dim(v, 0), dim(v, 1), o.Heads.Count
	var scores *graph.Node // (batch, heads, queries, keys)
	if o.Content {
		query, key := rest[0], v
		if rest = rest[1:]; !o.KeyIsValue {
			key, rest = rest[0], rest[1:]
		}
		d, axes := dim(query, 2)/heads, "bkd"
		if dim(key, 2) != d { // each head has keys of its own
			axes, key = "bkhd", graph.Reshape(key, batch, tokens, heads, d)
		}
		query = graph.Reshape(query, batch, tokens, heads, d)
		scores = graph.MulScalar(l.product("bqhd,"+axes+"->bhqk", query, key), o.Scale)
	}
	if o.Position {
		if shifts := shiftScores(o.Heads, rest[0], rest[1]); scores == nil {
			scores = shifts
		} else {
			scores = graph.Add(scores, shifts)
		}
	}
	images := 1
	if o.Drop.PerImage {
		images = batch
	}
	p := l.masked(graph.Softmax(scores, -1), o.Drop, images, heads, tokens, tokens)
	return l.mix("bhqk", p, v, o.Each)
}

// shiftScores returns row[q, δ1] + col[q, δ2] of every pair, (batch, heads, queries, keys).
func shiftScores(h op.Heads, row, col *graph.Node) *graph.Node {
	batch, tokens := dim(row, 0), h.Rows*h.Cols
	laid := func(x *graph.Node, at, n int) *graph.Node { // (batch, rows, cols, heads, n), the keys of one axis last
		return windows(graph.Reshape(x, batch, h.Rows, h.Cols, h.Count, 2*n-1), at, n)
	}
	byRow := graph.ExpandAxes(laid(row, 1, h.Rows), -1)
	byCol := graph.ExpandAxes(laid(col, 2, h.Cols), -2)
	both := graph.TransposeAllAxes(graph.Add(byRow, byCol), 0, 3, 1, 2, 4, 5)
	return graph.Reshape(both, batch, h.Count, tokens, tokens)
}

// apart is delta in tokens of the whole image, of which neighbors are unit apart.
func apart(delta *graph.Node, unit float32) *graph.Node {
	if unit == 1 {
		return delta
	}
	return graph.MulScalar(delta, unit)
}
