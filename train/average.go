package train

import (
	"slices"

	"github.com/attnconv/attnconv/internal/kernel/vec"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
)

// An average is the exponential moving average of a run's weights, running statistics included (Polyak, Juditsky 1992;
// Tarvainen, Valpola 2017). After step t, counted from 0,
//
//	a ← β·a + (1-β)·w,  β = min(Options.Average, t/(9 + t))
//
// so that early averages forget the start. It is what evaluations and checkpoints have as the network: swap exchanges
// it with the parameters, which solvers move.
type average struct {
	params  []*nn.Param
	other   [][]float32 // averages; while swapped, the weights that the solver moves
	swapped bool
	on      TrainingProgram // the device that moves them; nil: the CPU
}

func newAverage(params []*nn.Param) *average {
	a := &average{params: params}
	for _, p := range params {
		a.other = append(a.other, slices.Clone(p.Data))
	}
	return a
}

// add takes in the weights after step t.
func (a *average) add(limit float64, t int) error {
	if a == nil {
		return nil
	}
	beta := min(limit, float64(t)/float64(9+t))
	if a.on != nil {
		return a.on.Average(a.params, a.other, float32(beta))
	}
	for i, p := range a.params {
		vec.Scale(float32(beta), a.other[i])
		vec.Axpy(float32(1-beta), p.Data, a.other[i])
	}
	return nil
}

// swap has the parameters hold the averages, or again what the solver moves, and returns which they held before. a may
// be nil: nothing is averaged.
func (a *average) swap(averages bool) (before bool) {
	if a == nil || a.swapped == averages {
		return averages
	}
	a.swapped = averages
	for i, p := range a.params {
		for j, v := range p.Data {
			p.Data[j], a.other[i][j] = a.other[i][j], v
		}
	}
	return !averages
}

// bytes is the memory of what is held in addition to the parameters.
func (a *average) bytes() (n int64) {
	if a != nil {
		for _, x := range a.other {
			n += 4 * int64(len(x))
		}
	}
	return n
}

// movedSlot has what a resume needs in addition to the averages, which the network has while they are swapped: the
// weights that the solver moves.
const movedSlot = "moved"

// restore takes the network for the averages, and what the solver moves from the checkpoint.
func (a *average) restore(f *ckpt.File) error {
	if a == nil {
		return nil
	}
	if err := readSlot(f, movedSlot, a.params, a.other); err != nil {
		return err
	}
	a.swapped = true
	a.swap(false)
	return nil
}

// prepareAverage begins the average that the options name, if any.
func (t *Trainer) prepareAverage() {
	if t.Options.Average == 0 {
		return
	}
	t.average = newAverage(t.Params)
	if s, ok := t.step.(*deviceStep); ok {
		t.average.on = s.program
	}
}
