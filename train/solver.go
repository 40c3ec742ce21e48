package train

import (
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/nn"
)

// A Solver moves parameters against their gradients. It is gorgonia's Solver with two things more: a rate that may
// change at every step, and slots that a checkpoint can hold.
type Solver interface {
	G.Solver
	// SetRate sets the learning rate of the steps to come.
	SetRate(lr float64)
	// Slots returns the state by name, one slice per parameter, in the parameters' order.
	Slots() map[string][][]float32
	// SetSteps says how many steps have been taken, after a resume.
	SetSteps(n int)
}

// NewSolver returns the solver that o names.
func NewSolver(o Options, params []*nn.Param) Solver {
	b := base{o: o, params: params, lr: o.LR}
	if o.Optimizer == "adamw" {
		return &adamW{base: b, m: zeros(params), v: zeros(params)}
	}
	return &sgd{base: b, v: zeros(params)}
}

type base struct {
	o      Options
	params []*nn.Param
	lr     float64
	steps  int
}

func (b *base) SetRate(lr float64) { b.lr = lr }
func (b *base) SetSteps(n int)     { b.steps = n }

// rates returns a parameter's learning rate and weight decay.
func (b *base) rates(p *nn.Param) (lr, decay float64) {
	switch {
	case p.Group == nn.Position:
		return b.lr * b.o.PositionLR, 0
	case p.Group == nn.Vector && !b.o.DecayAll:
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
	s.steps++
	return each(model, func(i int, w, g []float32) {
		lr, decay := s.rates(s.params[i])
		kernel.SGD(w, s.v[i], g, float32(lr), float32(s.o.Momentum), float32(decay))
	})
}

// adamW: AdamW with decoupled weight decay (Loshchilov, Hutter 2019), ε = 1e-8.
type adamW struct {
	base
	m, v [][]float32
}

func (s *adamW) Slots() map[string][][]float32 {
	return map[string][][]float32{"mean": s.m, "square": s.v}
}

func (s *adamW) Step(model []G.ValueGrad) error {
	s.steps++
	return each(model, func(i int, w, g []float32) {
		lr, decay := s.rates(s.params[i])
		kernel.AdamW(w, s.m[i], s.v[i], g, lr, s.o.Betas[0], s.o.Betas[1], 1e-8, decay, s.steps)
	})
}

func each(model []G.ValueGrad, f func(i int, w, g []float32)) error {
	for i, m := range model {
		g, err := m.Grad()
		if err != nil {
			return fmt.Errorf("train: gradient %d: %w", i, err)
		}
		f(i, m.Value().(*tensor.Dense).Float32s(), g.(*tensor.Dense).Float32s()) // Data would allocate
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
