package posenc

import (
	"math"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
	"github.com/attnconv/attnconv/option"
)

// An Absolute encoding adds a vector to each token before the first layer. The vector depends on the token's position:
// y[b,t] = x[b,t] + E[t].
//
// x (batch, tokens, dim) -> y (batch, tokens, dim)
type Absolute nn.Layer

// An AbsoluteKind is one way to encode the position of a token.
type AbsoluteKind struct {
	Name, Help string
	New        func(s nn.Scope, grid Grid, dim int) Absolute // returns nil if nothing is added
	// WithToken says that the class token has a vector too: it is the first token, so New takes a grid of one row.
	WithToken bool
}

// Absolutes lists the absolute encodings, in the order in which help shows them.
var Absolutes = option.List[AbsoluteKind]{
	{"none", "position enters only through attention",
		func(nn.Scope, Grid, int) Absolute { return nil }, false},
	{"sinusoid", "waves along rows and along columns, each in half of the channels",
		newSinusoid, false},
	{"learned", "a learned vector for each token",
		newLearnedPositions, false},
	{"learned-all", "a learned vector for each token and for the class token",
		newLearnedPositions, true},
}

// Entry implements option.Named.
func (k AbsoluteKind) Entry() (name, help string) { return k.Name, k.Help }

// Sinusoid is the fixed encoding of Vaswani et al. 2017 (arXiv:1706.03762), section 3.5, applied to each axis.
type Sinusoid struct {
	grid Grid
	dim  int
}

// newSinusoid gives the first half of the channels to a token's row and the second to its column.
func newSinusoid(_ nn.Scope, grid Grid, dim int) Absolute { return Sinusoid{grid, dim} }

// E returns the vectors, (tokens, dim).
func (l Sinusoid) E() (e []float32) {
	for t := range l.grid.Rows * l.grid.Cols {
		e = append(e, waves(t/l.grid.Cols, l.dim/2)...)
		e = append(e, waves(t%l.grid.Cols, l.dim-l.dim/2)...)
	}
	return e
}

// waves returns n channels for position p: sin(p / 10000^(c/n)) for even c, cos(p / 10000^((c-1)/n)) for odd c.
func waves(p, n int) []float32 {
	w := make([]float32, n)
	for c := range w {
		angle := float64(p) / math.Pow(10000, float64(c/2*2)/float64(n))
		if c%2 == 0 {
			w[c] = float32(math.Sin(angle))
		} else {
			w[c] = float32(math.Cos(angle))
		}
	}
	return w
}

// Forward implements nn.Layer.
func (l Sinusoid) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	return op.AddToEach(x, g.Input("position", l.E(), l.grid.Rows*l.grid.Cols, l.dim))
}

// LearnedPositions has a learned vector for each token.
type LearnedPositions struct{ E *nn.Param } // (tokens, dim)

// newLearnedPositions draws the vectors from N(0, 0.02²).
func newLearnedPositions(s nn.Scope, grid Grid, dim int) Absolute {
	part := s.In("position_embeddings").AsPart()
	return &LearnedPositions{part.Param("weight", nn.Normal(0, 0.02), grid.Rows*grid.Cols, dim)}
}

// Forward implements nn.Layer.
func (l *LearnedPositions) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	return op.AddToEach(x, g.Use(l.E))
}
