package compare

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/study"
)

// A budget is what all models get as much of as the baseline.
type budget struct {
	name, help, words string
	of                func(e estimate) float64 // what an epoch costs; nil: the same for all
	off               float64                  // how far a measurement may be off, as a part
}

// Entry implements option.Named.
func (b budget) Entry() (name, help string) { return b.name, b.help }

// budgets lists the budgets; the first is the default. A new one is a line here.
var budgets = option.List[budget]{
	{"epochs", "passes over the training set", "epochs", nil, 0},
	{"steps", "steps of training, whatever their batch", "steps", func(e estimate) float64 { return e.EpochSteps }, 0},
	{"flops", "FLOPs of training, as the equations say", "FLOPs", func(e estimate) float64 {
		return float64(e.Config.Model.MACs().Definition) * e.EpochSteps * float64(e.Config.Train.Batch)
	}, 0},
	{"time", "time of steps, measured on this machine now", "time", func(e estimate) float64 {
		return e.StepS * e.EpochSteps
	}, 0.1},
}

// An estimate is what a run of a model needs.
type estimate struct {
	Config     configs.Run // fitted to its data
	Seconds    float64     // of the whole run
	StepS      float64     // of a step, measured on this machine
	EpochSteps float64
}

// equalize finds for how many epochs each model must be trained to get as much of a budget as the baseline, and says
// so. It does nothing for equal epochs.
func (o *options) equalize(ctx context.Context, c *term.Console, measure probe) error {
	b := budgets.Find(o.equal)
	if b.of == nil {
		return nil
	}
	if !slices.Contains(model.ShortNames(), o.Baseline) || o.Refs != nil {
		return term.Usagef("--baseline MODEL is the one whose epochs are given, and --models are the others",
			"--equal %s takes the name of a model as --baseline, and no RUN", o.equal)
	}
	if o.NoTrain {
		return term.Usagef("--allow-mixed compares the runs that exist, whatever their epochs",
			"--equal %s and --no-train do not go together", o.equal)
	}
	if o.Models == nil {
		o.Models = []string{model.Default().Encoding}
	}
	alone := request{Baseline: o.Baseline, Models: []string{}, Sources: o.Sources}
	s, err := selectRuns(c.Runs, alone)
	if err != nil {
		return err
	}
	p := &planner{request: alone, selection: s, DataDir: c.DataDir, Probe: measure}
	base, err := p.probe(ctx, o.Baseline)
	if err != nil {
		return err
	}
	o.epochs = map[string]int{o.Baseline: base.Config.Train.Epochs}
	o.stepS = map[string]float64{o.Baseline: base.StepS}
	budget := b.of(base) * float64(base.Config.Train.Epochs)
	if base.Config.Train.Epochs == 0 {
		return term.Usagef("", "--equal %s: %s has no epochs", o.equal, o.Baseline)
	}
	for _, name := range o.Models {
		if name == o.Baseline {
			continue
		}
		e, err := p.probe(ctx, name)
		if err != nil {
			return err
		}
		if !(b.of(e) > 0) {
			return term.Usagef("", "--equal %s: an epoch of %s costs nothing", o.equal, name)
		}
		n := max(1, int(math.Round(budget/b.of(e))))
		if n, err = o.trained(c.Runs, name, n, b.off); err != nil {
			return err
		}
		o.epochs[name], o.stepS[name] = n, e.StepS
		c.Note("%s of %s: %.2f times the %s of %s of %s", table.Count(n, "epoch"), name, float64(n)*b.of(e)/budget,
			b.words, table.Count(base.Config.Train.Epochs, "epoch"), o.Baseline)
	}
	return nil
}

// trained returns the number of epochs nearest to n that finished runs of a model have, up to a part off of n away; n
// if there are none. So a time that is measured again does not train a model again.
func (o *options) trained(root string, name string, n int, off float64) (int, error) {
	for away := range int(off*float64(n)) + 1 {
		for _, epochs := range []int{n - away, n + away} {
			r := request{Models: []string{name}, Seeds: o.Seeds, Sources: o.Sources,
				Epochs: map[string]int{name: epochs}}
			if s, err := selectRuns(root, r); err != nil || len(s.Compared) > 0 {
				return epochs, err
			}
		}
	}
	return n, nil
}

// mix returns the settings in which runs must not differ but do, or nil. Where models have epochs of their own, a run
// must have those of its model.
func (r request) mix(runs []study.Run) *study.MixedError {
	return study.Mix(runs, func(key string) bool {
		return study.Question(key) && (r.Epochs == nil || key != epochsKey)
	})
}

const epochsKey = "train.epochs"

// sources are the settings that a run of a model must match, with the epochs of the model if it has epochs of its own.
func (r request) sources(name string) configs.Sources {
	s := r.Sources
	if n, ok := r.Epochs[name]; ok {
		s.Set = append(slices.Clone(s.Set), fmt.Sprintf("%s=%d", epochsKey, n)) // it wins over flags
	}
	return s
}
