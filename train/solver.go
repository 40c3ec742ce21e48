package train

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/nn"
)

// A Solver moves parameters against their gradients. It is gorgonia's Solver, whose Step takes parameters in the order
// of NewSolver's and leaves zeros in their gradients, with more: a rate that may change at every step, slots that a
// checkpoint can hold, and the same step in a graph of GoMLX's.
type Solver interface {
	G.Solver
	// SetRate sets the learning rate of the steps to come.
	SetRate(lr float64)
	// Slots returns the state by name, one slice per parameter, in the parameters' order.
	Slots() map[string][][]float32
	// SetSteps says how many steps have been taken, after a resume.
	SetSteps(n int)
	// Stepped says that a step was taken elsewhere.
	Stepped()
	// Numbers returns what the coming step depends on beside gradients and slots, for the parameters of a group.
	Numbers(g nn.Group) []float32
	// Lower returns what becomes of one parameter w with gradient g, and of its slots in the order of their names. n are
	// the Numbers of its group.
	Lower(w, g *graph.Node, slots, n []*graph.Node) (moved *graph.Node, kept []*graph.Node)
}

// NewSolver returns the solver that o names.
func NewSolver(o Options, params []*nn.Param) Solver {
	b := base{o: o, params: params, moving: movingOf(params), lr: o.LR}
	if o.Optimizer == "adamw" {
		return &adamW{base: b, m: zeros(params), v: zeros(params)}
	}
	return &sgd{base: b, v: zeros(params)}
}

// movingOf returns what each parameter lets training move.
func movingOf(params []*nn.Param) (all [][][2]int) {
	for _, p := range params {
		all = append(all, p.Moving())
	}
	return all
}

type base struct {
	o      Options
	params []*nn.Param
	moving [][][2]int // of each
	lr     float64
	steps  int
}

func (b *base) SetRate(lr float64) { b.lr = lr }
func (b *base) SetSteps(n int)     { b.steps = n }
func (b *base) Stepped()           { b.steps++ }

// rates returns the learning rate and the weight decay of a group's parameters.
func (b *base) rates(g nn.Group) (lr, decay float64) {
	switch {
	case g == nn.Position:
		return b.lr * b.o.PositionLR, 0
	case g == nn.Vector && !b.o.DecayAll:
		return b.lr, 0
	default:
		return b.lr, b.o.WeightDecay
	}
}

// sgd: g ← ∇ + decay·w, v ← momentum·v + g, w ← w - lr·v.
type sgd struct {
	base
	v [][]float32
}

func (s *sgd) Slots() map[string][][]float32 { return map[string][][]float32{"momentum": s.v} }

func (s *sgd) Step(model []G.ValueGrad) error {
	s.Stepped()
	return s.each(model, func(i, lo, hi int, w, g []float32) {
		lr, decay := s.rates(s.params[i].Group)
		kernel.SGD(w, s.v[i][lo:hi], g, float32(lr), float32(s.o.Momentum), float32(decay))
	})
}

func (s *sgd) Numbers(g nn.Group) []float32 {
	lr, decay := s.rates(g)
	return []float32{float32(lr), float32(s.o.Momentum), float32(decay)}
}

func (s *sgd) Lower(w, g *graph.Node, slots, n []*graph.Node) (moved *graph.Node, kept []*graph.Node) {
	lr, momentum, decay := n[0], n[1], n[2]
	v := graph.Add(graph.Mul(slots[0], momentum), graph.Add(g, graph.Mul(w, decay)))
	return graph.Sub(w, graph.Mul(v, lr)), []*graph.Node{v}
}

// adamW: AdamW with decoupled weight decay (Loshchilov, Hutter 2019).
type adamW struct {
	base
	m, v [][]float32
}

const adamEps = 1e-8

func (s *adamW) Slots() map[string][][]float32 {
	return map[string][][]float32{"mean": s.m, "square": s.v}
}

func (s *adamW) Step(model []G.ValueGrad) error {
	s.Stepped()
	return s.each(model, func(i, lo, hi int, w, g []float32) {
		lr, decay := s.rates(s.params[i].Group)
		kernel.AdamW(w, s.m[i][lo:hi], s.v[i][lo:hi], g, lr, s.o.Betas[0], s.o.Betas[1], adamEps, decay, s.steps)
	})
}

func (s *adamW) Numbers(g nn.Group) []float32 {
	lr, decay := s.rates(g)
	c := kernel.NewAdamStep(lr, s.o.Betas[0], s.o.Betas[1], adamEps, decay, s.steps+1)
	return []float32{c.Keep, c.B1, c.N1, c.B2, c.N2, c.Rate, c.Root, c.Eps}
}

func (s *adamW) Lower(w, g *graph.Node, slots, n []*graph.Node) (moved *graph.Node, kept []*graph.Node) {
	keep, b1, n1, b2, n2, rate, root, eps := n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]
	m := graph.Add(graph.Mul(slots[0], b1), graph.Mul(g, n1))
	v := graph.Add(graph.Mul(slots[1], b2), graph.Mul(graph.Square(g), n2))
	by := graph.Div(m, graph.Add(graph.Mul(graph.Sqrt(v), root), eps))
	return graph.Sub(graph.Mul(w, keep), graph.Mul(by, rate)), []*graph.Node{m, v}
}

// each calls f for what moves of every parameter i, elements [lo, hi), with its gradient g. As gorgonia's solvers do, it
// leaves zeros in all gradients, since gorgonia adds to what it finds there (BindDualValues); a Step's gradients stay, as
// the next run overwrites them.
func (b *base) each(model []G.ValueGrad, f func(i, lo, hi int, w, g []float32)) error {
	if len(model) != len(b.params) {
		return fmt.Errorf("train: a solver of %d parameters cannot move %d", len(b.params), len(model))
	}
	for i, m := range model {
		g, err := m.Grad()
		if err != nil {
			return fmt.Errorf("train: gradient %d: %w", i, err)
		}
		w, ok := m.Value().(*tensor.Dense)
		d, also := g.(*tensor.Dense)
		if n := len(b.params[i].Data); !ok || !also || w.Dtype() != tensor.Float32 || d.Dtype() != tensor.Float32 ||
			w.DataSize() != n || d.DataSize() != n {
			return fmt.Errorf("train: parameter %d: want %d float32 elements and as many of a gradient", i, n)
		}
		for _, r := range b.moving[i] {
			f(i, r[0], r[1], w.Float32s()[r[0]:r[1]], d.Float32s()[r[0]:r[1]]) // Data would allocate
		}
		if _, own := m.(bound); !own {
			clear(d.Float32s())
		}
	}
	return nil
}

func zeros(params []*nn.Param) [][]float32 {
	z := make([][]float32, len(params))
	for i, p := range params {
		z[i] = make([]float32, len(p.Data))
	}
	return z
}
