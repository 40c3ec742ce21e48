package xla

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/attnconv/attnconv/internal/kernel/vec"
	"github.com/attnconv/attnconv/internal/op"
)

// masked returns x times the mask of d. The mask has the extents dims, or those of x without dims; its rows are the
// last axis, and an axis of one is repeated.
func (l *lowering) masked(x *graph.Node, d op.Dropout, dims ...int) *graph.Node {
	if d.Rate == 0 {
		return x
	}
	if len(dims) == 0 {
		dims = x.Shape().Dimensions
	}
	size, cols := 1, dims[len(dims)-1]
	for _, n := range dims {
		size *= n
	}
	mask := graph.Reshape(l.mask(d, size/cols, cols), dims...)
	return graph.Mul(x, graph.BroadcastToShape(mask, x.Shape()))
}

// mask returns the first rows of the mask of d, (rows, cols), bit by bit that of vec.Dropout.
func (l *lowering) mask(d op.Dropout, rows, cols int) *graph.Node {
	blocks := (cols + 31) / 32 // of four words of eight lanes
	counter := shapes.Make(dtypes.Uint32, rows, 8*blocks)
	step := func(half int) *graph.Node {
		return graph.BroadcastToShape(graph.Reshape(graph.Slice(l.step, graph.AxisElem(half)), 1, 1), counter)
	}
	words := philox(
		[4]*graph.Node{graph.Iota(l.graph, counter, 1), graph.Iota(l.graph, counter, 0), step(0), step(1)},
		[2]uint32{uint32(d.Key), uint32(d.Key >> 32)},
	)
	for i, w := range words {
		words[i] = graph.Reshape(w, rows, blocks, 1, 8)
	}
	all := graph.Reshape(graph.Concatenate(words[:], 2), rows, 32*blocks)
	all = graph.Slice(all, graph.AxisRange(), graph.AxisRange(0, cols))
	below := graph.Scalar(l.graph, dtypes.Uint32, vec.Dropout{Rate: d.Rate}.Threshold())
	kept := graph.ConvertDType(graph.GreaterOrEqual(all, below), dtypes.Float32)
	return graph.MulScalar(kept, 1/(1-d.Rate))
}

// philox is Philox4x32-10 of each counter.
func philox(c [4]*graph.Node, key [2]uint32) [4]*graph.Node {
	mul := func(x *graph.Node, by uint32) (high, low *graph.Node) {
		product := graph.MulScalar(graph.ConvertDType(x, dtypes.Uint64), by)
		high = graph.ConvertDType(graph.BitwiseShiftRightLogicalScalar(product, uint64(32)), dtypes.Uint32)
		return high, graph.MulScalar(x, by)
	}
	xor := func(a, b *graph.Node, key uint32) *graph.Node {
		return graph.BitwiseXor(graph.BitwiseXor(a, b), graph.Scalar(a.Graph(), dtypes.Uint32, key))
	}
	for range vec.PhiloxRounds {
		high0, low0 := mul(c[0], vec.PhiloxM0)
		high1, low1 := mul(c[2], vec.PhiloxM1)
		c = [4]*graph.Node{xor(high1, c[1], key[0]), low1, xor(high0, c[3], key[1]), low0}
		key[0] += vec.PhiloxW0
		key[1] += vec.PhiloxW1
	}
	return c
}
