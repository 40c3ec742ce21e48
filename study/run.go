package study

import (
	"math"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/run"
)

// A Run is what a study knows of one run.
type Run struct {
	ID       string
	Name     string // of its model: quadratic, resnet18
	Seed     uint64
	Settings []Setting // all of its configuration but the seed, in the order of the file; and what Began says
	Spec     model.Spec

	TestAcc, ValAcc float64  // of the best epoch
	TestN, ValN     int      // images that they were measured on; 0: not known
	TestRight       run.Bits // which test images were classified correctly; nil: not known
	BestEpoch       int
	Epochs          int
	WallS, ImgS     float64
	Curve           []Point
	Environment     run.Environment // of its first leg; the digest of the data is in it
}

// A Setting is one value of a configuration, as YAML on one line.
type Setting struct{ Key, Value string }

// A Point is where a run stood after an epoch. What is not known is NaN.
type Point struct {
	Epoch   int
	ValAcc  float64
	Seconds float64 // of training until then
}

// The settings of a run that did not begin anew, or did not end as planned.
const (
	from     = "from"     // another run, whose weights it began with
	extended = "extended" // by more epochs, once it was finished
)

// Began adds what run.json says of a run's beginning to its settings: runs that began with the weights of others, or
// that were extended, are no further seeds of those that were trained from nothing to a planned end.
func (r *Run) Began(s run.Status) {
	if s.From != "" {
		r.Settings = append(r.Settings, Setting{from, s.From})
	}
	if s.Extended {
		r.Settings = append(r.Settings, Setting{extended, "by epochs"})
	}
}

// Plain reports whether the run was trained from nothing to a planned end.
func (r Run) Plain() bool { return r.Value(from) == "" && r.Value(extended) == "" }

// Value is that of the setting key, or "".
func (r Run) Value(key string) string {
	for _, s := range r.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// Read fills in what the folder of the run that e lists says: its numbers, its curve, its environment.
func (r *Run) Read(e run.Entry) error {
	d := &run.Dir{Path: e.Path}
	records, err := d.Records()
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
	var sum float64
	for _, rec := range records {
		switch event := rec.Event.(type) {
		case run.Epoch:
			sum += event.WallS
			at := event.TotalS
			if math.IsNaN(at) { // a run of an earlier version
				at = sum
			}
			r.Curve, r.ValN = append(r.Curve, Point{event.Epoch, event.ValAcc, at}), max(r.ValN, event.ValN)
		case run.Eval:
			r.tested(event)
		}
	}
	return nil
}

// tested takes the number of test images, and which of them were classified correctly where the file says so without
// contradiction.
func (r *Run) tested(e run.Eval) {
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

// reach returns where the run first had the validation accuracy acc.
func (r Run) reach(acc float64) (Point, bool) {
	for _, p := range r.Curve {
		if p.ValAcc >= acc {
			return p, true
		}
	}
	return Point{}, false
}
