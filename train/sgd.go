package train

import (
	G "gorgonia.org/gorgonia"

	"github.com/attnconv/attnconv/internal/kernel/vec"
	"github.com/attnconv/attnconv/nn"
)

// sgd: g ← ∇ + decay·w, v ← momentum·v + g, w ← w - lr·v.
type sgd struct {
	base
	v [][]float32
}

func newSGD(o Options, params []*nn.Param) Solver {
	return &sgd{base: newBase(o, params), v: zeros(params)}
}

func checkSGD(o Options) error { return interval{"train.momentum", o.Momentum, 0, 1, true}.check() }

func (s *sgd) Slots() map[string][][]float32 { return map[string][][]float32{"momentum": s.v} }

func (s *sgd) Step(model []G.ValueGrad) error {
	s.Stepped()
	return s.each(model, func(i, lo, hi int, w, g []float32) {
		lr, decay := s.rates(s.params[i].Group)
		vec.SGD(w, s.v[i][lo:hi], g, float32(lr), float32(s.o.Momentum), float32(decay))
	})
}

// Coefficients returns lr, momentum, decay.
func (s *sgd) Coefficients(g nn.Group) []float32 {
	lr, decay := s.rates(g)
	return []float32{float32(lr), float32(s.o.Momentum), float32(decay)}
}
