// Command gpsa is attnconv with an encoding of its own, gated positional self-attention: this file has all of it.
//
//	go run ./gpsa train --encoding gpsa --gpsa-locality 2
package main

import (
	"fmt"
	"math"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
	"github.com/attnconv/attnconv/posenc"
)

// Kind is the encoding, for posenc.Register.
var Kind = posenc.Kind{
	Name: "gpsa", Help: "content and positions, between which each head has a gate (d'Ascoli et al. 2021)",
	New: New, Options: &Options{Locality: 1, Gate: 1}, Queries: true,
}

// Options are settings of the program: --gpsa-locality, model.gpsa_gate, an axis of sweeps.
type Options struct {
	Locality float64 `yaml:"locality" help:"initial α of the positions, 1/tokens²: how narrow heads are"`
	Gate     float64 `yaml:"gate" help:"initial λ: a head attends to positions by σ(λ)"`
}

// Validate is called before a network is made.
func (o *Options) Validate() error {
	if !(o.Locality >= 0 && o.Locality <= 100) {
		return configs.OptionErrorf("locality", "%v: want 0 to 100", o.Locality)
	}
	if !(math.Abs(o.Gate) <= 20) {
		return configs.OptionErrorf("gate", "%v: want -20 to 20", o.Gate)
	}
	return nil
}

// GPSA lets every head learn how much it attends to content, and how much to positions.
//
//	P_h = (1-σ(λ_h))·softmax(content_h) + σ(λ_h)·softmax(position_h)
//	content_h[q,k] = (W_q·x_q)_h·(W_k·x_k)_h/√d,  position_h[q,k] = v_h·(‖δ‖², δ1, δ2),  δ = k - q in tokens
//
// Source: d'Ascoli et al. 2021 (arXiv:2103.10697), eq. 7.
type GPSA struct {
	Query, Key *nn.Param // W_q, W_k (heads·d, dim)
	Position   *nn.Param // v (heads, 3)
	Gate       *nn.Param // λ (heads)
	o          posenc.Options
}

// New returns the encoding. Heads start as Gaussians on the taps of a convolution, v = -α(1, -2Δ1, -2Δ2) with Δ on the
// square grid that holds the heads; their gates start at λ.
func New(s nn.Scope, o posenc.Options) posenc.Encoding {
	own := o.Own.(*Options)
	e := &GPSA{
		Query:    s.In("query").Param("weight", nn.Uniform(o.Dim), o.Heads*o.HeadDim, o.Dim),
		Key:      s.In("key").Param("weight", nn.Uniform(o.Dim), o.Heads*o.HeadDim, o.Dim),
		Position: s.Param("gate_position", nn.Const(0), o.Heads, 3),
		Gate:     s.Param("gate", nn.Const(float32(own.Gate)), o.Heads),
		o:        o,
	}
	side := int(math.Ceil(math.Sqrt(float64(o.Heads))))
	for i := range e.Position.Data {
		h, a := i/3, float32(own.Locality)
		e.Position.Data[i] = [3]float32{-a, 2 * a * float32(h/side-(side-1)/2), 2 * a * float32(h%side-(side-1)/2)}[i%3]
	}
	return e
}

// Scores are content scores, position scores, and the gate between the two.
type Scores struct {
	Content  posenc.Content
	Position *nn.Node // (heads, tokens, tokens)
	Gate     *nn.Node // λ (heads)
}

// Scores implements posenc.Encoding.
func (e *GPSA) Scores(g *nn.Graph, grid posenc.Grid) posenc.Scores {
	tokens := grid.Rows * grid.Cols
	shifts := make([]float32, 0, 3*tokens*tokens) // r_δ = (‖δ‖², δ1, δ2) of every pair
	for q := range tokens {
		for k := range tokens {
			r, c := float32(k/grid.Cols-q/grid.Cols), float32(k%grid.Cols-q%grid.Cols)
			shifts = append(shifts, r*r+c*c, r, c)
		}
	}
	position := op.MatMul(g.Use(e.Position), g.Input("shifts", shifts, tokens*tokens, 3))
	return Scores{
		Content: posenc.Content{Heads: e.o.Heads, Grid: grid, Scale: float32(1 / math.Sqrt(float64(e.o.HeadDim))),
			KeyQuery: posenc.QueryMap{W: g.Use(e.Query)}, Key: g.Use(e.Key)},
		Position: op.Reshape(position, e.o.Heads, tokens, tokens),
		Gate:     g.Use(e.Gate),
	}
}

// Mix implements posenc.Scores. It averages the values by either weights and gates the averages, which is the same as
// to average by gated weights, and needs no map of each image. For figures it taps the gated weights.
func (s Scores) Mix(_ *nn.Graph, m posenc.Mixing) *nn.Node {
	heads := op.Heads{Count: s.Content.Heads, Rows: m.Grid.Rows, Cols: m.Grid.Cols}
	terms := s.Content.Of(m.X)
	terms.Each = m.Each
	position, drop := op.Softmax(s.Position), m.Drop(true)
	tokens := m.Grid.Rows * m.Grid.Cols
	m.Tap(posenc.ImageWeights, gated(op.Softmax(op.ContentScores(terms, heads)), position, s.Gate, tokens*tokens))
	content, shared := op.MixContent(terms, m.V, heads, drop), op.MixHeads(m.V, position, m.Each, drop)
	shape := content.Shape() // (batch, tokens, heads·e)
	return gated(content, shared, s.Gate, shape[2]/s.Content.Heads)
}

// gated returns (1-σ(λ_h))·a + σ(λ_h)·b, where size elements of head h are followed by those of the next.
//
//	a (…), b (…) or without the first axis of a, λ (heads) -> (…)
func gated(a, b, gate *nn.Node, size int) *nn.Node {
	heads := gate.Shape()[0]
	sigmoids := func(l []float32) []float32 {
		p := make([]float32, heads)
		for h, x := range l {
			p[h] = float32(1 / (1 + math.Exp(-float64(x))))
		}
		return p
	}
	return op.Definition{
		Name: fmt.Sprintf("gated{%d}", size),
		Want: "a (…) with the heads along an axis, b as a or one of its first axis, λ (heads)",
		Shape: func(in []op.Shape) (op.Shape, bool) {
			return in[0], len(in) == 3 && in[1].TotalSize()%(heads*size) == 0 &&
				in[0].TotalSize()%in[1].TotalSize() == 0
		},
		Forward: func(y []float32, in [][]float32) {
			p := sigmoids(in[2])
			for i, x := range in[0] {
				w := p[i/size%heads]
				y[i] = (1-w)*x + w*in[1][i%len(in[1])]
			}
		},
		Backward: func(d [][]float32, dy, _ []float32, in [][]float32) {
			p := sigmoids(in[2])
			for _, sum := range d[1:] {
				clear(sum)
			}
			for i, g := range dy {
				h, j := i/size%heads, i%len(in[1])
				if d[0] != nil {
					d[0][i] = (1 - p[h]) * g
				}
				if d[1] != nil {
					d[1][j] += p[h] * g
				}
				if d[2] != nil {
					d[2][h] += p[h] * (1 - p[h]) * (in[1][j] - in[0][i]) * g
				}
			}
		},
		NotSaved: []int{op.Output},
	}.Apply(a, b, gate)
}
