// Package op is this project's coarse operations. Layers record them ([Node]); what is recorded is emitted into
// gorgonia's graph, which differentiates and runs it ([Graph.Emit]).
//
// An operation is an [Op], its attributes, and the [Kernel] that it makes of its inputs' shapes: a forward and a
// backward on flat float32 slices. emit.go, grad.go and arena.go are the only files that know what gorgonia asks of an
// operation.
package op

import (
	"fmt"
	"slices"

	"gorgonia.org/tensor"
)

// Shape is the extent of a Node in each dimension.
type Shape = tensor.Shape

// An Op is one operation by only its attributes, a small comparable value: nothing of the size of data is allocated
// before the operation is emitted.
type Op interface {
	// String names the operation with every attribute that changes the result.
	String() string
	// Shape returns the extent of the result, or an *Error that says which shapes the operation takes.
	Shape(in []Shape) (Shape, error)
	// Cost returns what n takes, which is this operation.
	Cost(n *Node) Cost
	// Kernel returns the arithmetic for inputs that Shape takes.
	Kernel(in []Shape) Kernel
}

// A Kernel is the arithmetic of one operation in one graph. What it remembers between forward and backward it keeps in
// private buffers.
type Kernel struct {
	Forward func(y []float32, in [][]float32)
	// Backward overwrites every dIn; one of Skips that nobody asks for is nil. A Kernel without it is for graphs that
	// do not train.
	Backward func(dIn [][]float32, dy, y []float32, in [][]float32)
	// Recompute makes y once more after Forward, to the same bits and at little cost. Backwards that read y call it, so
	// that y need not stay in memory until they run. It is nil where y stays.
	Recompute func(y []float32, in [][]float32)

	// gradients that Backward omits where it finds nil; the others have memory even if nobody asks for them
	Skips       []int
	NotSaved    []int     // what Backward does not read: inputs by number, and Output. It finds nil there
	InPlace     bool      // dIn[0] may be dy
	Scratch     []Scratch // of Forward
	BackScratch []Scratch // of Backward
}

// Output stands for the result in NotSaved.
const Output = -1

// Scratch is memory that a kernel has while it works. It finds anything there.
type Scratch struct {
	Floats int
	At     *[]float32
}

// reads reports whether Backward reads input i, or the result where i is Output.
func (k *Kernel) reads(i int) bool { return !slices.Contains(k.NotSaved, i) }

// An Error is why a node cannot be recorded: an operation was given shapes that it cannot take, or inputs of several
// graphs, or gorgonia refuses its own. Building a graph panics with one; nn.Build returns it.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// fits returns out if ok, or else the error that o needs something else than in.
func fits(o Op, in []Shape, ok bool, out Shape, want string) (Shape, error) {
	if !ok {
		return nil, &Error{fmt.Errorf("%v: want %s, got %v", o, want, in)}
	}
	return out, nil
}

// hasDims reports whether the shapes have the dimensions, one by one.
func hasDims(in []Shape, dims ...int) bool {
	for i, d := range dims {
		if i >= len(in) || in[i].Dims() != d {
			return false
		}
	}
	return len(in) == len(dims)
}
