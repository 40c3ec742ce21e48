package xla

import "github.com/gomlx/gomlx/core/graph"

// A solver returns the next value of a parameter w with gradient g, and of its slots in the order of their names. c are
// train.Solver's Coefficients of its group.
type solver func(w, g *graph.Node, slots, c []*graph.Node) (moved *graph.Node, kept []*graph.Node)

// solvers has the step of each of train.Solvers, by name.
var solvers = map[string]solver{"sgd": sgd, "adamw": adamW}

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
