// Command rotary is attnconv with an encoding of its own, rotary positions: this file has all of it.
//
//	go run ./rotary train --encoding rotary --rotary-base 10
package main

import (
	"fmt"
	"math"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc"
)

// Kind is the encoding, for posenc.Register.
var Kind = posenc.Kind{
	Name: "rotary", Help: "content, whose queries and keys turn with their position (Su et al. 2021)",
	New: New, Options: &Options{Base: 100, Share: 1}, Queries: true,
}

// Options are settings of the program: --rotary-base, model.rotary_share, an axis of sweeps.
type Options struct {
	Base  float64 `yaml:"base" help:"pair j of n turns by base^(-j/n) radians a token"`
	Share float64 `yaml:"share" help:"share of the channels that turn"`
}

// Validate is called before a network is made.
func (o *Options) Validate() error {
	if !(o.Base >= 1 && o.Base <= 1e6) {
		return option.Errorf("base", "%v: want 1 to 1e6", o.Base)
	}
	if !(o.Share >= 0 && o.Share <= 1) {
		return option.Errorf("share", "%v: want 0 to 1", o.Share)
	}
	return nil
}

// Rotary turns pairs of channels of queries and keys by angles that grow with the token's row or column. The product of
// a query and a key then depends on their contents and on the shift between them:
//
//	A[h,q,k] = (R_q·W_q·x_q)_h·(R_k·W_k·x_k)_h/√d
//
// R turns the pair of channels 2i and 2i+1 of each head by p·base^(-j/n). The first half of the pairs has the row of
// the token as p, the other half its column; j counts the n pairs of an axis.
//
// Source: Su et al. 2021 (arXiv:2104.09864), along two axes as in Heo et al. 2024 (arXiv:2403.13298), section 3.2.
type Rotary struct {
	Query, Key *nn.Param // W_q, W_k (heads·d, dim)
	o          posenc.Options
}

// New returns the encoding, with maps from U(±1/√dim).
func New(s nn.Scope, o posenc.Options) posenc.Encoding {
	return &Rotary{
		Query: s.In("query").Param("weight", nn.Uniform(o.Dim), o.Heads*o.HeadDim, o.Dim),
		Key:   s.In("key").Param("weight", nn.Uniform(o.Dim), o.Heads*o.HeadDim, o.Dim),
		o:     o,
	}
}

// Scores are a form of scores that brings its own mixing.
type Scores struct {
	Query, Key *nn.Node // W_q, W_k
	o          posenc.Options
}

// Scores implements posenc.Encoding.
func (e *Rotary) Scores(g *nn.Graph, _ posenc.Grid) posenc.Scores {
	return Scores{g.Use(e.Query), g.Use(e.Key), e.o}
}

// Mix implements posenc.Scores. It averages by the softmax of products, in tiles, as content does. For figures it taps
// the products.
func (s Scores) Mix(_ *nn.Graph, m posenc.Mixing) *nn.Node {
	heads := op.Heads{Count: s.o.Heads, Rows: m.Grid.Rows, Cols: m.Grid.Cols}
	r := rotation{*s.o.Own.(*Options), m.Grid, s.o.Heads, s.o.HeadDim}
	terms := op.Terms{
		Query: r.of(op.MatMul(m.X, s.Query)), Key: r.of(op.MatMul(m.X, s.Key)),
		Scale: float32(1 / math.Sqrt(float64(s.o.HeadDim))), Each: m.Each,
	}
	if m.Tap != nil {
		m.Tap(posenc.ContentScores, op.ContentScores(terms, heads))
	}
	return op.MixContent(terms, m.V, heads, m.Drop(true))
}

// A rotation turns the d channels of each head of all tokens on a grid.
type rotation struct {
	Options
	grid     posenc.Grid
	heads, d int
}

// angles returns by how much token t turns each pair of channels, (d/2).
func (r rotation) angles(t int) []float64 {
	pairs := r.d / 2
	all, rows := make([]float64, pairs), pairs/2 // so many pairs turn with the row
	for i := range int(math.Round(r.Share * float64(pairs))) {
		p, j, n := float64(t/r.grid.Cols), i, rows
		if i >= rows {
			p, j, n = float64(t%r.grid.Cols), i-rows, pairs-rows
		}
		all[i] = p * math.Pow(r.Base, -float64(j)/float64(n))
	}
	return all
}

// of returns x (batch, tokens, heads·d) with the channels turned. The gradient turns back.
func (r rotation) of(x *nn.Node) *nn.Node {
	tokens := r.grid.Rows * r.grid.Cols
	var sin, cos []float32 // (tokens, d/2)
	for t := range tokens {
		for _, a := range r.angles(t) {
			sin, cos = append(sin, float32(math.Sin(a))), append(cos, float32(math.Cos(a)))
		}
	}
	turn := func(y, x []float32, sign float32) {
		for i := range len(x) / r.d { // heads of tokens
			from, to, first := x[i*r.d:][:r.d], y[i*r.d:][:r.d], i/r.heads%tokens*(r.d/2)
			copy(to, from) // an odd last channel
			for j := range r.d / 2 {
				u, v, s, c := from[2*j], from[2*j+1], sign*sin[first+j], cos[first+j]
				to[2*j], to[2*j+1] = c*u-s*v, s*u+c*v
			}
		}
	}
	return op.Definition{
		Name: fmt.Sprintf("turned%v", r),
		Want: "x (batch, tokens, heads·d)",
		Shape: func(in []op.Shape) (op.Shape, bool) {
			return in[0], len(in[0]) == 3 && in[0][1] == tokens && in[0][2] == r.heads*r.d
		},
		Forward:  func(y []float32, in [][]float32) { turn(y, in[0], 1) },
		Backward: func(d [][]float32, dy, _ []float32, _ [][]float32) { turn(d[0], dy, -1) },
		NotSaved: []int{0, op.Output},
	}.Apply(x)
}
