package posenc

import (
	"fmt"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// A Rule says which keys the heads of a layer see, and what joins the scores of the layer's encoding. The zero Rule is
// the encoding as it is.
type Rule struct {
	Window op.Window // the keys that a query sees; zero: all
	// Content is added to scores of positions that images share; nil: nothing is.
	Content *ContentOnly
	// Gate is λ (heads). Content and positions then have a softmax each, and σ(λ) is between the weights:
	//
	//	P_h = (1-σ(λ_h))·softmax(content_h) + σ(λ_h)·softmax(position_h)
	//
	// Source: d'Ascoli et al. 2021 (arXiv:2103.10697), eq. 7. If it is nil, there is one softmax of the sum.
	Gate *nn.Param
	// Factor is τ (heads), which multiplies the scores before the softmax; nil: 1. Source: Lee et al. 2021
	// (arXiv:2112.13492), section 3.3, whose factor of content scores starts at 1/√d.
	Factor *nn.Param
}

// A Shared encoding gives each shift a score that is the same for all queries and images.
type Shared interface {
	Encoding
	// ShiftScores returns the scores of the shifts of at most rows and cols tokens along the axes,
	// (heads, (2·rows+1)·(2·cols+1)). Neighbors are unit apart, which is 1 unless the encoding is Scalable. It returns
	// nil if the scores depend on the image.
	ShiftScores(g *nn.Graph, rows, cols int, unit float64) *nn.Node
}

// Scores returns the scores of e under the rule. If the rule does not apply to e, it panics with an *op.Error, which
// nn.Build returns.
func (r Rule) Scores(g *nn.Graph, e Encoding, grid Grid) Scores {
	s := e.Scores(g, grid)
	content, byImage := s.(Content)
	switch {
	case r == (Rule{}):
		return s
	case byImage && r.Content == nil:
		content.Window, content.Factor = r.Window, use(g, r.Factor)
		return content
	case r.Window.All() && r.Content == nil:
		return r.timesFactor(g, s)
	}
	position := r.position(g, e, grid)
	if position.Shift == nil {
		panic(&op.Error{Err: fmt.Errorf("encoding %T has no scores of shifts that images share", e)})
	}
	if r.Content == nil {
		return position
	}
	content = r.Content.Scores(g, grid).(Content)
	content.Window, content.Factor = r.Window, position.Factor
	if r.Gate == nil {
		content.Shift = position.Shift
		return content
	}
	if !r.Window.All() {
		return gated{content, position, g.Use(r.Gate)}
	}
	return gated{content, r.timesFactor(g, s), g.Use(r.Gate)}
}

// position returns the scores of shifts within the window.
func (r Rule) position(g *nn.Graph, e Encoding, grid Grid) Content {
	unit := 1.0
	if s, ok := e.(scaled); ok {
		e, unit = s.Scalable, s.unit
	}
	p := Content{Grid: grid, Window: r.Window, Factor: use(g, r.Factor)}
	if e, ok := e.(Shared); ok {
		p.Shift = e.ShiftScores(g, r.Window.Reach(grid.Rows), r.Window.Reach(grid.Cols), unit)
	}
	if p.Shift != nil {
		p.Heads = p.Shift.Shape()[0]
	}
	return p
}

// timesFactor multiplies the scores of all pairs by the heads' factors.
func (r Rule) timesFactor(g *nn.Graph, s Scores) Scores {
	if r.Factor == nil {
		return s
	}
	factor := g.Use(r.Factor)
	switch s := s.(type) {
	case Separable:
		return Separable{timesHeads(s.Row, factor), timesHeads(s.Col, factor)}
	case Full:
		return Full{timesHeads(s.A, factor)}
	}
	panic(&op.Error{Err: fmt.Errorf("scores of type %T take no factors of heads", s)})
}

func use(g *nn.Graph, p *nn.Param) *nn.Node {
	if p == nil {
		return nil
	}
	return g.Use(p)
}

// gated scores have a softmax of content and one of positions.
type gated struct {
	content  Content
	position Scores
	gate     *nn.Node // λ (heads)
}

// Mix implements Scores. It averages the values by either weights and blends the averages, which is the same as to
// average by blended weights, and needs no map of each image.
func (s gated) Mix(g *nn.Graph, m Mixing) *nn.Node {
	if m.Tap != nil {
		m.Tap(ImageWeights, weights(g, s, m, s.content.Heads, m.X.Shape()[0]))
		m.Tap = nil
	}
	drop := m.Drop(true)
	m.Drop = func(bool) op.Dropout { return drop }
	return op.HeadBlend(s.content.Mix(g, m), s.position.Mix(g, m), s.gate)
}
