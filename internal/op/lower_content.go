package op

import "github.com/gomlx/gomlx/core/graph"

// lower is MixContent in a graph of GoMLX's: here the weights of all pairs are there at once.
func (m *contentMix) lower(l *Lowering, in []*graph.Node) *graph.Node {
	var scores *graph.Node // (batch, heads, queries, keys)
	if m.Content {
		axes, key := "bkd", in[m.key.at]
		if !m.key.forAll() {
			axes, key = "bkhd", graph.Reshape(key, m.batch, m.tokens, m.Count, m.key.size)
		}
		query := graph.Reshape(in[m.query.at], m.batch, m.tokens, m.Count, m.query.size)
		scores = graph.MulScalar(l.product("bqhd,"+axes+"->bhqk", query, key), m.Scale)
	}
	if m.Position {
		shifts := m.shiftScores(in[m.row.at], in[m.col.at])
		if scores == nil {
			scores = shifts
		} else {
			scores = graph.Add(scores, shifts)
		}
	}
	images := 1
	if m.Drop.PerImage {
		images = m.batch
	}
	p := l.masked(graph.Softmax(scores, -1), m.Drop, images, m.Count, m.tokens, m.tokens)
	return lowerHeads(l, "bhqk", p, in[m.value.at], m.Count, m.Each)
}

// shiftScores returns Row[q, δ1] + Col[q, δ2] of every pair, (batch, heads, queries, keys).
func (m *contentMix) shiftScores(row, col *graph.Node) *graph.Node {
	laid := func(x *graph.Node, at, n int) *graph.Node { // (batch, rows, cols, heads, n), the keys of one axis last
		return windows(graph.Reshape(x, m.batch, m.Rows, m.Cols, m.Count, 2*n-1), at, n)
	}
	byRow := graph.ExpandAxes(laid(row, 1, m.Rows), -1)
	byCol := graph.ExpandAxes(laid(col, 2, m.Cols), -2)
	both := graph.TransposeAllAxes(graph.Add(byRow, byCol), 0, 3, 1, 2, 4, 5)
	return graph.Reshape(both, m.batch, m.Count, m.tokens, m.tokens)
}
