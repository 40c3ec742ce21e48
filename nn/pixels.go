package nn

import "github.com/attnconv/attnconv/nn/op"

// SpaceToDepth turns every s × s square of pixels into one token. If s does not divide the sides of the images, they
// are padded below and to the right with zeros, which are the mean color, as in Swin Transformers (Liu et al. 2021,
// arXiv:2103.14030).
//
// x (batch, rows, cols, ch) -> (batch, ⌈rows/s⌉·⌈cols/s⌉, s²·ch)
type SpaceToDepth struct{ S int }

// Forward implements Layer.
func (l SpaceToDepth) Forward(_ *Graph, x *Node) *Node {
	if in := x.Shape(); len(in) == 4 && l.S > 0 && (in[1]%l.S != 0 || in[2]%l.S != 0) {
		x = op.Pad(x, (in[1]+l.S-1)/l.S*l.S, (in[2]+l.S-1)/l.S*l.S)
	}
	return op.SpaceToDepth(x, l.S)
}

// MeanTokens averages the tokens or pixels of each image.  x (batch, …, d) -> (batch, d)
type MeanTokens struct{}

// Forward implements Layer.
func (MeanTokens) Forward(_ *Graph, x *Node) *Node { return op.MeanTokens(x) }

// Seq applies its layers one after another.
type Seq []Layer

// Forward implements Layer.
func (s Seq) Forward(g *Graph, x *Node) *Node {
	for _, l := range s {
		x = l.Forward(g, x)
	}
	return x
}

// AsGrid gives tokens their rows and columns back.  x (batch, rows·cols, d) -> y (batch, rows, cols, d)
type AsGrid struct{ Rows, Cols int }

// Forward implements Layer.
func (l AsGrid) Forward(_ *Graph, x *Node) *Node { return op.AsGrid(x, l.Rows, l.Cols) }

// AsTokens lists tokens row by row.  x (batch, rows, cols, d) -> y (batch, rows·cols, d)
type AsTokens struct{}

// Forward implements Layer.
func (AsTokens) Forward(_ *Graph, x *Node) *Node { return op.AsTokens(x) }
