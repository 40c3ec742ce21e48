package attention

import (
	"strings"

	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// What a layer's taps on its attention scores, before the softmax, are called after the layer. Where it has several,
// the scores are their sum.
const (
	RowScores     = "scores along rows"    // (heads, rows, rows)
	ColScores     = "scores along columns" // (heads, cols, cols)
	PairScores    = "scores of pairs"      // (heads, tokens, tokens): whatever the image
	ContentScores = "scores of content"    // (batch, heads, tokens, tokens): what keys show
	ShiftScores   = "scores of shifts"     // (batch, heads, tokens, tokens): where keys stand, as the query's content wants it
)

// Tapped returns the layer and the kind of scores that a tap's name says.
func Tapped(name string) (layer, kind string, ok bool) {
	for _, kind := range []string{RowScores, ColScores, PairScores, ContentScores, ShiftScores} {
		if layer, ok := strings.CutSuffix(name, " "+kind); ok {
			return layer, kind, true
		}
	}
	return "", "", false
}

func (l *SelfAttention) tap(g *nn.Graph, kind string, n *nn.Node) *nn.Node {
	return g.Tap(strings.TrimSuffix(l.Value.W.Name, ".value.weight")+" "+kind, n)
}

// terms returns the terms of scores that depend on the image, and taps what they add up to.
func (l *SelfAttention) terms(g *nn.Graph, s posenc.Content, x *nn.Node, heads op.Heads) op.Terms {
	t := s.Of(x)
	if t.Query != nil {
		l.tap(g, ContentScores, op.ContentScores(t, heads))
	}
	if t.Row != nil {
		l.tap(g, ShiftScores, op.ShiftPairScores(t, heads))
	}
	return t
}
