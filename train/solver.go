package train

import (
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
)

// A Solver moves parameters against their gradients. It is gorgonia's Solver, whose Step takes parameters in the order
// of NewSolver's and leaves zeros in their gradients, with a rate that may change at every step, and with slots that a
// checkpoint can hold.
type Solver interface {
	G.Solver
	// SetRate sets the learning rate of the steps to come.
	SetRate(lr float64)
	// Slots returns the state by name, one slice per parameter, in the parameters' order: as long as the parameter, or
	// empty where it has none.
	Slots() map[string][][]float32
	// SetSteps says how many steps have been taken, after a resume.
	SetSteps(n int)
	// Stepped records a step that a device has taken.
	Stepped()
	// Coefficients returns the rates and factors of the coming step for the parameters of a group, for a Device that
	// takes the step.
	Coefficients(g nn.Group) []float32
}

// A SolverKind is one way to move parameters.
type SolverKind struct {
	Name, Help string
	Reads      []string              // options that not every solver reads
	Check      func(o Options) error // of those options; nil: nothing to check
	New        func(o Options, params []*nn.Param) Solver
	Options    any // a pointer to a struct with the defaults of its own options (docs/extending.md), or nil
}

// Entry implements option.Named.
func (k SolverKind) Entry() (name, help string) { return k.Name, k.Help }

// Solvers lists what Options.Optimizer may be, in the order in which help shows them. To add one, write its file, as
// sgd.go, and its line here; a program that imports this module calls RegisterSolver.
var Solvers = option.List[SolverKind]{
	{Name: "sgd", Help: "stochastic gradient descent with momentum (the paper's)", Reads: []string{"train.momentum"},
		Check: checkSGD, New: newSGD},
	{Name: "adamw", Help: "Adam with decoupled weight decay", Reads: []string{"train.betas"}, Check: checkAdamW,
		New: newAdamW},
	{Name: "muon", Help: "momentum made orthogonal for matrices, AdamW for the rest",
		Reads: []string{"train.momentum", "train.betas"}, Check: checkMuon, New: newMuon},
}

// NewSolver returns the solver that o names.
func NewSolver(o Options, params []*nn.Param) (Solver, error) {
	if err := Solvers.Check("train.optimizer", o.Optimizer); err != nil {
		return nil, err
	}
	return Solvers.Find(o.Optimizer).New(o, params), nil
}

func newBase(o Options, params []*nn.Param) base {
	return base{o: o, params: params, moving: movingOf(params), lr: o.LR}
}

// movingOf returns the ranges of elements of each parameter that are not frozen.
func movingOf(params []*nn.Param) (all [][][2]int) {
	for _, p := range params {
		all = append(all, p.Moving())
	}
	return all
}

// base is what all solvers share: the options, the parameters, the rate and the number of steps taken.
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

func (b *base) each(model []G.ValueGrad, f func(i, lo, hi int, w, g []float32)) error {
	return update(b.params, b.moving, model, f)
}

// Update is what a Solver's Step does with f as its rule: it calls f for every range [lo, hi) of elements of every
// params[i] that is not frozen, with these elements w and their gradient g. Like gorgonia's solvers it then clears all
// gradients, since gorgonia accumulates into them (BindDualValues); it does not clear those of a Trainer, which the
// next run overwrites. model has the parameters in the order of params.
func Update(params []*nn.Param, model []G.ValueGrad, f func(i, lo, hi int, w, g []float32)) error {
	return update(params, movingOf(params), model, f)
}

func update(params []*nn.Param, moving [][][2]int, model []G.ValueGrad, f func(i, lo, hi int, w, g []float32)) error {
	if len(model) != len(params) {
		return fmt.Errorf("a solver of %d parameters cannot move %d", len(params), len(model))
	}
	for i, m := range model {
		g, err := m.Grad()
		if err != nil {
			return fmt.Errorf("gradient %d: %w", i, err)
		}
		w, ok := m.Value().(*tensor.Dense)
		d, also := g.(*tensor.Dense)
		if n := len(params[i].Data); !ok || !also || w.Dtype() != tensor.Float32 || d.Dtype() != tensor.Float32 ||
			w.DataSize() != n || d.DataSize() != n {
			return fmt.Errorf("parameter %d: want %d float32 elements and as many of a gradient", i, n)
		}
		for _, r := range moving[i] {
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
