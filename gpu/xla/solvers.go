package xla

import (
	"math"

	"github.com/gomlx/gomlx/core/graph"
)

// A solver returns the next value of a parameter w with gradient g, and of its slots in the order of their names, of
// which those that it has not are nil. c are train.Solver's Coefficients of its group.
type solver func(w, g *graph.Node, slots, c []*graph.Node) (moved *graph.Node, kept []*graph.Node)

// solvers has the step of each of train.Solvers, by name.
var solvers = map[string]solver{"sgd": sgd, "adamw": adamW, "muon": muon}

// solverOf returns the step of the solver called name.
func solverOf(name string) (solver, error) {
	if s, ok := solvers[name]; ok {
		return s, nil
	}
	return nil, &Unlowered{"the solver " + name}
}

// sgd: v ← momentum·v + g + decay·w, w ← w - lr·v.
func sgd(w, g *graph.Node, slots, c []*graph.Node) (moved *graph.Node, kept []*graph.Node) {
	lr, momentum, decay := c[0], c[1], c[2]
	v := graph.Add(graph.Mul(slots[0], momentum), graph.Add(g, graph.Mul(w, decay)))
	return graph.Sub(w, graph.Mul(v, lr)), []*graph.Node{v}
}

// adamW: m ← b1·m + n1·g, v ← b2·v + n2·g², w ← keep·w - rate·m/(root·√v + eps).
func adamW(w, g *graph.Node, slots, c []*graph.Node) (moved *graph.Node, kept []*graph.Node) {
	keep, b1, n1, b2, n2, rate, root, eps := c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]
	m := graph.Add(graph.Mul(slots[0], b1), graph.Mul(g, n1))
	v := graph.Add(graph.Mul(slots[1], b2), graph.Mul(graph.Square(g), n2))
	by := graph.Div(m, graph.Add(graph.Mul(graph.Sqrt(v), root), eps))
	return graph.Sub(graph.Mul(w, keep), graph.Mul(by, rate)), []*graph.Node{m, v}
}

// muon: m ← momentum·m + g, w ← keep·w - rate·√max(rows, cols)·orthogonal(g + momentum·m) for a matrix w, which has the
// slot momentum; all else moves by AdamW.
func muon(w, g *graph.Node, slots, c []*graph.Node) (moved *graph.Node, kept []*graph.Node) {
	if slots[1] == nil {
		moved, kept = adamW(w, g, []*graph.Node{slots[0], slots[2]}, c)
		return moved, []*graph.Node{kept[0], nil, kept[1]}
	}
	keep, momentum, rate := c[0], c[8], c[9]
	m := graph.Add(graph.Mul(slots[1], momentum), g)
	rows := dim(w, 0)
	cols := w.Shape().Size() / rows
	o := orthogonal(graph.Reshape(graph.Add(g, graph.Mul(m, momentum)), rows, cols))
	o = graph.Mul(graph.MulScalar(o, math.Sqrt(float64(max(rows, cols)))), rate)
	return graph.Sub(graph.Mul(w, keep), graph.Reshape(o, w.Shape().Dimensions...)), []*graph.Node{nil, m, nil}
}

// orthogonal is about the semi-orthogonal matrix nearest to x, by the iteration of train/muon.go.  x (rows, cols)
func orthogonal(x *graph.Node) *graph.Node {
	tall := dim(x, 0) > dim(x, 1)
	if tall {
		x = graph.Transpose(x, 0, 1)
	}
	norm := graph.Sqrt(graph.ReduceAllSum(graph.Square(x)))
	x = graph.Div(x, graph.Where(graph.IsZero(norm), graph.OnesLike(norm), norm))
	for range 5 {
		a := graph.Einsum("ik,jk->ij", x, x)
		square := graph.Einsum("ik,kj->ij", a, a)
		p := graph.Add(graph.MulScalar(a, -4.7750), graph.MulScalar(square, 2.0315))
		x = graph.Add(graph.MulScalar(x, 3.4445), graph.Einsum("ik,kj->ij", p, x))
	}
	if tall {
		x = graph.Transpose(x, 0, 1)
	}
	return x
}
