package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/study"
	"github.com/attnconv/attnconv/viz"
)

// A Quantity is what is measured in every epoch.
type Quantity struct {
	Name, Title string
	Percent     bool // a fraction, shown in per cent
	Of          func(event.Epoch) float64
	Train       func(event.Epoch) float64 // the same on training images, or nil

	// Parts are what it is made of, classes or layers, instead of Of: a curve each, and a panel for each model.
	Parts func(r CurveRun, e event.Epoch) []Part
}

// A Part is the value of one class or layer.
type Part struct {
	Name  string
	Value float64
}

// Entry implements option.Named.
func (q Quantity) Entry() (name, help string) { return q.Name, q.Title }

// Quantities lists what CurvesOptions can show. A new one is a line here.
var Quantities = option.List[Quantity]{
	{"acc", "validation accuracy", true, func(e event.Epoch) float64 { return e.ValAcc }, nil, nil},
	{"train-acc", "training accuracy", true, func(e event.Epoch) float64 { return e.TrainAcc }, nil, nil},
	{"loss", "validation loss", false, func(e event.Epoch) float64 { return e.ValLoss },
		func(e event.Epoch) float64 { return e.TrainLoss }, nil},
	{"lr", "learning rate", false, func(e event.Epoch) float64 { return e.LR }, nil, nil},
	{"speed", "images per second", false, func(e event.Epoch) float64 { return e.ImgS }, nil, nil},
	{"class-acc", "validation accuracy of each class", true, nil, nil, accuracies},
	{"weights", "norm of the weights of each layer", false, nil, nil,
		norms(func(l event.LayerNorms) null.Float { return l.Weights })},
	{"gradients", "norm of the gradients of each layer", false, nil, nil,
		norms(func(l event.LayerNorms) null.Float { return l.Gradient })},
}

// CurvesOptions say what Curves draws. The zero value is accuracy and loss over epochs.
type CurvesOptions struct {
	Show    []string  // names in Quantities; nil: acc and loss, or with Targets only acc
	Time    bool      // over training time, not epochs
	Targets []float64 // validation accuracies that have a line, and a mark where each run first reaches them
	Width   float64   // of the figure, in cm; 0: 9 per panel, up to three side by side, or 14 for one with Targets
}

// targeted is the quantity whose panel has CurvesOptions.Targets.
const targeted = "acc"

// Curves draws curves, a panel for each quantity, with a caption that names runs and data. The error is an
// *option.Error for "show", or one of study.HeldOut for a run whose validation accuracy has no targets.
func Curves(curves []Curve, o CurvesOptions) (*viz.Figure, error) {
	if err := o.resolve(curves); err != nil {
		return nil, err
	}
	unit, seconds := "epoch", 0.0
	if o.Time {
		unit, seconds = timeUnit(curves)
	}
	if err := checkParts(curves, o.Show); err != nil {
		return nil, err
	}
	var panels []viz.Panel
	for _, name := range o.Show {
		q := Quantities.Find(name)
		if q == nil {
			return nil, Quantities.Check("show", name)
		}
		if q.Parts != nil {
			panels = append(panels, q.partPanels(curves, seconds)...)
			continue
		}
		whole := name == targeted && len(o.Targets) > 0
		drawn := q.of(whole).panels(curves, seconds)
		if whole {
			drawn[0].Targets = o.Targets
		}
		panels = append(panels, drawn...)
	}
	figure, err := viz.Curves(panels, viz.CurvesOptions{X: unit, Width: o.Width})
	if err != nil {
		return nil, err
	}
	figure.Source, figure.Caption = captions(curves)
	return figure, nil
}

// resolve sets the defaults, and checks that there is validation accuracy if there are targets.
func (o *CurvesOptions) resolve(curves []Curve) error {
	if len(o.Targets) == 0 {
		if o.Show == nil {
			o.Show = []string{targeted, "loss"}
		}
		return nil
	}
	if o.Show == nil {
		o.Show = []string{targeted}
	}
	if !slices.Contains(o.Show, targeted) {
		return option.Errorf("show", "%s: the targets are of %s: also show it", strings.Join(o.Show, ","), targeted)
	}
	if o.Width == 0 && len(o.Show) == 1 {
		o.Width = 14
	}
	for _, c := range curves {
		for _, r := range c.Runs {
			if err := study.HeldOut(r.Status.ID, r.Config); err != nil {
				return err
			}
		}
	}
	return nil
}

// of is q or, if whole, q of epochs on whole images only: accuracies on smaller ones reach no target.
func (q Quantity) of(whole bool) Quantity {
	if value := q.Of; whole {
		q.Of = func(e event.Epoch) float64 {
			if e.Side > 0 {
				return math.NaN()
			}
			return value(e)
		}
	}
	return q
}

// panels draws the curves of one quantity; seconds is the unit of time, or 0 for epochs. Training curves are dotted in
// the same panel. A training loss with smoothed labels has a panel of its own, since the smoothing makes it larger.
func (q Quantity) panels(curves []Curve, seconds float64) []viz.Panel {
	p := viz.Panel{Title: q.Title, Percent: q.Percent}
	apart := viz.Panel{}
	if q.Train != nil {
		apart.Title = smoothedTitle(curves)
	}
	for _, c := range curves {
		curve := viz.Curve{Name: c.Name, Note: c.legend()}
		train := curve
		for _, r := range c.Runs {
			curve.Runs = append(curve.Runs, r.points(q.Of, seconds))
			if q.Train != nil {
				train.Runs = append(train.Runs, r.points(q.Train, seconds))
			}
		}
		if apart.Title == "" {
			curve.Dotted = train.Runs
		}
		p.Curves, apart.Curves = append(p.Curves, curve), append(apart.Curves, train)
	}
	if apart.Title == "" {
		return []viz.Panel{p}
	}
	return []viz.Panel{p, apart}
}

// smoothedTitle returns the title of the training loss if some of the runs smooth labels, else "".
func smoothedTitle(curves []Curve) string {
	var rates []float64
	for _, c := range curves {
		for _, r := range c.Runs {
			rates = append(rates, r.Config.Train.LabelSmoothing)
		}
	}
	slices.Sort(rates)
	rates = slices.Compact(rates)
	switch {
	case len(rates) == 0 || rates[len(rates)-1] == 0:
		return ""
	case len(rates) == 1:
		return fmt.Sprintf("training loss (labels smoothed by %g)", rates[0])
	}
	return "training loss (with the runs' label smoothing)"
}

// points returns the values of the epochs over their numbers or, if seconds is not 0, over training time.
func (r CurveRun) points(of func(event.Epoch) float64, seconds float64) (points []viz.Point) {
	elapsed := study.Elapsed(r.Epochs)
	for i, e := range r.Epochs {
		x := float64(e.Epoch)
		if seconds > 0 {
			x = elapsed[i] / seconds
		}
		y := of(e)
		if math.IsInf(y, 0) { // the run has diverged: a gap
			y = math.NaN()
		}
		points = append(points, viz.Point{X: x, Y: y})
	}
	return points
}

// legend returns the text after a curve's name.
func (c Curve) legend() string {
	note := ""
	if len(c.Runs) > 1 {
		note = fmt.Sprintf("%d seeds, ", len(c.Runs))
	}
	best, _ := c.Best()
	if !(best >= 0) { // NaN
		return strings.TrimSuffix(note, ", ")
	}
	if len(c.Runs) > 1 {
		return fmt.Sprintf("%smean of their bests %.1f %%", note, 100*best)
	}
	return fmt.Sprintf("best %.1f %%", 100*best)
}

// captions names the runs, and their data and last epoch.
func captions(curves []Curve) (of, rest string) {
	var names, data []string
	last := 0
	for _, c := range curves {
		for _, r := range c.Runs {
			names, data = append(names, r.Status.Name), append(data, r.Config.Data.Name)
			for _, e := range r.Epochs {
				last = max(last, e.Epoch)
			}
		}
	}
	return study.CurveCaptions(names, data, last)
}

// timeUnit chooses a unit that suits the longest run, and returns its name and length in seconds.
func timeUnit(curves []Curve) (string, float64) {
	longest := 0.0
	for _, c := range curves {
		for _, r := range c.Runs {
			for _, s := range study.Elapsed(r.Epochs) {
				longest = max(longest, s)
			}
		}
	}
	switch {
	case longest > 2*3600:
		return "hours of training", 3600
	case longest > 2*60:
		return "minutes of training", 60
	}
	return "seconds of training", 1
}
