package attention

import (
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// A Readout makes one vector of the tokens of an image, which is classified. The zero Readout is their mean.
//
// x (batch, tokens, dim), or (batch, rows, cols, dim) for the mean -> (batch, dim)
type Readout struct {
	// Token is a class token (dim), which joins the tokens before block Joins and is read behind the last block.
	Token *nn.Param
	Joins int
	// Scores (1, dim) is the map of sequence pooling: the mean of the tokens by softmax(Scores·x) over the tokens.
	// Source: Hassani et al. 2021 (arXiv:2104.05704), section 3.4.
	Scores *nn.Linear
}

// ReadoutOptions chooses a Readout. The zero value is the mean.
type ReadoutOptions struct {
	Token    bool // a class token
	Joins    int  // the block before which it joins the tokens
	Sequence bool // sequence pooling
}

// newReadout draws the class token from N(0, 0.02²).
func newReadout(s nn.Scope, o ReadoutOptions, dim int) (r Readout) {
	if o.Token {
		r.Token, r.Joins = s.In("class_token").AsPart().Param("weight", nn.Normal(0, 0.02), dim), o.Joins
	}
	if o.Sequence {
		r.Scores = nn.NewLinear(s.In("sequence_pool"), dim, 1)
	}
	return r
}

// before returns the tokens that block i reads.
func (r Readout) before(g *nn.Graph, i int, x *nn.Node) *nn.Node {
	if r.Token == nil || i != r.Joins {
		return x
	}
	return op.WithToken(x, g.Use(r.Token))
}

// Forward implements nn.Layer.
func (r Readout) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	switch {
	case r.Token != nil:
		return op.FirstToken(x)
	case r.Scores == nil:
		return op.MeanTokens(x)
	}
	if shape := x.Shape(); len(shape) == 4 {
		x = op.AsTokens(x)
	}
	scores := r.Scores.Forward(g, x) // (batch, tokens, 1)
	p := op.Softmax(op.Reshape(scores, x.Shape()[0], x.Shape()[1]))
	return op.WeightTokens(x, p)
}
