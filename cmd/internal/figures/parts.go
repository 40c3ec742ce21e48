package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/viz"
)

// accuracies are those of the classes on validation images.
func accuracies(r CurveRun, e event.Epoch) (all []Part) {
	for i, acc := range e.PerClass {
		name := fmt.Sprintf("class %d", i)
		if i < len(r.Classes) {
			name = r.Classes[i]
		}
		all = append(all, Part{name, float64(acc)})
	}
	return all
}

// norms are those of the layers.
func norms(of func(event.LayerNorms) null.Float) func(CurveRun, event.Epoch) []Part {
	return func(_ CurveRun, e event.Epoch) (all []Part) {
		for _, l := range e.Layers {
			all = append(all, Part{l.Name, float64(of(l))})
		}
		return all
	}
}

// parts returns the names of the parts of a curve's runs, in order.
func (q Quantity) parts(c Curve) (names []string) {
	for _, r := range c.Runs {
		for _, e := range r.Epochs {
			for _, p := range q.Parts(r, e) {
				if !slices.Contains(names, p.Name) {
					names = append(names, p.Name)
				}
			}
		}
	}
	return names
}

// part returns the values of one part over the epochs of r; NaN where it has none.
func (q Quantity) part(name string, r CurveRun) func(event.Epoch) float64 {
	return func(e event.Epoch) float64 {
		for _, p := range q.Parts(r, e) {
			if p.Name == name {
				return p.Value
			}
		}
		return math.NaN()
	}
}

// checkParts reports quantities that one legend cannot name. The error is an *option.Error for "show".
func checkParts(curves []Curve, show []string) error {
	var first []string // of the first panel
	for i, name := range show {
		q := Quantities.Find(name)
		if q == nil {
			return Quantities.Check("show", name)
		}
		if q.Parts == nil {
			if first != nil {
				return option.Errorf("show", "%s: %s has a curve for each run, and %s one for each part of a run: draw "+
					"one at a time", strings.Join(show, ","), name, show[0])
			}
			continue
		}
		for k, c := range curves {
			names := q.parts(c)
			switch {
			case len(names) == 0:
				return option.Errorf("show", "%s: run %s has not recorded it: runs of this version do, where there are "+
					"validation images", name, c.Runs[0].Status.ID)
			case i == 0 && k == 0:
				first = names
			case !slices.Equal(first, names):
				return option.Errorf("show", "%s: %s and %s have other curves: draw one at a time",
					strings.Join(show, ","), curves[0].Name+" "+show[0], c.Name+" "+name)
			}
		}
	}
	return nil
}

// partPanels draws a panel for each model, with a curve for each part.
func (q Quantity) partPanels(curves []Curve, seconds float64) (panels []viz.Panel) {
	for _, c := range curves {
		p := viz.Panel{Title: q.Title, Percent: q.Percent}
		if len(curves) > 1 {
			p.Title += ", " + c.Name
		}
		for _, name := range q.parts(c) {
			curve := viz.Curve{Name: name}
			for _, r := range c.Runs {
				curve.Runs = append(curve.Runs, r.points(q.part(name, r), seconds))
			}
			p.Curves = append(p.Curves, curve)
		}
		panels = append(panels, p)
	}
	return panels
}

// A PartSummary is one class or layer over training, as means over runs.
type PartSummary struct {
	Curve string     `json:"curve"` // in the legend
	Show  string     `json:"show"`  // class-acc, weights or gradients
	Name  string     `json:"name"`  // of the class or layer
	First null.Float `json:"first"` // after the first epoch
	Best  null.Float `json:"best"`  // after the epoch with the highest validation accuracy
	Last  null.Float `json:"last"`  // after the last epoch
}

// PartDocuments returns the parts of the quantities called show; nil if none of them has parts.
func PartDocuments(curves []Curve, show []string) (all []PartSummary) {
	for _, name := range show {
		q := Quantities.Find(name)
		if q == nil || q.Parts == nil {
			continue
		}
		for _, c := range curves {
			for _, part := range q.parts(c) {
				s := PartSummary{Curve: c.Name, Show: name, Name: part}
				for _, r := range c.Runs {
					of, n := q.part(part, r), float64(len(c.Runs))
					_, best := r.best()
					at := slices.IndexFunc(r.Epochs, func(e event.Epoch) bool { return e.Epoch == best })
					s.First += null.Float(of(r.Epochs[0]) / n)
					s.Best += null.Float(of(r.Epochs[max(0, at)]) / n)
					s.Last += null.Float(of(r.Epochs[len(r.Epochs)-1]) / n)
				}
				all = append(all, s)
			}
		}
	}
	return all
}

// PartText returns a table of parts, a row each.
func PartText(parts []PartSummary) string {
	var w table.Right
	w.Add("", "", "first epoch", "best epoch", "last epoch")
	for _, p := range parts {
		text := func(v null.Float) string {
			switch {
			case !v.Known():
				return "-"
			case Quantities.Find(p.Show).Percent:
				return fmt.Sprintf("%.1f %%", 100*v)
			}
			return fmt.Sprintf("%.4g", float64(v))
		}
		w.Add(p.Curve+" "+p.Show, p.Name, text(p.First), text(p.Best), text(p.Last))
	}
	return w.String()
}
