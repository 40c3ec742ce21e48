package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/shell"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/train"
)

// Options say what to plan.
type Options struct {
	Sources configs.Sources // a setting with several values, separated by commas, is an axis of the grid
	Seeds   []uint64        // every combination with each; nil: that of Sources
	DataDir string          // of data sets
	Version string          // of the program
	Args    []string        // the command line

	// Random draws so many combinations of the values and ranges of the axes; 0: the plan has all combinations.
	Random     int
	RandomSeed uint64

	// Keep is how many points one goes on of, after each of Rungs, epochs; see Halving. 0: all are trained to the end.
	// No Rungs: few, at equal distances, so that all trials cost less than half.
	Keep  int
	Rungs []int

	// Device returns where steps of this precision are timed, or nil for the CPU; nil: always the CPU.
	Device func(precision string) (train.Device, error)
}

// A pace is the number of batches in an epoch, the seconds of a step and of an evaluation, and the bytes of the
// process.
type pace struct {
	batches int
	train.Pace
	memory int64
}

// A Draft is a plan that has no folder yet.
type Draft struct {
	Plan
	Texts    [][]byte // settings of each trial, for Create
	Warnings []string // about settings
}

// MostTrials is the largest number of trials of a plan: more than anybody needs, so that it catches typing errors.
const MostTrials = 10_000

// A GridError is a grid that is not planned.
type GridError struct{ Problem, Advice string }

func (e *GridError) Error() string { return e.Problem }

// New resolves the settings of every combination of values, and times some steps of each network. The error is a
// *GridError, a *configs.Error, one of sets.Open, session.New or o.Device.
func New(ctx context.Context, o Options) (*Draft, error) {
	fixed, axes, err := o.axes()
	if err != nil {
		return nil, err
	}
	combinations, err := o.combinations(axes)
	if err != nil {
		return nil, err
	}
	d := &Draft{Plan: Plan{Format: Format, Created: time.Now().UTC().Truncate(time.Second), Version: o.Version,
		Args:  o.Args,
		Cores: runtime.GOMAXPROCS(0)}}
	d.describe(axes, combinations)
	if o.Random > 0 {
		d.Drawn = o.Random
	}
	t := timer{Options: o, opened: map[string]*data.Set{}, paces: map[string]pace{}}
	for i, values := range combinations {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r, need, err := t.trial(ctx, configs.Over(fixed, axes, values))
		if err != nil {
			return nil, err
		}
		if i == 0 {
			d.Warnings = r.Warnings
		}
		d.Texts = append(d.Texts, r.Run.YAML())
		if err := d.halve(o, r.Run); err != nil {
			return nil, err
		}
		d.Trials = append(d.Trials, Trial{Name: nameOf(i, len(combinations), d.Axes, values), Values: values,
			ETA: need.seconds, Memory: need.bytes})
	}
	return d, d.setRungs()
}

// axes returns the settings that vary, the seed last, and the sources of the others.
func (o Options) axes() (fixed configs.Sources, axes []configs.Axis, err error) {
	fixed, axes, err = o.Sources.Grid()
	if err != nil || len(o.Seeds) == 0 {
		return fixed, axes, err
	}
	if slices.ContainsFunc(axes, func(a configs.Axis) bool { return a.Key == Seed }) {
		return fixed, nil, &GridError{"--seeds and several values of --seed do not go together",
			"leave one of them out"}
	}
	axis := configs.Axis{Key: Seed, Flag: "--seeds"}
	for _, seed := range o.Seeds {
		axis.Values = append(axis.Values, strconv.FormatUint(seed, 10))
	}
	return fixed, append(axes, axis), nil
}

// withLists adds to an error about a list how several lists are typed: its numbers may be meant as values to try.
func withLists(err error, s configs.Sources) error {
	wrong := (*configs.Error)(nil)
	if !errors.As(err, &wrong) || wrong.Hint != "" {
		return err
	}
	about := func(name, text string) bool {
		return strings.Contains(text, ",") && !strings.Contains(text, "[") &&
			slices.Contains(strings.Fields(wrong.Error()), strings.TrimSpace(name))
	}
	lists := func(text string) string { return "[" + strings.ReplaceAll(text, ",", "],[") + "]" }
	for _, f := range s.Flags {
		if about(f.Name, f.Text) {
			wrong.Hint = "to sweep: " + f.Name + " " + shell.Line(lists(f.Text))
		}
	}
	for _, set := range s.Set {
		if key, text, _ := strings.Cut(set, "="); about(key, text) {
			wrong.Hint = "to sweep: --set " + shell.Line(key+"="+lists(text))
		}
	}
	return err
}

// A timer resolves the settings of trials and times their steps. It opens each data set once, and times each
// combination of network, batch and data once.
type timer struct {
	Options
	opened map[string]*data.Set
	paces  map[string]pace // by network, batch and data
}

// A need is what a run takes, as estimated.
type need struct {
	seconds float64
	bytes   int64
}

// trial returns the settings of one combination, and what its run takes.
func (t *timer) trial(ctx context.Context, s configs.Sources) (*configs.ResolvedRun, need, error) {
	if err := s.Check(t.DataDir); err != nil {
		return nil, need{}, withLists(err, s)
	}
	var set *data.Set
	c, err := configs.Resolve(s, func(name string) (_ string, err error) {
		if set, err = t.open(name); err != nil {
			return "", err
		}
		return set.Name, nil
	})
	if err != nil {
		return nil, need{}, withLists(err, s)
	}
	if _, err := session.Fit(c, set); err != nil {
		return nil, need{}, err
	}
	key, r := paceKey(c.Run), c.Run.Train
	p, known := t.paces[key]
	if !known {
		if p, err = t.measure(ctx, c, set); err != nil {
			return nil, need{}, err
		}
		t.paces[key] = p
	}
	steps := p.batches
	if limit := r.TrainBatches; limit > 0 {
		steps = min(steps, limit)
	}
	return c, need{float64(r.Epochs) * (p.StepS*float64(steps) + p.EvalS/float64(r.EvalEvery)), p.memory}, nil
}

// measure times some steps of a run.
func (t *timer) measure(ctx context.Context, r *configs.ResolvedRun, set *data.Set) (p pace, err error) {
	o := session.Options{Settings: r.Run, Origins: r.Origins, DataDir: t.DataDir, Set: set}
	if t.Device != nil {
		if o.Device, err = t.Device(r.Run.Train.Precision); err != nil {
			return p, r.Explain(err)
		}
	}
	s, err := session.New(o)
	if err != nil {
		return p, err
	}
	defer s.Close()
	f, err := s.Estimate(ctx)
	return pace{s.Plan().Batches, f.Pace, s.Plan().Memory + imageBytes(set) + runtimeBytes}, err
}

// runtimeBytes is what a process needs besides its graphs and its images: the program, the garbage collector's reserve,
// figures.
const runtimeBytes = 128 << 20

// imageBytes is the size of a set's images.
func imageBytes(set *data.Set) int64 {
	each := int64(set.Rows * set.Cols * set.Channels)
	if set.Floats() {
		each *= 4
	}
	return int64(set.Train.Len()+set.Val.Len()+set.Test.Len()) * each
}

func (t *timer) open(name string) (*data.Set, error) {
	if t.opened[name] == nil {
		set, err := sets.Open(data.Options{Name: name}, t.DataDir)
		if err != nil {
			return nil, err
		}
		t.opened[name] = set
	}
	return t.opened[name], nil
}

// paceKey is equal for runs whose steps take equally long: it has their configuration without what steps do not depend
// on.
func paceKey(r configs.Run) string {
	same := r
	same.Seed, same.Preset, same.Train = 0, "", configs.Default().Train
	same.Train.Batch, same.Train.EvalBatch, same.Train.Optimizer = r.Train.Batch, r.Train.EvalBatch, r.Train.Optimizer
	same.Train.Precision = r.Train.Precision
	same.Train.OverfitBatches = r.Train.OverfitBatches
	return string(same.YAML())
}

// NewFolder returns an unused name in root, made of the current time.
func NewFolder(root string) string {
	stem := filepath.Join(root, time.Now().UTC().Format("20060102-150405"))
	path := stem
	for n := 2; ; n++ {
		if _, err := os.Stat(path); err != nil {
			return path
		}
		path = fmt.Sprintf("%s-%d", stem, n)
	}
}

// ETA is the estimated seconds of all runs, one after the other; with halving, as far as it trains them.
func (p *Plan) ETA() float64 {
	if p.Halving == nil {
		return p.sum()
	}
	s, points := 0.0, float64(p.Points())
	before, alive := 0, p.Points()
	for k := range len(p.Halving.Rungs) + 1 {
		end := p.Halving.end(k)
		s += p.sum() / points * float64(alive) * float64(end-before) / float64(p.Halving.Epochs)
		before, alive = end, p.Halving.kept(alive)
	}
	return s
}

// sum is the estimated seconds of all runs to their end.
func (p *Plan) sum() (s float64) {
	for _, t := range p.Trials {
		s += t.ETA
	}
	return s
}
