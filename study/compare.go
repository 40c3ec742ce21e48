// Package study compares runs, in groups that differ only in the seed: a table, figures and a document. It also
// describes what a network is made of (Inspect). Package study/stats has the statistics.
//
// Stable: the keys of documents, to which more are only added. Tables follow the command.
package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/study/stats"
)

// A Metric is an accuracy by which models are compared.
type Metric struct {
	Name string // for programs
	Head string // for people
	Help string
	of   func(r Run) (acc float64, images int, right stats.Bits)

	split string
	part  func(r Run) Part
}

// Entry implements option.Named.
func (m Metric) Entry() (name, help string) { return m.Name, m.Help }

// Metrics lists the metrics; the first is the default. To add one, write its line here.
var Metrics = option.List[Metric]{
	{"test_acc", "test acc %", "accuracy on the test images",
		func(r Run) (float64, int, stats.Bits) { return r.TestAcc, r.TestN, r.TestRight },
		"test", func(r Run) Part { return r.TestOf }},
	{"val_acc", "val acc %", "accuracy on the validation images",
		func(r Run) (float64, int, stats.Bits) { return r.ValAcc, r.ValN, nil },
		"val", func(r Run) Part { return r.ValOf }},
}

// partOf is the part of the images that the metric is of in the runs of a group: the smallest.
func (m Metric) partOf(g Group) (least Part) {
	for _, r := range g.Runs {
		least = least.Least(m.part(r))
	}
	return least
}

// Options say how to compare.
type Options struct {
	Metric   Metric    // the zero value: the first of Metrics
	Baseline string    // the name or base of a group; "": no differences
	Paired   bool      // take differences seed by seed, if both models have the same seeds
	Levels   []float64 // accuracies to find the first epoch and time of; nil: two that separate the models
	Paper    bool      // also list the paper's results
}

// A Comparison compares models: the document of compare, and comparison/table.json.
type Comparison struct {
	V        int     `json:"v"`        // 1
	Metric   string  `json:"metric"`   // test_acc or val_acc
	Baseline *string `json:"baseline"` // name of its row; null: none
	Rows     []Row   `json:"rows"`     // the baseline first, then the best first

	options Options
}

// A Row is one model: runs that differ only in the seed.
type Row struct {
	Group
	N     int        `json:"n"`     // number of runs
	Seeds []uint64   `json:"seeds"` // of the runs
	Mean  null.Float `json:"mean"`  // of the metric
	// the images that the metric is of, if they are not all: 1,000 of 10,000 test images
	On              string         `json:"on,omitempty"`
	Std             null.Float     `json:"std"`              // over seeds, with n-1 in the denominator
	CI              stats.Interval `json:"ci"`               // 95 % interval of the mean
	Diff            null.Float     `json:"diff"`             // from the baseline
	DiffCI          stats.Interval `json:"diff_ci"`          // 95 % interval of the difference
	P               null.Float     `json:"p"`                // null hypothesis of no difference
	PHolm           null.Float     `json:"p_holm"`           // p, corrected for the number of comparisons
	CICovers        []string       `json:"ci_covers"`        // what ci accounts for: seeds, images
	DiffCovers      []string       `json:"diff_ci_covers"`   // what diff_ci accounts for: seeds, images
	Paired          bool           `json:"paired"`           // differences are taken seed by seed
	Params          int            `json:"params"`           // number of trained values
	ParamsAttention int            `json:"params_attention"` // only those of the attention layers
	// multiply-adds per image, with attention over all pairs of tokens
	MACs int `json:"macs"`
	// multiply-adds per image that this program computes in evaluation
	MACsRun int `json:"macs_run"`
	// multiply-adds per image of linear maps and convolutions, as the paper counts
	MACsPaper int `json:"macs_paper"`
	// floating-point operations of training a run, three times its forward passes, with attention over all pairs of
	// tokens; null: of images of several sizes
	FLOP null.Float `json:"flop"`
	// the same with forward passes as this program computes them in evaluation
	FLOPRun null.Float   `json:"flop_run"`
	StepS   null.Float   `json:"step_s"`          // of training, measured for --equal time; null: it was not
	TrainS  null.Float   `json:"train_s"`         // of all steps of a run, at that time of a step
	WallS   null.Float   `json:"wall_s"`          // of a run, mean
	ImgS    null.Float   `json:"img_s"`           // images per second, mean
	Reach   []ReachTime  `json:"reach"`           // one for each level of --reach
	Paper   *PaperResult `json:"paper,omitempty"` // with --paper, if the paper has the model
	// with a column of them, if the model has layers with an operator
	Layers *analyse.LayerMeans `json:"layers,omitempty"`
	IDs    []string            `json:"runs"` // ids

	baseline bool // this row is the baseline
}

// A ReachTime is when the runs of a row first reached a validation accuracy: means over the runs that did.
type ReachTime struct {
	Acc     float64    `json:"acc"`     // the level
	Runs    int        `json:"runs"`    // number of runs that reached it
	Epochs  null.Float `json:"epochs"`  // until then
	Seconds null.Float `json:"seconds"` // of training until then
}

// Compare compares groups of runs.
func Compare(groups []Group, o Options) (*Comparison, error) {
	for _, g := range groups {
		if len(g.Runs) == 0 {
			return nil, fmt.Errorf("group %q has no runs to compare", g.Name)
		}
	}
	if o.Metric.Name == "" {
		o.Metric = Metrics[0]
	}
	if o.Levels == nil {
		o.Levels = levels(groups)
	}
	c := &Comparison{V: 1, Metric: o.Metric.Name, Rows: []Row{}, options: o}
	base := Baseline(groups, o.Baseline)
	for i, g := range groups {
		sample := stats.Summarize(o.measured(g))
		diff := stats.Contrast{Diff: math.NaN(), CI: stats.NoInterval, P: math.NaN()}
		if base >= 0 && i != base {
			var err error
			if diff, err = o.contrast(g, groups[base]); err != nil {
				return nil, fmt.Errorf("%s: %w", g.Name, err)
			}
		}
		r := Row{Group: g, N: len(g.Runs), Seeds: g.Seeds(), IDs: g.IDs(), baseline: i == base,
			On:   o.Metric.partOf(g).On(o.Metric.split),
			Mean: null.Float(sample.Mean), Std: null.Float(sample.Std), CI: sample.CI, CICovers: sample.Covers.Words(),
			Diff: null.Float(diff.Diff), DiffCI: diff.CI, P: null.Float(diff.P), DiffCovers: diff.Covers.Words(),
			Paired: diff.Paired,
			WallS:  null.Float(stats.Average(g.Each(func(r Run) float64 { return r.WallS }))),
			ImgS:   null.Float(stats.Average(g.Each(func(r Run) float64 { return r.ImgS }))),
			Reach:  []ReachTime{},
			FLOP:   null.Unknown, FLOPRun: null.Unknown, StepS: null.Unknown, TrainS: null.Unknown,
		}
		for _, l := range o.Levels {
			r.Reach = append(r.Reach, reachTime(g, l))
		}
		if o.Paper {
			r.Paper = paperResult(g)
		}
		if err := r.count(); err != nil {
			return nil, err
		}
		c.Rows = append(c.Rows, r)
	}
	if base >= 0 {
		c.Baseline = &groups[base].Name
	}
	c.correct()
	slices.SortStableFunc(c.Rows, func(a, b Row) int {
		switch {
		case a.baseline:
			return -1
		case b.baseline:
			return 1
		}
		return cmp.Compare(b.Mean, a.Mean)
	})
	return c, nil
}

// Baseline returns the index of the group with this name or with a run of this id, or else of the largest group of this
// model, or -1.
func Baseline(groups []Group, name string) int {
	best := -1
	for i, g := range groups {
		if name != "" && (g.Name == name || slices.Contains(g.IDs(), name)) {
			return i
		}
		if g.Base == name && (best < 0 || len(g.Runs) >= len(groups[best].Runs)) {
			best = i
		}
	}
	return best
}

// measured returns the accuracies of the runs of g, and their results by image if all runs have them for the same
// images.
func (o Options) measured(g Group) stats.Accuracies {
	m := stats.Accuracies{}
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
	if len(m.Right) < len(m.Runs) || Mix(g.Runs, Question) != nil {
		m.Right = nil
	}
	return m
}

// contrast compares a model with the baseline: image by image if both were tested on the same images, and seed by seed
// if o.Paired and both have the same seeds.
func (o Options) contrast(g, base Group) (stats.Contrast, error) {
	x, b := o.measured(g), o.measured(base)
	if Mix(slices.Concat(g.Runs, base.Runs), Question) != nil {
		x.Right, b.Right = nil, nil
	}
	return stats.Compare(x, b, o.Paired && slices.Equal(g.Seeds(), base.Seeds()))
}

// correct sets the Holm-corrected p-values of all rows.
func (c *Comparison) correct() {
	var p []float64
	for _, r := range c.Rows {
		p = append(p, float64(r.P))
	}
	for i, v := range stats.Holm(p) {
		c.Rows[i].PHolm = null.Float(v)
	}
}

// Timed sets the time of a step of training of a model, in seconds.
func (r *Row) Timed(step float64) {
	r.StepS = null.Float(step)
	r.TrainS = null.Float(step * stats.Average(r.Each(Run.steps)))
}

// count counts the model's parameters and multiply-adds.
func (r *Row) count() error {
	spec := r.Runs[0].Spec
	if err := spec.Validate(); err != nil {
		return fmt.Errorf("run %s: model: %w", r.Runs[0].ID, err)
	}
	for _, p := range spec.Parts() {
		r.Params += p.Params
		r.MACs += p.MACs.Definition
		r.MACsRun += p.MACs.Run
		r.MACsPaper += p.MACs.Paper
		if strings.HasPrefix(p.Kind, "attention") {
			r.ParamsAttention += p.Params
		}
	}
	if sides := r.Runs[0].Value("train.resolutions"); sides == "" || sides == "[]" {
		images := stats.Average(r.Each(Run.trainedOn))
		r.FLOP, r.FLOPRun = null.Float(6*float64(r.MACs)*images), null.Float(6*float64(r.MACsRun)*images)
	}
	return nil
}

func reachTime(g Group, level float64) ReachTime {
	r := ReachTime{Acc: level, Epochs: null.Unknown, Seconds: null.Unknown}
	var epochs, seconds []float64
	for _, run := range g.Runs {
		if p, ok := run.Reach(level); ok {
			r.Runs++
			epochs, seconds = append(epochs, float64(p.Epoch)), append(seconds, p.Seconds)
		}
	}
	if r.Runs > 0 {
		r.Epochs, r.Seconds = null.Float(stats.Average(epochs)), null.Float(stats.Average(seconds))
	}
	return r
}

// levels returns the largest multiple of 0.1 of accuracy that every model reached in one of its runs, and the largest
// that any model reached, without those below twice chance.
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
