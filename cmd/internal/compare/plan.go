package compare

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/study"
	"github.com/attnconv/attnconv/train"
)

// A plannedTraining run is to be trained or resumed.
type plannedTraining struct {
	Name    string // of its model
	Config  configs.Run
	Resume  *study.Candidate // nil: a new run
	Seconds float64          // estimated
}

// A planner determines which runs a comparison lacks.
type planner struct {
	request
	selection *selection
	DataDir   string // of data sets

	// Probe estimates a new run.
	Probe probe

	set   *data.Set    // nil until opened
	first *configs.Run // of the plan if no runs exist: the others take its data and budget
}

// An incomparableError is a baseline that is the id of a run which is not among the compared ones.
type incomparableError struct{ Baseline string }

func (e *incomparableError) Error() string {
	return fmt.Sprintf("run %s is not finished, or its data or budget differ from those of the others", e.Baseline)
}

// Plan lists the missing runs: one for every seed of the baseline and of each requested model. The seeds default to
// those of the existing runs, so that differences can be paired. A run that diverged is not repeated, since it would
// diverge again: it is among the skipped. The error is an *incomparableError, a *configs.Error, one of sets.Open, or
// one of Probe.
func (p *planner) Plan(ctx context.Context) (plan, skipped []plannedTraining, err error) {
	l := &planning{planner: p}
	groups := study.Groups(p.selection.Runs())
	seeds := p.seeds()
	for _, name := range p.wanted() {
		found := false
		for _, g := range groups {
			if g.Base == name && g.Runs[0].Plain() || slices.ContainsFunc(g.Runs,
				func(r study.Run) bool { return r.ID == name }) {
				found = true
				l.complete(g, seeds)
			}
		}
		if found {
			continue
		}
		if !slices.Contains(model.ShortNames(), name) {
			return nil, nil, &incomparableError{name}
		}
		e, err := p.probe(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		for _, s := range seeds {
			e.Config.Seed = s
			l.add(plannedTraining{Name: name, Config: e.Config, Seconds: e.Seconds})
		}
	}
	return l.plan, l.skipped, nil
}

// wanted lists the models that must have runs: those requested and the baseline; with Seeds, also every model that is
// compared. If there is neither a run nor a request, the paper's model is compared with the baseline.
func (p *planner) wanted() []string {
	names := slices.Clone(p.Models)
	if names == nil && len(p.selection.Compared) == 0 && p.Baseline != "" && p.Runs == nil {
		names = []string{model.Default().Encoding}
	}
	if p.Seeds != nil {
		for _, c := range p.selection.Compared {
			names = append(names, c.Study.Name)
		}
	}
	if p.Baseline != "" {
		names = append(names, p.Baseline)
	}
	var once []string
	for _, n := range names {
		if !slices.Contains(once, n) {
			once = append(once, n)
		}
	}
	return once
}

func (p *planner) seeds() []uint64 {
	if p.Seeds != nil {
		return p.Seeds
	}
	var seeds []uint64
	for _, c := range p.selection.Compared {
		if !slices.Contains(seeds, c.Study.Seed) {
			seeds = append(seeds, c.Study.Seed)
		}
	}
	if seeds == nil {
		seeds = []uint64{configs.Default().Seed}
	}
	slices.Sort(seeds)
	return seeds
}

// A planning is a plan in progress.
type planning struct {
	*planner
	plan, skipped []plannedTraining
}

// complete adds to the plan the seeds that a group lacks. Settings and duration are those of the group's newest run.
func (l *planning) complete(g study.Group, seeds []uint64) {
	compared := l.selection.Compared
	i := slices.IndexFunc(compared, func(c study.Candidate) bool { return c.Study.ID == g.Runs[len(g.Runs)-1].ID })
	like := compared[i]
	for _, s := range seeds {
		if !slices.Contains(g.Seeds(), s) {
			config := like.Config
			config.Seed = s
			l.add(plannedTraining{Name: g.Base, Config: config, Seconds: like.Study.WallS})
		}
	}
}

// add adds a run to the plan, or the rest of an unfinished run with the same settings.
func (l *planning) add(n plannedTraining) {
	unfinished := l.selection.Unfinished
	for i, c := range unfinished {
		if !c.Study.Plain() || !bytes.Equal(c.Config.YAML(), n.Config.YAML()) {
			continue
		}
		n.Resume = &unfinished[i]
		if c.State == event.Diverged {
			l.skipped = append(l.skipped, n)
			return
		}
		if c.Status.Steps > 0 {
			n.Seconds *= 1 - float64(c.Status.Step)/float64(c.Status.Steps)
		}
	}
	l.plan = append(l.plan, n)
}

// probe resolves the configuration of a model without runs, and estimates a run.
func (p *planner) probe(ctx context.Context, name string) (estimate, error) {
	r, err := p.resolve(name)
	if err != nil {
		return estimate{}, err
	}
	e, err := p.Probe(ctx, r, p.set)
	if err == nil && p.first == nil {
		p.first = &e.Config
	}
	return e, err
}

// resolve returns the configuration that train would use for the model, with data and budget taken from the existing
// runs.
func (p *planner) resolve(name string) (*configs.ResolvedRun, error) {
	s := p.sources(name)
	s.Flags = append(p.modelFlags(name), s.Flags...)
	r, err := configs.Resolve(s, func(name string) (string, error) {
		set, err := p.Data(name)
		if err != nil {
			return "", err
		}
		return set.Name, nil
	})
	if err == nil && r.Run.Train.OverfitBatches > 0 {
		return nil, r.Explain(option.Errorf("train.overfit_batches",
			"%d: runs that only overfit some batches are not compared",
			r.Run.Train.OverfitBatches))
	}
	return r, err
}

// Data opens a data set: a folder of images where an existing run found it, from wherever it is used. It keeps the last
// one, since planned runs mostly share theirs.
func (p *planner) Data(name string) (set *data.Set, err error) {
	if p.set != nil && p.set.Name == name {
		return p.set, nil
	}
	at := name
	for _, r := range p.selection.Compared {
		if r.Config.Data.Name == name {
			at = cmp.Or(r.Entry.Status.DataPath, at)
		}
	}
	if p.set, err = sets.Open(data.Options{Name: at}, p.DataDir); err == nil && at != name {
		p.set.Name = name
	}
	return p.set, err
}

// modelFlags selects a model, with the data and budget of the existing runs.
func (p *planner) modelFlags(name string) []configs.Flag {
	kind := model.Default().Kind
	flags := []configs.Flag{{Name: "--models", Key: "model.encoding", Text: name}}
	if slices.Contains(model.Kinds.Names(), name) {
		kind, flags = name, nil
	}
	flags = append(flags, configs.Flag{Name: "--models", Key: "model.kind", Text: kind})
	if len(p.selection.Compared) == 0 {
		if p.first != nil {
			flags = append(flags, flagsOf(sharedValues(*p.first), "of the first model")...)
		}
		return flags
	}
	like := p.selection.Newest().Config
	for _, c := range p.selection.Compared {
		if c.Config.Model.Kind == kind {
			like = c.Config
		}
	}
	const from = "of the existing runs"
	if like.Preset != "" {
		group, _, _ := strings.Cut(like.Preset, "/")
		flags = append(flags, configs.Flag{Name: "the preset " + from, Key: "preset", Text: group})
	}
	return append(flags, flagsOf(inheritedValues(like, kind), from)...)
}

// flagsOf turns values into flags. Errors name them with from, their origin.
func flagsOf(values []configs.Value, from string) (flags []configs.Flag) {
	for _, v := range values {
		flags = append(flags, configs.Flag{Name: v.Key + " " + from, Key: v.Key, Text: v.Text})
	}
	return flags
}

// sharedValues lists the settings that compared models share: data, budget and augmentation.
func sharedValues(r configs.Run) (values []configs.Value) {
	for _, v := range r.Values() {
		if study.Question(v.Key) || v.Key == "data.augment" {
			values = append(values, v)
		}
	}
	return values
}

// inheritedValues lists the settings that a new model takes from an existing run. A model of the same kind takes all
// that differ from the preset, so that only the encoding changes; any other takes the shared ones.
func inheritedValues(like configs.Run, kind string) (values []configs.Value) {
	values = sharedValues(like)
	if like.Model.Kind != kind {
		return values
	}
	for _, v := range like.Unlike(like.Base()) {
		if v.Key != "preset" && v.Key != "seed" && v.Key != "model.encoding" && !study.Question(v.Key) &&
			like.Uses(v.Key) {
			values = append(values, v)
		}
	}
	return values
}

// planDocument returns a plan as a JSON document.
func planDocument(plan []plannedTraining) PlanReport {
	d := PlanReport{V: 1, Plan: []PlannedRun{}}
	for _, n := range plan {
		r := PlannedRun{Model: n.Name, Seed: n.Config.Seed, Data: n.Config.Data.Name, Preset: n.Config.Preset,
			Epochs: n.Config.Train.Epochs, ETA: n.Seconds}
		if n.Resume != nil {
			r.Resume = n.Resume.Study.ID
		}
		d.Plan, d.ETA = append(d.Plan, r), d.ETA+n.Seconds
	}
	return d
}

// trainPlan calls one for each planned run, in order, which trains or resumes it. A run that diverges does not end it:
// the last such error is diverged. Any other error ends it.
func trainPlan(plan []plannedTraining, one func(i int, n plannedTraining) error) (diverged, err error) {
	for i, n := range plan {
		err := one(i, n)
		var bad *train.DivergenceError
		switch {
		case errors.As(err, &bad):
			diverged = err
		case err != nil:
			return nil, err
		}
	}
	return diverged, nil
}

// PlanReport lists the runs that a comparison lacks.
type PlanReport struct {
	V    int          `json:"v"`     // 1
	Plan []PlannedRun `json:"plan"`  // in the order of training
	ETA  float64      `json:"eta_s"` // of all of them
}

// A PlannedRun is a run that is to be trained.
type PlannedRun struct {
	Model  string  `json:"model"`            // its name
	Seed   uint64  `json:"seed"`             // of all its random numbers
	Data   string  `json:"data"`             // name of the data set
	Preset string  `json:"preset"`           // that its settings begin with; "": none
	Epochs int     `json:"epochs"`           // planned
	Resume string  `json:"resume,omitempty"` // id of the run to resume
	ETA    float64 `json:"eta_s"`            // of what is left of it
}
