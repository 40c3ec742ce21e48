// Package op is the operations that layers are built of, and [Definition], for an operation of one's own.
//
// An operation takes nodes of one graph and returns a new one. Nothing is computed yet: the graph, an [nn.Graph] of the
// package nn, records what is said. Compiled, it is rewritten into something equal up to rounding that is faster, gets
// its gradients, and runs. An encoding, a layer or a block is written with these operations and the parameters of its
// own; those of this module are written so.
//
// Elements are float32 in row-major order, channels last: tokens are (batch, tokens, channels), images (batch, rows,
// columns, channels). Weights are stored as PyTorch stores them, (out, in).
//
// Shapes that do not fit, nodes of two graphs, and a nil node where one is needed are faults of whoever writes the
// layer: the operation panics with an [*Error] that says what it wants and what it got. nn.Build and [CheckGradients]
// return it.
//
// Stable: Definition, and what operations compute. More are added; fields of Definition may be, and keep their zero
// value.
//
// [nn.Graph]: https://pkg.go.dev/github.com/attnconv/attnconv/nn#Graph
package op

import (
	"github.com/attnconv/attnconv/internal/op"
)

// Node is a recorded value: a parameter, an input, or the result of an operation. Its method Shape returns its extents,
// which nobody may change. Its elements exist once the graph has run: nn.Value returns them. What the graph has
// recorded is read by Op, of which a leaf has none, In, and of a leaf Name, Elements and IsData. AliasOf, Emitted,
// InPlaceOf, Owners, Reads, Terms and With are of the engine that rewrites graphs, and can change.
type Node = op.Node

// Shape is the extent of a node in each dimension, a []int. A scalar has none.
type Shape = op.Shape

// Error is why an operation cannot be recorded, in its field Err. Operations panic with an *Error; nn.Build returns it,
// for errors.As.
type Error = op.Error

// Dropout zeroes elements with a probability and scales the others by 1/(1-rate). nn.Graph.Dropout makes one; the zero
// Dropout keeps everything. Its fields Rate, Key and Clock are that probability, the random stream and the graph's
// step. PerImage says that each image of a batch has a mask of its own over weights of attention; else all images share
// that of the first.
type Dropout = op.Dropout
