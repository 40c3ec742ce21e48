package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/choice"
	"github.com/attnconv/attnconv/internal/describe"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/run"
)

// A Metric is an accuracy by which models are compared.
type Metric struct {
	Name string // for programs
	Head string // for people
	Help string
	of   func(r Run) (acc float64, images int, right run.Bits)
}

// Entry implements choice.Choice.
func (m Metric) Entry() (name, help string) { return m.Name, m.Help }

// Metrics lists the metrics; the first is the default. To add one, write its line here.
var Metrics = choice.List[Metric]{
	{"test_acc", "test acc %", "accuracy on the test images", func(r Run) (float64, int, run.Bits) { return r.TestAcc, r.TestN, r.TestRight }},
	{"val_acc", "val acc %", "accuracy on the validation images", func(r Run) (float64, int, run.Bits) { return r.ValAcc, r.ValN, nil }},
}

// Options say how to compare.
type Options struct {
	Metric   Metric    // the zero value: the first of Metrics
	Baseline string    // the name or base of a group; "": no differences
	Paired   bool      // take differences seed by seed, if both models have the same seeds
	Levels   []float64 // accuracies to find the first epoch and time of; nil: two that separate the models
}

// A Comparison is a table of models: the baseline first, then the others, best first.
type Comparison struct {
	Options
	Rows []Row
}

// A Row is one model. Unknown floats are NaN.
type Row struct {
	Group
	Base     bool
	Sample   Sample
	Contrast         // with the baseline
	Holm     float64 // P, corrected for the number of comparisons

	Params, InAttention int // InAttention: of the attention layers alone
	MACs                describe.MACs
	WallS, ImgS         float64            // means
	Reach               []Reached          // one for each level
	Layers              *report.LayerMeans // as measured for LayerColumns; nil: not measured
}

// Reached is when the runs of a row first reached a validation accuracy.
type Reached struct {
	Runs            int     // runs that reached it
	Epochs, Seconds float64 // means over these
}

// Compare compares groups of runs.
func Compare(groups []Group, o Options) (*Comparison, error) {
	for _, g := range groups {
		if len(g.Runs) == 0 {
			return nil, fmt.Errorf("study: group %q has no runs to compare", g.Name)
		}
	}
	if o.Metric.Name == "" {
		o.Metric = Metrics[0]
	}
	c := &Comparison{Options: o}
	if o.Levels == nil {
		c.Levels = levels(groups)
	}
	base := Baseline(groups, o.Baseline)
	for i, g := range groups {
		r := Row{Group: g, Base: i == base, Contrast: Contrast{Diff: math.NaN(), CI: none, P: math.NaN()}}
		r.Sample = Summarise(o.measured(g))
		if base >= 0 && i != base {
			r.Contrast = o.contrast(g, groups[base])
		}
		r.WallS = mean(each(g, func(r Run) float64 { return r.WallS }))
		r.ImgS = mean(each(g, func(r Run) float64 { return r.ImgS }))
		for _, l := range c.Levels {
			r.Reach = append(r.Reach, reached(g, l))
		}
		if err := r.count(); err != nil {
			return nil, err
		}
		c.Rows = append(c.Rows, r)
	}
	c.correct()
	slices.SortStableFunc(c.Rows, func(a, b Row) int {
		switch {
		case a.Base:
			return -1
		case b.Base:
			return 1
		}
		return cmp.Compare(b.Sample.Mean, a.Sample.Mean)
	})
	return c, nil
}

// Baseline returns the index of the group with this name or with a run of this id, or else of the largest group of this
// model, or -1.
func Baseline(groups []Group, name string) int {
	best := -1
	for i, g := range groups {
		if name != "" && (g.Name == name || slices.Contains(ids(g), name)) {
			return i
		}
		if g.Base == name && (best < 0 || len(g.Runs) >= len(groups[best].Runs)) {
			best = i
		}
	}
	return best
}

// measured returns the accuracies of the runs of g, and their results by image if all runs have them for the same images.
func (o Options) measured(g Group) Measured {
	m := Measured{}
	for i, r := range g.Runs {
		acc, images, right := o.Metric.of(r)
		m.Runs = append(m.Runs, acc)
		switch {
		case i == 0:
			m.Images = images
		case images != m.Images:
			m.Images, m.Right = min(images, m.Images), nil
		}
		if right != nil && len(m.Right) == i {
			m.Right = append(m.Right, right)
		}
	}
	if len(m.Right) < len(m.Runs) || Mix(g.Runs) != nil {
		m.Right = nil
	}
	return m
}

// contrast compares a model with the baseline: image by image if both were tested on the same images, and seed by seed if
// o.Paired and both have the same seeds.
func (o Options) contrast(g, base Group) Contrast {
	x, b := o.measured(g), o.measured(base)
	if Mix(slices.Concat(g.Runs, base.Runs)) != nil {
		x.Right, b.Right = nil, nil
	}
	return Compared(x, b, o.Paired && slices.Equal(g.Seeds(), base.Seeds()))
}

// correct sets the Holm-corrected p-values of all rows.
func (c *Comparison) correct() {
	var p []float64
	for _, r := range c.Rows {
		p = append(p, r.P)
	}
	for i, v := range Holm(p) {
		c.Rows[i].Holm = v
	}
}

func each(g Group, of func(Run) float64) []float64 {
	all := make([]float64, len(g.Runs))
	for i, r := range g.Runs {
		all[i] = of(r)
	}
	return all
}

// count counts the model's parameters and multiply-adds.
func (r *Row) count() error {
	spec := r.Runs[0].Spec
	if err := spec.Validate(); err != nil {
		return fmt.Errorf("study: run %s: model: %w", r.Runs[0].ID, err)
	}
	for _, p := range spec.Parts() {
		r.Params += p.Params
		r.MACs = r.MACs.Plus(p.MACs)
		if strings.HasPrefix(p.Kind, "attention") {
			r.InAttention += p.Params
		}
	}
	return nil
}

func reached(g Group, level float64) Reached {
	r := Reached{Epochs: math.NaN(), Seconds: math.NaN()}
	var epochs, seconds []float64
	for _, run := range g.Runs {
		if p, ok := run.reach(level); ok {
			r.Runs++
			epochs, seconds = append(epochs, float64(p.Epoch)), append(seconds, p.Seconds)
		}
	}
	if r.Runs > 0 {
		r.Epochs, r.Seconds = mean(epochs), mean(seconds)
	}
	return r
}

// levels returns the largest multiple of 0.1 of accuracy that every model reached in one of its runs, and the largest that
// any model reached, without those below twice chance.
func levels(groups []Group) []float64 {
	least, most, chance := math.Inf(1), math.Inf(-1), 0.0
	for _, g := range groups {
		best := math.Inf(-1)
		for _, r := range g.Runs {
			chance = 1 / float64(r.Spec.Classes)
			for _, p := range r.Curve {
				if p.ValAcc > best { // false for NaN
					best = p.ValAcc
				}
			}
		}
		least, most = min(least, best), max(most, best)
	}
	var list []float64
	for _, l := range []float64{least, most} {
		if tenth := math.Floor(10*l+1e-9) / 10; tenth > 2*chance && tenth <= 1 && !slices.Contains(list, tenth) {
			list = append(list, tenth)
		}
	}
	return list
}
