package nn

import "github.com/attnconv/attnconv/op"

// SpaceToDepth makes every s × s square of pixels one token. Where s does not divide the sides of the images, these are
// padded with zeros, which are the mean colour, below and to the right, as Swin Transformers pad them (Liu et al. 2021,
// arXiv:2103.14030).
//
// x (batch, rows, cols, ch) -> (batch, ⌈rows/s⌉·⌈cols/s⌉, s²·ch)
type SpaceToDepth struct{ S int }

// Forward adds the layer to g.
func (l SpaceToDepth) Forward(_ *Graph, x *Node) *Node {
	if in := x.Shape(); len(in) == 4 && l.S > 0 && (in[1]%l.S != 0 || in[2]%l.S != 0) {
		x = op.Pad(x, (in[1]+l.S-1)/l.S*l.S, (in[2]+l.S-1)/l.S*l.S)
	}
	return op.SpaceToDepth(x, l.S)
}

// MeanTokens averages the tokens or pixels of each image.  x (batch, …, d) -> (batch, d)
type MeanTokens struct{}

// Forward adds the layer to g.
func (MeanTokens) Forward(_ *Graph, x *Node) *Node { return op.MeanTokens(x) }

// Seq is layers one after another.
type Seq []Layer

// Forward adds the layers to g.
func (s Seq) Forward(g *Graph, x *Node) *Node {
	for _, l := range s {
		x = l.Forward(g, x)
	}
	return x
}

// AsGrid gives tokens their rows and columns back.  x (batch, rows·cols, d) -> y (batch, rows, cols, d)
type AsGrid struct{ Rows, Cols int }

// Forward adds the layer to g.
func (l AsGrid) Forward(_ *Graph, x *Node) *Node { return op.AsGrid(x, l.Rows, l.Cols) }

// AsTokens lists tokens row by row.  x (batch, rows, cols, d) -> y (batch, rows·cols, d)
type AsTokens struct{}

// Forward adds the layer to g.
func (AsTokens) Forward(_ *Graph, x *Node) *Node { return op.AsTokens(x) }
