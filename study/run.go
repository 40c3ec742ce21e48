package study

import (
	"math"
	"strconv"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/study/stats"
)

// A Run is a run's settings and results.
type Run struct {
	ID       string
	Name     string // of its model: quadratic, resnet18
	Seed     uint64
	Settings []Setting // the configuration without the seed, in the order of the file, and the settings of Began
	Spec     model.Spec

	TestAcc, ValAcc float64    // of the best epoch
	TestN, ValN     int        // images that they were measured on; 0: unknown
	TestOf, ValOf   Part       // which of the data's images these are
	TestRight       stats.Bits // which test images were classified correctly; nil: unknown
	BestEpoch       int
	Epochs          int
	WallS, ImgS     float64
	Curve           []Point
	Environment     run.Environment // when the run began
	Machines        []Machine       // that trained it, in order; one, unless it was resumed under other conditions
	State           string          // of run.Entry
}

// A Setting is one value of a configuration, as YAML on one line.
type Setting struct{ Key, Value string }

// A Point is a run's state after an epoch. Unknown values are NaN.
type Point struct {
	Epoch   int
	ValAcc  float64
	Seconds float64 // of training so far
	Images  int     // trained on so far, each as often as it was
}

// Settings of a run that was not trained from scratch for a planned number of epochs.
const (
	From     = "from"     // the run of the initial weights
	extended = "extended" // by more epochs, after it had finished
)

// began adds the settings from and extended, if run.json has them, so that such a run is not in one group with runs
// that were trained from scratch for a planned number of epochs.
func (r *Run) began(s run.Status) {
	if s.From != "" {
		r.Settings = append(r.Settings, Setting{From, s.From})
	}
	if s.Extended {
		r.Settings = append(r.Settings, Setting{extended, "by epochs"})
	}
}

// Plain reports whether the run was trained from scratch for a planned number of epochs.
func (r Run) Plain() bool { return r.Value(From) == "" && r.Value(extended) == "" }

// Value returns the value of the setting key, or "".
func (r Run) Value(key string) string {
	for _, s := range r.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// Read reads the results, curve and environment of r from the folder of the entry e.
func (r *Run) Read(e run.Entry) error {
	d := &run.Dir{Path: e.Path}
	records, err := d.Records(event.Kind(event.Start{}), event.Kind(event.Epoch{}), event.Kind(event.Eval{}))
	if err != nil {
		return err
	}
	if r.Environment, err = d.Environment(); err != nil {
		return err
	}
	s := e.Status
	r.ID, r.Seed = s.ID, s.Seed
	r.TestAcc, r.ValAcc, r.BestEpoch, r.Epochs = s.TestAcc, s.ValAcc, s.BestEpoch, s.Epoch
	r.WallS, r.ImgS = s.WallS, s.ImgS
	r.Machines, r.State = MachinesOf(r.Environment, s, records), e.State
	var epochs []event.Epoch
	for _, rec := range records {
		switch e := rec.Event.(type) {
		case event.Epoch:
			epochs = append(epochs, e)
			r.ValN = max(r.ValN, e.ValN)
		case event.Eval:
			r.tested(e)
		}
	}
	batch, _ := strconv.Atoi(r.Value("train.batch"))
	for i, at := range Elapsed(epochs) {
		acc := epochs[i].ValAcc
		if epochs[i].Side > 0 { // of smaller images: not what the run is after
			acc = math.NaN()
		}
		r.Curve = append(r.Curve, Point{epochs[i].Epoch, acc, at, epochs[i].Step * batch})
	}
	return nil
}

// steps is how many steps a run was trained for.
func (r Run) steps() float64 {
	batch, _ := strconv.ParseFloat(r.Value("train.batch"), 64)
	return r.trainedOn() / batch
}

// trainedOn is how many images a run was trained on, each as often as it was.
func (r Run) trainedOn() float64 {
	if len(r.Curve) == 0 {
		return math.NaN()
	}
	return float64(r.Curve[len(r.Curve)-1].Images)
}

// Elapsed returns the training time of a run up to the end of each epoch, in seconds: with evaluations and checkpoints,
// without interruptions and without steps that a kill lost.
func Elapsed(epochs []event.Epoch) []float64 {
	all, sum := make([]float64, len(epochs)), 0.0
	for i, e := range epochs {
		sum += e.WallS
		if all[i] = e.TotalS; !(e.TotalS > 0) { // unknown: a run of an earlier version
			all[i] = sum
		}
	}
	return all
}

// tested sets the number of test images, and which of them were classified correctly if that agrees with the accuracy.
func (r *Run) tested(e event.Eval) {
	if e.Split != "test" {
		return
	}
	r.TestN, r.TestRight = max(0, e.N), nil
	if r.TestN > 0 && len(e.Right) == (e.N+7)/8 {
		correct := 0
		for i := range e.N {
			if e.Right.At(i) {
				correct++
			}
		}
		if math.Abs(float64(correct)-e.Acc*float64(e.N)) < 0.5 {
			r.TestRight = e.Right
		}
	}
}

// Reach returns the first point with the validation accuracy acc.
func (r Run) Reach(acc float64) (Point, bool) {
	for _, p := range r.Curve {
		if p.ValAcc >= acc {
			return p, true
		}
	}
	return Point{}, false
}
