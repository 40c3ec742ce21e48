package attention

import (
	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// A Look is where a layer's scores, before the softmax, stand in a graph. What a layer does not have is nil; where there
// are several, the scores are their sum.
type Look struct {
	Heads    int
	Row, Col *nn.Node // (heads, rows, rows), (heads, cols, cols): along the axes
	Full     *nn.Node // (heads, tokens, tokens): of pairs of places, whatever the image
	Content  *nn.Node // (heads, tokens, tokens): what keys show
	Shift    *nn.Node // (heads, tokens, tokens): where keys stand, as the query's content wants it
}

// Looks adds the network to g for one image x, and returns its layers' scores. x may be nil where no layer looks at
// the image; then g has the scores alone.
func (n *Stack) Looks(g *nn.Graph, x *nn.Node) []Look {
	var looks []Look
	if x != nil {
		x = n.tokens(g, x)
	}
	for _, b := range n.Blocks {
		looks = append(looks, b.Attend.look(g, x))
		if x != nil {
			x = b.Forward(g, x)
		}
	}
	return looks
}

// tokens returns what the first block takes.
func (n *Stack) tokens(g *nn.Graph, x *nn.Node) *nn.Node {
	x = n.Upscale.Forward(g, n.Pixels.Forward(g, x))
	if n.Absolute != nil {
		x = n.Absolute.Forward(g, x)
	}
	return x
}

func (l *SelfAttention) look(g *nn.Graph, x *nn.Node) Look {
	look := Look{Heads: l.heads}
	switch s := l.Encoding.Scores(g, l.grid).(type) {
	case posenc.Separable:
		look.Row, look.Col = s.Row, s.Col
	case posenc.Full:
		look.Full = s.A
	case posenc.Content:
		t, heads := s.Of(x), op.Heads{Count: l.heads, Rows: l.grid.Rows, Cols: l.grid.Cols}
		if t.Query != nil {
			look.Content = op.ContentScores(t, heads)
		}
		if t.Row != nil {
			look.Shift = op.ShiftPairScores(t, heads)
		}
	}
	return look
}
