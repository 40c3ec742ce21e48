package train_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/train"
)

// for a test, Schedules has another line: lr·(1 - t/T).
func withLinear(t *testing.T) {
	old := train.Schedules
	t.Cleanup(func() { train.Schedules = old })
	train.Schedules = append(slices.Clone(old), train.Schedule{
		Name: "linear", Help: "a straight line from lr to 0", Reads: []string{"train.per_epoch", "train.clip"},
		Check: func(o train.Options) error {
			if o.Schedule == "linear" && o.Clip > 5 {
				return option.Errorf("train.clip", "%v: linear wants 5 or less", o.Clip)
			}
			return nil
		},
		Rate: func(o train.Options, at train.Moment) float64 { return o.LR * (1 - at.Step/at.Steps) },
	})
}

// A line in Schedules is all that a schedule needs: it is validated, it warms up, and it trains.
func TestScheduleAddedByALine(t *testing.T) {
	withLinear(t)
	tr := bare(t)
	tr.Options.Schedule, tr.Options.Warmup, tr.Options.LR = "linear", 0.2, 1
	tr.Options.Epochs = 5
	for step, want := range []float64{0.5, 1, 1, 0.875} { // two steps of ten warm up
		if got := tr.Options.Rate(step, 2); math.Abs(got-want) > 1e-12 {
			t.Errorf("Rate(%d) = %v, want %v", step, got, want)
		}
	}
	tr.Options.PerEpoch = true // T = 15, of which 3 warm up
	for step, want := range []float64{0, 0, 2.0 / 3, 2.0 / 3, 11.0 / 12} {
		if got := tr.Options.Rate(step, 2); math.Abs(got-want) > 1e-12 {
			t.Errorf("by epochs, Rate(%d) = %v, want %v", step, got, want)
		}
	}
	if err := tr.Prepare(); err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if err := tr.Run(t.Context()); err != nil || tr.Cursor.Step != 10 {
		t.Errorf("Run: %v after %d steps, want 10", err, tr.Cursor.Step)
	}
	tr.Options.Clip = 6
	if err := tr.Options.Validate(); err == nil || err.Error() != "train.clip 6: linear wants 5 or less" {
		t.Errorf("Validate: %v, want what the schedule's check says", err)
	}
	tr.Options.Schedule = "linaer"
	if err := tr.Options.Validate(); err == nil || !strings.Contains(err.Error(),
		"constant, linear\n  did you mean \"linear\"?") {
		t.Errorf("Validate: %v, want linear among the choices", err)
	}
	if got := train.ReadBy("train.per_epoch"); !strings.HasPrefix(got, "cosine") ||
		!strings.HasSuffix(got, ", linear") {
		t.Errorf("per_epoch is read by %q", got)
	}
}

// signs moves each element by the learning rate against the sign of its gradient, and has no state. All else it takes
// from sgd, so that it is a Solver.
type signs struct {
	train.Solver
	lr float64
}

func (s *signs) SetRate(lr float64)            { s.lr = lr }
func (s *signs) Slots() map[string][][]float32 { return nil }
func (s *signs) Step(model []G.ValueGrad) error {
	for _, m := range model {
		g, err := m.Grad()
		if err != nil {
			return err
		}
		w, d := m.Value().Data().([]float32), g.Data().([]float32)
		for i := range w {
			w[i] -= float32(s.lr * float64(int(math.Copysign(1, float64(d[i])))))
		}
	}
	return nil
}

// A line in Solvers is all that a solver needs: it is validated, and it moves the weights.
func TestSolverAddedByALine(t *testing.T) {
	old := train.Solvers
	t.Cleanup(func() { train.Solvers = old })
	train.Solvers = append(slices.Clone(old), train.SolverKind{
		Name: "signs", Help: "against the sign of the gradient",
		New: func(o train.Options, params []*nn.Param) train.Solver {
			return &signs{Solver: old.Find("sgd").New(o, params)}
		},
	})
	tr := bare(t)
	tr.Options.Optimizer, tr.Options.Schedule, tr.Options.Warmup, tr.Options.LR = "signs", "constant", 0, 0.25
	before := weights(tr.Params)
	if err := tr.Prepare(); err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if err := tr.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, w := range weights(tr.Params) { // two steps, each up or down
		if d := math.Abs(float64(w - before[i])); d > 1e-6 && math.Abs(d-0.5) > 1e-6 {
			t.Fatalf("weight %d moved by %v, want 0 or 0.5", i, d)
		}
	}
	if len(tr.State()) != 0 {
		t.Errorf("%d slots, and the solver has none", len(tr.State()))
	}
	if _, err := train.NewSolver(train.Options{Optimizer: "sign"}, nil); err == nil ||
		!strings.Contains(err.Error(), "not one of "+strings.Join(train.Solvers.Names(), ", ")) {
		t.Errorf("NewSolver: %v, want signs among the choices", err)
	}
}

// What a kind says that it reads is an option, and its help is there.
func TestKindsReadOptions(t *testing.T) {
	keys := map[string]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[train.Options]()) {
		key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		keys["train."+key] = true
	}
	check := func(name, help string, reads []string) {
		for _, key := range reads {
			if !keys[key] {
				t.Errorf("%s reads %s, which is no option", name, key)
			}
		}
		if help == "" || name == "" {
			t.Errorf("%q has the help %q", name, help)
		}
	}
	for _, s := range train.Schedules {
		check(s.Name, s.Help, s.Reads)
	}
	for _, s := range train.Solvers {
		check(s.Name, s.Help, s.Reads)
	}
}

// Options are checked also for the kinds that are not chosen.
func TestEveryKindChecksItsOptions(t *testing.T) {
	for want, change := range map[string]func(o *train.Options){
		"train.momentum 1: want 0 to less than 1": func(o *train.Options) {
			o.Optimizer, o.Momentum = "adamw",
				1
		},
		"train.betas 1.5: want 0 to less than 1":          func(o *train.Options) { o.Betas[1] = 1.5 },
		"train.factor 0.5: want 1 to 1000000":             func(o *train.Options) { o.Factor = 0.5 },
		"train.milestones [80 80]: want epochs that rise": func(o *train.Options) { o.Milestones = []int{80, 80} },
		"train.warmup 1: want 0 to less than 1":           func(o *train.Options) { o.Warmup = 1 },
		fmt.Sprintf("train.lr %v: want 0 to 1000000", math.NaN()): func(o *train.Options) {
			o.LR = math.NaN()
		},
	} {
		o := train.Default()
		change(&o)
		if err := o.Validate(); err == nil || err.Error() != want {
			t.Errorf("Validate: %v, want %s", err, want)
		}
	}
}
