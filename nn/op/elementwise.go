package op

import "github.com/attnconv/attnconv/internal/op"

// combine records f of a and b.
func combine(f op.Combine, a, b *Node) *Node { return op.Apply(op.BroadcastOp{Func: f}, a, b) }

// Add returns a + b.
//
// Shapes of Add, Sub, Mul, Div and Max are aligned at their last axes, as in NumPy. Along an axis that one shape lacks,
// or where its extent is 1, all elements of the other meet the same one: a factor for each head, (heads, 1), times a
// table (heads, shifts). Constants are nn.Graph.Constant.
//
// a, b (…) -> y (…)
func Add(a, b *Node) *Node {
	if a != nil && b != nil && a.Shape().Eq(b.Shape()) {
		return op.Apply(op.AddOp{}, a, b)
	}
	return combine(op.Plus, a, b)
}

// Sub returns a - b; Add says which shapes.
func Sub(a, b *Node) *Node { return combine(op.Minus, a, b) }

// Mul returns a·b, element by element; Add says which shapes.
func Mul(a, b *Node) *Node { return combine(op.Times, a, b) }

// Div returns a/b, element by element; Add says which shapes. Dividing by 0 gives ±Inf, 0/0 NaN, and so do the
// gradients.
func Div(a, b *Node) *Node { return combine(op.Over, a, b) }

// Max returns the larger of a and b, element by element; Add says which shapes. The gradient goes to the larger, to a
// where they are equal. It is NaN where one of them is. With a small constant it bounds what Log, Sqrt and Div take.
func Max(a, b *Node) *Node { return combine(op.Max, a, b) }

// Exp returns eˣ, element by element.
//
// x (…) -> y (…)
func Exp(x *Node) *Node { return op.Apply(op.MapOp{Func: op.Exp}, x) }

// Log returns the natural logarithm, element by element. That of 0 is -Inf, of negative numbers NaN; so are gradients
// behind it.
//
// x (…) -> y (…)
func Log(x *Node) *Node { return op.Apply(op.MapOp{Func: op.Log}, x) }

// Sqrt returns the square root, element by element. Of negative numbers it is NaN. At 0 its gradient is not finite: add
// a small constant to x.
//
// x (…) -> y (…)
func Sqrt(x *Node) *Node { return op.Apply(op.MapOp{Func: op.Sqrt}, x) }

// Sum adds x up along an axis, which the result does not have; 0 is the first.
//
// x (…, n, …), of two axes or more -> y (…, …)
func Sum(x *Node, axis int) *Node { return op.Apply(op.SumOp{Axis: axis}, x) }
