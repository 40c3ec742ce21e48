package train

import (
	G "gorgonia.org/gorgonia"

	"github.com/attnconv/attnconv/internal/kernel/vec"
	"github.com/attnconv/attnconv/nn"
)

// adamW: AdamW with decoupled weight decay (Loshchilov, Hutter 2019).
type adamW struct {
	base
	m, v [][]float32
}

const adamEps = 1e-8

func newAdamW(o Options, params []*nn.Param) Solver {
	return &adamW{base: newBase(o, params), m: zeros(params), v: zeros(params)}
}

func checkAdamW(o Options) error {
	for _, beta := range o.Betas {
		if err := (interval{"train.betas", beta, 0, 1, true}).check(); err != nil {
			return err
		}
	}
	return nil
}

func (s *adamW) Slots() map[string][][]float32 {
	return map[string][][]float32{"mean": s.m, "square": s.v}
}

func (s *adamW) Step(model []G.ValueGrad) error {
	s.Stepped()
	return s.each(model, func(i, lo, hi int, w, g []float32) {
		s.move(i, lo, hi, w, g)
	})
}

// move takes the step of elements [lo, hi) of parameter i.
func (s *adamW) move(i, lo, hi int, w, g []float32) {
	lr, decay := s.rates(s.params[i].Group)
	vec.AdamW(w, s.m[i][lo:hi], s.v[i][lo:hi], g, lr, s.o.Betas[0], s.o.Betas[1], adamEps, decay, s.steps)
}

// Coefficients returns those of vec.AdamStep, in its order, and then momentum and rate of a matrix of muon.
func (s *adamW) Coefficients(g nn.Group) []float32 {
	lr, decay := s.rates(g)
	k := vec.NewAdamStep(lr, s.o.Betas[0], s.o.Betas[1], adamEps, decay, s.steps+1)
	return []float32{k.Keep, k.B1, k.N1, k.B2, k.N2, k.Rate, k.Root, k.Eps,
		float32(s.o.Momentum), float32(0.2 * lr)}
}
