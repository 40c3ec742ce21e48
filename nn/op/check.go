package op

import (
	"math/rand/v2"

	"github.com/attnconv/attnconv/internal/op"
)

// CheckGradients compares the backward pass of an operation, or of what f makes of several, with differences of its
// forward pass:
//
//	err := op.CheckGradients(func(in ...*op.Node) *op.Node { return square.Apply(in...) }, nil, op.Shape{2, 3})
//
// It is meant for a test. Inputs have the given shapes, and elements from draw, or if that is nil from ±[0.1, 1], the
// same in each call. Every input's gradient is compared, up to 64 elements of it: together with the others', and alone,
// while nobody asks for theirs. The graph runs several times, in memory that is planned as in training. The error names
// the element that differs by more than 1e-4, relative where it is above 1; it is an *Error where f cannot be recorded.
//
// A result that has kinks within 1/32 of an element differs there although its gradient is right: draw other elements.
func CheckGradients(f func(in ...*Node) *Node, draw func() float32, shapes ...Shape) error {
	if draw == nil {
		rng := rand.New(rand.NewPCG(1, 2))
		draw = func() float32 {
			v := 0.1 + 0.9*rng.Float32()
			if rng.IntN(2) == 0 {
				return -v
			}
			return v
		}
	}
	return op.CheckGradients(f, draw, shapes...)
}
