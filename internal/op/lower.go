package op

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// A Lowering builds operations a second time, in a graph of GoMLX, which differentiates them and which a backend
// compiles as one program: XLA for an accelerator. Each operation says its equation again, by its kernel's Lower.
//
// What an operation reads beside its inputs, or leaves beside its result, is here.
type Lowering struct {
	Step    *graph.Node // uint32 (2), the low half first: the number of the step, for dropout
	Labels  *graph.Node // int32 (batch), for the loss; -1: the image is padding and does not count
	Correct *graph.Node // float32 scalar: images whose largest logit is at their label; the loss leaves it here
	Half    bool        // factors of products are rounded to bfloat16

	graph   *graph.Graph
	nodes   map[*Node]*graph.Node
	moments map[*Moments]LoweredMoments
}

// LoweredMoments are Moments in a graph of GoMLX's.
type LoweredMoments struct {
	Rows           int
	Mean, Variance *graph.Node // (d)
}

// NewLowering returns one to g that knows no values yet.
func NewLowering(g *graph.Graph) *Lowering {
	return &Lowering{graph: g, nodes: map[*Node]*graph.Node{}, moments: map[*Moments]LoweredMoments{}}
}

// Place says where the value of n, a parameter or an input, is found.
func (l *Lowering) Place(n *Node, at *graph.Node) { l.nodes[n] = at }

// Knows reports whether n has a place.
func (l *Lowering) Knows(n *Node) bool { return l.nodes[n] != nil }

// Moments returns what the operation of m has left there.
func (l *Lowering) Moments(m *Moments) LoweredMoments { return l.moments[m] }

// Constant places n, an input with a value, as that value.
func (l *Lowering) Constant(n *Node) {
	l.Place(n, graph.Reshape(graph.Const(l.graph, floats(n.leaf)), n.Shape()...))
}

// Lower returns n in GoMLX's graph. It panics with an *Unlowered where an operation has no equation there.
func (l *Lowering) Lower(n *Node) *graph.Node {
	if v, ok := l.nodes[n]; ok {
		return v
	}
	switch {
	case n.op == nil && n.leaf == nil:
		panic(&Unlowered{n.name})
	case n.op == nil:
		l.Constant(n)
		return l.nodes[n]
	}
	in, shapes := make([]*graph.Node, len(n.in)), make([]Shape, len(n.in))
	for i, c := range n.in {
		in[i], shapes[i] = l.Lower(c), c.shape
	}
	k := n.op.Kernel(shapes)
	if k.Lower == nil {
		panic(&Unlowered{n.String()})
	}
	v := k.Lower(l, in)
	l.Place(n, v)
	return v
}

// Unlowered names what cannot leave the CPU.
type Unlowered struct{ Op string }

func (u *Unlowered) Error() string {
	return fmt.Sprintf("%s: runs on the CPU alone; an accelerator's program cannot hold it", u.Op)
}

// product returns the sum of products that an equation like "ij,kj->ik" says.
func (l *Lowering) product(equation string, a, b *graph.Node) *graph.Node {
	return l.rounded(func(a, b *graph.Node) *graph.Node { return graph.Einsum(equation, a, b) }, a, b)
}

// rounded returns f(a, b), of factors that are rounded if that is wanted.
func (l *Lowering) rounded(f func(a, b *graph.Node) *graph.Node, a, b *graph.Node) *graph.Node {
	if !l.Half {
		return f(a, b)
	}
	half := func(x *graph.Node) *graph.Node { return graph.ConvertDType(x, dtypes.BFloat16) }
	return graph.ConvertDType(f(half(a), half(b)), dtypes.Float32)
}

// linear returns x·Wᵀ + b, if there is one.  x (…, in), W (out, in), b (out) -> (…, out)
func (l *Lowering) linear(x, w *graph.Node, b ...*graph.Node) *graph.Node {
	in, dims := w.Shape().Dimensions[1], slices.Clone(x.Shape().Dimensions)
	y := l.product("ni,oi->no", graph.Reshape(x, x.Shape().Size()/in, in), w)
	dims[len(dims)-1] = w.Shape().Dimensions[0]
	return plus(graph.Reshape(y, dims...), b)
}

// plus returns y, each row plus b, if there is one.
func plus(y *graph.Node, b []*graph.Node) *graph.Node {
	if len(b) > 0 {
		y = graph.Add(y, alike(b[0], y))
	}
	return y
}

// alike repeats v, the numbers of x's last axes, until it is like x.
func alike(v, x *graph.Node) *graph.Node {
	return graph.BroadcastToShape(graph.ExpandLeftToRank(v, x.Rank()), x.Shape())
}

// positions counts along one axis of float32 numbers.
func positions(g *graph.Graph, axis int, dims ...int) *graph.Node {
	return graph.Iota(g, shapes.Make(dtypes.Float32, dims...), axis)
}

// inverseRoot returns 1/√(variance + eps).
func inverseRoot(variance *graph.Node, eps float64) *graph.Node {
	return graph.Reciprocal(graph.Sqrt(graph.AddScalar(variance, eps)))
}
