package model

import (
	"fmt"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// A Looker tells how the heads of a network score every pair of tokens, image after image.
type Looker struct {
	Grid    posenc.Grid
	ByImage bool // the scores depend on the image
	image   []float32
	f       *nn.Func
	layers  []attention.Look
}

// LayerScores are a layer's scores of one image before the softmax: of each head, query and key, (heads, tokens,
// tokens) with the keys last. They are the sum of two parts.
type LayerScores struct {
	Heads    int
	Content  []float32 // what the keys show; nil where heads do not look at that
	Position []float32 // where the keys stand; nil where heads do not look at that
}

// NewLooker builds the graph of the scores of n, which reads its weights whenever it runs. Close frees it.
func NewLooker(n *Network) (*Looker, error) {
	stack, ok := n.Layer.(*attention.Stack)
	if !ok {
		return nil, fmt.Errorf("model: a %s has no attention to look at", n.Spec.Kind)
	}
	grid, image := n.Spec.grid(), n.Spec.Image
	l := &Looker{Grid: grid, image: make([]float32, image[0]*image[1]*image[2])}
	l.ByImage = n.Spec.encodingKind().Queries
	g, err := nn.Build(false, func(g *nn.Graph) {
		var x *nn.Node
		if l.ByImage {
			x = g.Input("x", l.image, 1, image[0], image[1], image[2])
		}
		l.layers = stack.Looks(g, x)
	})
	if err != nil {
		return nil, err
	}
	var keep []*nn.Node
	for _, look := range l.layers {
		for _, n := range []*nn.Node{look.Row, look.Col, look.Full, look.Content, look.Shift} {
			if n != nil {
				keep = append(keep, n)
			}
		}
	}
	l.f, err = nn.Compile(g, nil, keep...)
	return l, err
}

// Of returns the scores of every layer for one image, (rows, columns, channels), as the loader normalises it. It may
// be nil unless ByImage.
func (l *Looker) Of(image []float32) ([]LayerScores, error) {
	if l.ByImage && len(image) != len(l.image) {
		return nil, fmt.Errorf("model: an image of %d numbers, got %d", len(l.image), len(image))
	}
	copy(l.image, image)
	if err := l.f.Run(0); err != nil {
		return nil, err
	}
	all := make([]LayerScores, len(l.layers))
	for i, look := range l.layers {
		s := LayerScores{Heads: look.Heads}
		if look.Content != nil {
			s.Content = append(s.Content, nn.Value(look.Content)...)
		}
		switch {
		case look.Shift != nil:
			s.Position = append(s.Position, nn.Value(look.Shift)...)
		case look.Full != nil:
			s.Position = append(s.Position, nn.Value(look.Full)...)
		case look.Row != nil:
			s.Position = l.sums(look)
		}
		all[i] = s
	}
	return all, nil
}

// sums returns the scores of all pairs from those along the axes.
func (l *Looker) sums(look attention.Look) []float32 {
	row, col, tokens := nn.Value(look.Row), nn.Value(look.Col), l.Grid.Rows*l.Grid.Cols
	a := make([]float32, look.Heads*tokens*tokens)
	rows, cols := l.Grid.Rows, l.Grid.Cols
	for i := range a {
		h, q, k := i/(tokens*tokens), i/tokens%tokens, i%tokens
		a[i] = row[(h*rows+q/cols)*rows+k/cols] + col[(h*cols+q%cols)*cols+k%cols]
	}
	return a
}

// Weights returns how much each query attends to each key: the softmax of the sum of the parts, over the keys.
func (s LayerScores) Weights(tokens int) []float32 {
	p := append([]float32{}, s.Content...)
	switch {
	case s.Content == nil:
		p = append(p, s.Position...)
	case s.Position != nil:
		kernel.Add(p, s.Position)
	}
	kernel.SoftmaxRows(p, p, tokens)
	return p
}

// Close frees the graph.
func (l *Looker) Close() error { return l.f.Close() }
