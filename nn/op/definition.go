package op

import "github.com/attnconv/attnconv/internal/op"

// A Definition is an operation of one's own on flat float32 slices in row-major order. Apply adds it to a graph, where
// it is differentiated, placed in memory and run like any other; on an accelerator it is refused.
//
// Its functions keep nothing from call to call: one Definition may stand in several places of a graph, and in several
// graphs that run at once. What depends on sizes is a closure over them, made where the nodes are known:
//
//	func Window(a *op.Node, radius int) *op.Node {
//		n := a.Shape()[1]
//		d := op.Definition{Name: fmt.Sprintf("window{%d}", radius), …}
//		return d.Apply(a)
//	}
//
// The first run of Forward and of Backward is watched: it is an error, and never a wrong value, if they leave an
// element unwritten or change what they read. CheckGradients tests that the two belong together.
type Definition struct {
	// Name says what the operation does, with every attribute that changes the result: window{3}. Errors, profiles and
	// the place of a value that is not finite are told with it.
	Name string
	// Want says which shapes the operation takes, in words: "a (heads, tokens, tokens)".
	Want string
	// Shape returns the extent of the result, or false where it cannot take the inputs. It must look at how many there
	// are.
	Shape func(in []Shape) (out Shape, ok bool)
	// Forward overwrites all of y.
	Forward func(y []float32, in [][]float32)
	// Backward overwrites every dIn, the gradient of the loss with respect to an input, given dy, that with respect to
	// the result. A dIn is nil where nobody asks for it. A nil Backward is an operation without gradient: to ask for
	// one is an error.
	Backward func(dIn [][]float32, dy, y []float32, in [][]float32)
	// Cost returns the multiply-adds of the forward pass, for descriptions of a network; nil: none.
	Cost func(in []Shape) int
	// Field is what a position of the result depends on, for descriptions of a network.
	Field Field
	// NotSaved lists what Backward does not read, inputs by number and Output for the result: their memory is free once
	// nobody else reads it, and Backward finds nil there.
	NotSaved []int
}

// Output stands for the result in NotSaved.
const Output = op.Output

// A Field is what a position of a result depends on: Size × Size positions of the first input, Step apart from one
// result to the next; or all of them if Whole. The zero Field is the position itself.
type Field struct {
	Size, Step int
	Whole      bool
}

// Apply adds the operation to the graph of its inputs. It panics with an *Error if the definition is incomplete, or
// does not take their shapes.
func (d Definition) Apply(in ...*Node) *Node {
	own := &op.Definition{Name: d.Name, Want: d.Want, Shape: d.Shape, Forward: d.Forward, Backward: d.Backward,
		Cost: d.Cost, Field: op.Field(d.Field), NotSaved: d.NotSaved}
	return own.Apply(in...)
}
