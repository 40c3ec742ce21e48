package train_test

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/train"
)

// lion is a registered solver: w ← w - lr·sign(m), m ← β·m + (1-β)·∇.
// Source: a simplification of Chen et al. 2023 (arXiv:2302.06675).
type lion struct {
	params []*nn.Param
	mean   [][]float32
	beta   float32
	lr     float64
}

type lionOptions struct {
	Beta float64 `yaml:"beta"`
}

func (o *lionOptions) Validate() error { return option.Rate("beta", o.Beta) }

func (s *lion) SetRate(lr float64)              { s.lr = lr }
func (s *lion) SetSteps(int)                    {}
func (s *lion) Stepped()                        {}
func (s *lion) Coefficients(nn.Group) []float32 { return nil }
func (s *lion) Slots() map[string][][]float32   { return map[string][][]float32{"mean": s.mean} }
func (s *lion) Step(model []G.ValueGrad) error {
	return train.Update(s.params, model, func(i, lo, hi int, w, g []float32) {
		for j, m := range s.mean[i][lo:hi] {
			m = s.beta*m + (1-s.beta)*g[j]
			s.mean[i][lo+j] = m
			w[j] -= float32(math.Copysign(s.lr, float64(m)))
		}
	})
}

func newLion(o train.Options, params []*nn.Param) train.Solver {
	s := &lion{params: params, beta: float32(o.SolverOptions().(*lionOptions).Beta)}
	for _, p := range params {
		s.mean = append(s.mean, make([]float32, len(p.Data)))
	}
	return s
}

// squares is the Brier score, the mean over the images of ½Σ_c (softmax(z)_c - q_c)².
func squares(g *nn.Graph, logits *nn.Node, t *train.Targets) *nn.Node {
	return op.Definition{
		Name: "brier", Want: "p and q (batch, classes)",
		Shape: func(in []op.Shape) (op.Shape, bool) { return op.Shape{}, len(in) == 2 && in[0].Eq(in[1]) },
		Forward: func(y []float32, in [][]float32) {
			var sum float64
			for i, p := range in[0] {
				d := float64(p - in[1][i])
				sum += d * d / 2
			}
			y[0] = float32(sum / float64(logits.Shape()[0]))
		},
		Backward: func(d [][]float32, dy, _ []float32, in [][]float32) {
			for i, p := range in[0] {
				d[0][i] = dy[0] * (p - in[1][i]) / float32(logits.Shape()[0])
			}
		},
	}.Apply(op.Softmax(logits), t.Smoothed(g))
}

func registerHere(t *testing.T) {
	solvers, schedules, losses := train.Solvers, train.Schedules, train.Losses
	train.Solvers, train.Schedules, train.Losses = slices.Clone(solvers), slices.Clone(schedules), slices.Clone(losses)
	t.Cleanup(func() { train.Solvers, train.Schedules, train.Losses = solvers, schedules, losses })
	train.RegisterSolver(train.SolverKind{Name: "lion", Options: &lionOptions{Beta: 0.9}, New: newLion})
	train.RegisterSchedule(train.Schedule{Name: "power", Options: &powerOptions{Of: 2},
		Rate: func(o train.Options, at train.Moment) float64 {
			return o.LR * math.Pow(1-at.Step/at.Steps, o.ScheduleOptions().(*powerOptions).Of)
		}})
	train.RegisterLoss(train.LossKind{Name: "brier", New: func(train.Options) train.Loss { return squares }})
}

type powerOptions struct {
	Of float64 `yaml:"of"`
}

// A registered solver, schedule and loss train, with options of their own, and a run that is resumed from a checkpoint
// goes on as one that was not interrupted.
func TestRegisteredMethodTrains(t *testing.T) {
	registerHere(t)
	whole, half := bare(t), bare(t)
	for _, tr := range []*train.Trainer{whole, half} {
		tr.Options.Optimizer, tr.Options.Schedule, tr.Options.Loss = "lion", "power", "brier"
		tr.Options.LR, tr.Options.Warmup, tr.Options.Epochs = 0.01, 0, 3
		tr.Options.Own = map[string]any{"lion_beta": 0.5, "power_of": 1.0}
		if err := tr.Prepare(); err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
	}
	if got, want := whole.Options.Rate(1, whole.EpochSteps()),
		0.01*(1-1/float64(whole.Steps())); math.Abs(got-want) > 1e-12 {
		t.Errorf("the rate of step 1 is %v, want %v", got, want)
	}
	if err := whole.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c := whole.Cursor.Last; !(c.TrainLoss > 0 && c.TrainLoss < 1) || whole.Cursor.Last.TrainAcc <= 0 {
		t.Errorf("the last epoch is %+v: want a Brier score, and some correct predictions", c)
	}
	steps, stop := 0, half.EpochSteps()
	ctx, cancel := context.WithCancel(t.Context())
	half.SaveNow = func() bool {
		if steps++; steps == stop {
			cancel()
		}
		return false
	}
	if err := half.Run(ctx); err == nil {
		t.Fatal("the run was not stopped")
	}
	rest := bare(t)
	rest.Options = half.Options
	for i, p := range rest.Params {
		copy(p.Data, half.Params[i].Data)
	}
	if err := rest.Prepare(); err != nil {
		t.Fatal(err)
	}
	defer rest.Close()
	if err := rest.Restore(&ckpt.File{Tensors: half.State()}, half.CursorText()); err != nil {
		t.Fatal(err)
	}
	if err := rest.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, p := range whole.Params {
		if !slices.Equal(p.Data, rest.Params[i].Data) {
			t.Errorf("%s after a resume is another", p.Name)
		}
	}
}

// A Trainer takes any batches, a loss and a solver as values.
func TestTrainerTakesValues(t *testing.T) {
	registerHere(t)
	var plain, own float64
	for _, values := range []bool{false, true} {
		tr := bare(t)
		tr.Options.Epochs = 1
		if values {
			tr.Train = through{tr.Train.(*data.Loader)}
			tr.Loss = train.CrossEntropy
			tr.Solver = func(o train.Options, params []*nn.Param) train.Solver {
				s, err := train.NewSolver(o, params)
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
		}
		if err := tr.Prepare(); err != nil {
			t.Fatal(err)
		}
		if err := tr.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		tr.Close()
		if plain = tr.Cursor.Last.TrainLoss; values {
			own = plain
		}
	}
	if plain != own || own == 0 {
		t.Errorf("with values of one's own the loss is %v, want %v, bit for bit", own, plain)
	}
}

// through is other batches than data's.
type through struct{ loader }

type loader = *data.Loader

// short has fewer batches than it says.
type short struct{ loader }

func (s short) Epoch(ctx context.Context, epoch, from int) iter.Seq[*data.Batch] {
	return func(yield func(*data.Batch) bool) {
		for b := range s.loader.Epoch(ctx, epoch, from) {
			yield(b)
			return
		}
	}
}

func TestTrainerRefusesWrongValues(t *testing.T) {
	for want, change := range map[string]func(tr *train.Trainer){
		"the loss is no single value": func(tr *train.Trainer) {
			tr.Loss = func(_ *nn.Graph, logits *nn.Node, _ *train.Targets) *nn.Node { return logits }
		},
		"the loss is no single value: want the mean": func(tr *train.Trainer) {
			tr.Loss = func(*nn.Graph, *nn.Node, *train.Targets) *nn.Node { return nil }
		},
		"Trainer.Solver returned nil": func(tr *train.Trainer) {
			tr.Solver = func(train.Options, []*nn.Param) train.Solver { return nil }
		},
		"needs a network and a loader": func(tr *train.Trainer) { tr.Train = (*data.Loader)(nil) },
		"epoch 1 has 1 batches; want":  func(tr *train.Trainer) { tr.Train = short{tr.Train.(*data.Loader)} },
		"want logits (batch, classes)": func(tr *train.Trainer) { tr.Net = nn.Seq{nn.SpaceToDepth{S: 2}} },
	} {
		tr := bare(t)
		change(tr)
		err := tr.Prepare()
		if err == nil {
			err = tr.Run(t.Context())
		}
		tr.Close()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestRegisteredOptionsOfTrainingAreChecked(t *testing.T) {
	registerHere(t)
	for want, change := range map[string]func(o *train.Options){
		"train.lion_beta 1: want a rate from 0": func(o *train.Options) {
			o.Optimizer, o.Own = "lion", map[string]any{"lion_beta": 1.0}
		},
		`train.lion_bta "lion_bta": not one of lion_beta, power_of`: func(o *train.Options) {
			o.Own = map[string]any{"lion_bta": 1.0}
		},
		"train.lion_beta high: want a number": func(o *train.Options) {
			o.Own = map[string]any{"lion_beta": "high"}
		},
		`train.loss "brief": not one of cross-entropy, brier`: func(o *train.Options) { o.Loss = "brief" },
	} {
		o := train.Default()
		change(&o)
		if err := o.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Validate: %v, want %s", err, want)
		}
	}
	o := train.Default()
	o.Own = map[string]any{"lion_beta": 1.0} // of a solver that is not chosen
	if err := o.Validate(); err != nil || o.Uses("lion_beta") || !o.Uses("lr") {
		t.Errorf("Validate: %v; Uses(lion_beta) is %t", err, o.Uses("lion_beta"))
	}
}

func TestRegisterMethodPanics(t *testing.T) {
	registerHere(t)
	for want, f := range map[string]func(){
		"train.RegisterSolver: optimizer sgd: the name is taken": func() {
			train.RegisterSolver(train.SolverKind{Name: "sgd", New: newLion})
		},
		"train.RegisterSolver: optimizer a: New is nil": func() {
			train.RegisterSolver(train.SolverKind{Name: "a"})
		},
		"train.RegisterSchedule: schedule a: Rate is nil": func() {
			train.RegisterSchedule(train.Schedule{Name: "a"})
		},
		"train.RegisterLoss: loss brier: the name is taken": func() {
			train.RegisterLoss(train.LossKind{Name: "brier"})
		},
		"loss label: option S: the key label_smoothing is taken": func() {
			train.RegisterLoss(train.LossKind{Name: "label", New: func(train.Options) train.Loss { return squares },
				Options: &struct {
					S float64 `yaml:"smoothing"`
				}{}})
		},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("it panics with %s, want %q", got, want)
				}
			}()
			f()
		}()
	}
}
