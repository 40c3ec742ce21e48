package attention_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
	"github.com/attnconv/attnconv/posenc"
)

// Gated is gated positional self-attention (GPSA): every head learns how much it attends to content, and how much to
// positions. It is an encoding with a mixing of its own, by what other packages export.
//
//	P_h = (1-σ(λ_h))·softmax(content_h) + σ(λ_h)·softmax(position_h)
//	content_h[q,k] = (W_q·x_q)_h·(W_k·x_k)_h/√d,  position_h[q,k] = v_h·(‖δ‖², δ1, δ2),  δ = k - q
//
// Source: d'Ascoli et al. 2021 (arXiv:2103.10697), eq. 7.
type Gated struct {
	Query, Key *nn.Param // (heads·d, dim)
	Position   *nn.Param // v (heads, 3)
	Gate       *nn.Param // λ (heads)
	o          posenc.Options
}

func NewGated(s nn.Scope, o posenc.Options) posenc.Encoding {
	return &Gated{
		Query:    s.Param("query", nn.Uniform(o.Dim), o.Heads*o.HeadDim, o.Dim),
		Key:      s.Param("key", nn.Uniform(o.Dim), o.Heads*o.HeadDim, o.Dim),
		Position: s.Param("position", nn.Normal(0, 0.3), o.Heads, 3),
		Gate:     s.Param("gate", nn.Const(1), o.Heads),
		o:        o,
	}
}

// GatedScores are content scores, position scores and the gate between the two.
type GatedScores struct {
	Content  posenc.Content
	Position posenc.Full
	Gate     *nn.Node // (heads)
}

func (e *Gated) Scores(g *nn.Graph, grid posenc.Grid) posenc.Scores {
	tokens := grid.Rows * grid.Cols
	var shifts []float32 // (tokens², 3)
	for q := range tokens {
		for k := range tokens {
			r, c := float32(k/grid.Cols-q/grid.Cols), float32(k%grid.Cols-q%grid.Cols)
			shifts = append(shifts, r*r+c*c, r, c)
		}
	}
	a := op.MatMul(g.Use(e.Position), g.Input("shifts", shifts, tokens*tokens, 3)) // (heads, tokens²)
	return GatedScores{
		Content: posenc.Content{Heads: e.o.Heads, Grid: grid, Scale: float32(1 / math.Sqrt(float64(e.o.HeadDim))),
			KeyQuery: posenc.QueryMap{W: g.Use(e.Query)}, Key: g.Use(e.Key)},
		Position: posenc.Full{A: op.Reshape(a, e.o.Heads, tokens, tokens)},
		Gate:     g.Use(e.Gate),
	}
}

// Mix averages by either weights, and gates the averages: the sum is the same, and no map of each image is built.
func (s GatedScores) Mix(g *nn.Graph, m posenc.Mixing) *nn.Node {
	terms, heads := s.Content.Of(m.X), op.Heads{Count: s.Content.Heads, Rows: m.Grid.Rows, Cols: m.Grid.Cols}
	terms.Each = m.Each
	position := op.Softmax(s.Position.A)
	m.Tap(posenc.ImageWeights, s.gate(op.Softmax(op.ContentScores(terms, heads)), position, 1))
	drop := m.Drop(true)
	return s.gate(op.MixContent(terms, m.V, heads, drop), op.MixHeads(m.V, position, m.Each, drop), 2)
}

// gate returns (1-σ(λ_h))·a + σ(λ_h)·b, with the heads along an axis of a; b may be the same for all images.
func (s GatedScores) gate(a, b *nn.Node, axis int) *nn.Node {
	inner := 1 // elements of a head behind each other
	for _, d := range a.Shape()[axis:] {
		inner *= d
	}
	inner /= s.Content.Heads
	head := func(i int) int { return i / inner % s.Content.Heads }
	sigma := func(l []float32, i int) float32 { return float32(1 / (1 + math.Exp(-float64(l[head(i)])))) }
	d := op.Definition{
		Name: "gate", Want: "a and b with heads along an axis, and λ (heads)",
		Shape: func(in []op.Shape) (op.Shape, bool) {
			return in[0], len(in) == 3 && in[0].TotalSize()%in[1].TotalSize() == 0 &&
				in[2].Eq(op.Shape{s.Content.Heads})
		},
		Forward: func(y []float32, in [][]float32) {
			for i, v := range in[0] {
				p := sigma(in[2], i)
				y[i] = (1-p)*v + p*in[1][i%len(in[1])]
			}
		},
		NotSaved: []int{op.Output},
	}
	if a.Shape().Eq(b.Shape()) {
		d.Backward = func(g [][]float32, dy, _ []float32, in [][]float32) {
			clear(g[2])
			for i, v := range dy {
				p := sigma(in[2], i)
				if g[0] != nil {
					g[0][i] = (1 - p) * v
				}
				if g[1] != nil {
					g[1][i] = p * v
				}
				if g[2] != nil {
					g[2][head(i)] += v * p * (1 - p) * (in[1][i] - in[0][i])
				}
			}
		}
	}
	return d.Apply(a, b, s.Gate)
}

const gatedHeads, gatedDim = 2, 4

var gatedGrid = posenc.Grid{Rows: 2, Cols: 3}

// gatedLayer returns a layer, its encoding and an input, (2, tokens, dim).
func gatedLayer(split bool, rate float64) (*attention.SelfAttention, *Gated, *nn.Param) {
	s := nn.NewScope(5)
	enc := NewGated(s, posenc.Options{Heads: gatedHeads, Dim: gatedDim, HeadDim: 3}).(*Gated)
	x := s.Param("x", nn.Normal(0, 1), 2, gatedGrid.Rows*gatedGrid.Cols, gatedDim)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range enc.Gate.Data {
		enc.Gate.Data[i] = float32(rng.NormFloat64())
	}
	if split {
		return attention.NewSplit(s, enc, gatedGrid, gatedHeads, gatedDim, 3, rate), enc, x
	}
	return attention.New(s, enc, gatedGrid, gatedHeads, gatedDim, 5, rate), enc, x
}

// A scores type from outside brings its own mixing: its gradients are right with dropout, for values of all heads and
// of each.
func TestGatedGradients(t *testing.T) {
	for _, split := range []bool{false, true} {
		for _, rate := range []float64{0, 0.3} {
			l, _, x := gatedLayer(split, rate)
			if err := nn.CheckGradients(true, func(g *nn.Graph) *nn.Node {
				return l.Forward(g,
					g.Use(x))
			}); err != nil {
				t.Errorf("split %t, dropout %v: %v", split, rate, err)
			}
		}
	}
}

// The layer, and the weights that it taps, are what plain loops make of its parameters.
func TestGatedEquation(t *testing.T) {
	l, enc, x := gatedLayer(false, 0)
	var y *nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) {
		g.Want(func(name string) bool { _, _, ok := attention.ParseTap(name); return ok })
		y = l.Forward(g, g.Use(x))
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := nn.Compile(g, nil, y)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Run(0); err != nil {
		t.Fatal(err)
	}
	taps := g.Taps()
	if len(taps) != 1 {
		t.Fatalf("%d taps, want the weights alone", len(taps))
	}
	tokens := gatedGrid.Rows * gatedGrid.Cols
	for b := range 2 {
		for q := range tokens {
			want := make([]float64, 5)
			for o, v := range l.Value.B.Data {
				want[o] = float64(v)
			}
			for h := range gatedHeads {
				for k, p := range enc.plain(x.Data[b*tokens*gatedDim:], h, q) {
					got := float64(nn.Value(taps[0].Node)[((b*gatedHeads+h)*tokens+q)*tokens+k])
					if math.Abs(got-p) > 1e-6 {
						t.Fatalf("image %d, head %d, query %d, key %d: weight %v, want %v", b, h, q, k, got, p)
					}
					for o := range want {
						for c := range gatedDim {
							w := l.Value.W.Data[o*gatedHeads*gatedDim+h*gatedDim+c]
							want[o] += p * float64(w) * float64(x.Data[(b*tokens+k)*gatedDim+c])
						}
					}
				}
			}
			for o, want := range want {
				if got := float64(nn.Value(y)[(b*tokens+q)*5+o]); math.Abs(got-want) > 1e-5 {
					t.Errorf("image %d, query %d, channel %d: %v, want %v", b, q, o, got, want)
				}
			}
		}
	}
}

// plain returns P[h,q,:] of one image.
func (e *Gated) plain(x []float32, h, q int) []float64 {
	dot := func(p *nn.Param, t, c int) (s float64) { // channel c of the head's map of token t
		for i := range gatedDim {
			s += float64(p.Data[(h*3+c)*gatedDim+i]) * float64(x[t*gatedDim+i])
		}
		return s
	}
	tokens := gatedGrid.Rows * gatedGrid.Cols
	content, position, sums := make([]float64, tokens), make([]float64, tokens), [2]float64{}
	for k := range tokens {
		a := 0.
		for c := range 3 {
			a += dot(e.Query, q, c) * dot(e.Key, k, c) / math.Sqrt(3)
		}
		r, c := float64(k/gatedGrid.Cols-q/gatedGrid.Cols), float64(k%gatedGrid.Cols-q%gatedGrid.Cols)
		v := e.Position.Data[3*h:]
		content[k] = math.Exp(a)
		position[k] = math.Exp(float64(v[0])*(r*r+c*c) + float64(v[1])*r + float64(v[2])*c)
		sums[0], sums[1] = sums[0]+content[k], sums[1]+position[k]
	}
	gate := 1 / (1 + math.Exp(-float64(e.Gate.Data[h])))
	for k := range content {
		content[k] = (1-gate)*content[k]/sums[0] + gate*position[k]/sums[1]
	}
	return content
}
