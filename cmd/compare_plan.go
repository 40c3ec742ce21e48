package cmd

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study"
)

// A planned run is to be trained or resumed.
type planned struct {
	Name    string
	Config  configs.Run
	Resume  *candidate // nil: a new run
	Seconds float64    // estimated
}

// A planner determines which runs a comparison lacks.
type planner struct {
	c    *cli.Console
	o    compareOptions
	runs *selection
	set  *data.Set // nil until opened

	first *configs.Run // of the plan if no runs exist: the others take its data and budget
}

// plan lists the missing runs: one for every seed of the baseline and of each requested model. The seeds default to
// those of the existing runs, so that differences can be paired.
func (p *planner) plan(ctx context.Context) (all []planned, err error) {
	groups := study.Groups(p.runs.studies())
	seeds := p.seeds()
	for _, name := range p.wanted() {
		found := false
		for _, g := range groups {
			if g.Base == name && g.Runs[0].Plain() || slices.ContainsFunc(g.Runs, func(r study.Run) bool { return r.ID == name }) {
				found = true
				all = p.complete(all, g, seeds)
			}
		}
		if found {
			continue
		}
		if !slices.Contains(model.ShortNames(), name) {
			return nil, cli.Usagef("it is not finished, or its data or budget differ from those of the others",
				"--baseline %s: the run cannot be compared", name)
		}
		config, total, err := p.probe(ctx, name)
		if err != nil {
			return nil, err
		}
		for _, s := range seeds {
			config.Seed = s
			all = p.add(all, planned{Name: name, Config: config, Seconds: total})
		}
	}
	return all, nil
}

// wanted lists the models that must have runs: those requested and the baseline; with --seeds, also every model that is
// compared. If there is neither a run nor a request, the paper's model is compared with the baseline.
func (p *planner) wanted() []string {
	names := slices.Clone(p.o.Models)
	if names == nil && len(p.runs.compared) == 0 && p.o.Baseline != "" && p.o.Refs == nil {
		names = []string{model.Default().Encoding}
	}
	if p.o.Seeds != nil {
		for _, r := range p.runs.compared {
			names = append(names, r.study.Name)
		}
	}
	if p.o.Baseline != "" {
		names = append(names, p.o.Baseline)
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
	if p.o.Seeds != nil {
		return p.o.Seeds
	}
	var seeds []uint64
	for _, r := range p.runs.compared {
		if !slices.Contains(seeds, r.study.Seed) {
			seeds = append(seeds, r.study.Seed)
		}
	}
	if seeds == nil {
		seeds = []uint64{configs.Default().Seed}
	}
	slices.Sort(seeds)
	return seeds
}

// complete adds to the plan the seeds that a group lacks. Settings and duration are those of the group's newest run.
func (p *planner) complete(all []planned, g study.Group, seeds []uint64) []planned {
	i := slices.IndexFunc(p.runs.compared, func(r candidate) bool { return r.study.ID == g.Runs[len(g.Runs)-1].ID })
	like := p.runs.compared[i]
	for _, s := range seeds {
		if !slices.Contains(g.Seeds(), s) {
			config := like.config
			config.Seed = s
			all = p.add(all, planned{Name: g.Base, Config: config, Seconds: like.study.WallS})
		}
	}
	return all
}

// add adds a run to the plan, or the rest of an unfinished run with the same settings. A run that diverged is not
// repeated: it would diverge again.
func (p *planner) add(all []planned, n planned) []planned {
	for i, r := range p.runs.unfinished {
		if !r.study.Plain() || !bytes.Equal(r.config.YAML(), n.Config.YAML()) {
			continue
		}
		if r.State == run.Diverged {
			p.c.Warn(fmt.Sprintf("%s, seed %d, diverged in run %s and is not repeated", n.Name, n.Config.Seed, r.study.ID))
			return all
		}
		n.Resume = &p.runs.unfinished[i]
		if r.Status.Steps > 0 {
			n.Seconds *= 1 - float64(r.Status.Step)/float64(r.Status.Steps)
		}
	}
	return append(all, n)
}

// probe resolves the configuration of a model without runs, and measures a few steps to estimate how long a run takes.
func (p *planner) probe(ctx context.Context, name string) (config configs.Run, total float64, err error) {
	r, err := p.resolve(name)
	if err != nil {
		return config, 0, err
	}
	j, err := newJob(p.c, trainOptions{Config: r, Set: p.set})
	if err != nil {
		return config, 0, err
	}
	defer j.close()
	if config = j.run; p.first == nil {
		p.first = &config
	}
	f, err := j.estimate(ctx)
	return config, f.Total, err
}

// resolve returns the configuration that train would use for the model, with data and budget taken from the existing
// runs.
func (p *planner) resolve(name string) (*configs.Resolved, error) {
	s := p.o.Sources
	s.Flags = append(p.modelFlags(name), s.Flags...)
	r, err := configs.Resolve(s, func(set string) (string, error) {
		if err := p.open(set); err != nil {
			return "", err
		}
		return p.set.Name, nil
	})
	if err == nil && r.Run.Train.OverfitBatches > 0 {
		return nil, r.Explain(invalid.Errorf("train.overfit_batches", "%d: runs that only overfit some batches are not compared",
			r.Run.Train.OverfitBatches))
	}
	return r, err
}

func (p *planner) open(name string) (err error) {
	if p.set == nil || p.set.Name != name {
		p.set, err = data.Open(data.Options{Name: name}, p.c.DataDir)
	}
	return err
}

func (p *planner) modelFlags(name string) []configs.Flag {
	kind := model.Default().Kind
	flags := []configs.Flag{{Name: "--models", Key: "model.encoding", Text: name}}
	if slices.Contains(model.Kinds.Names(), name) {
		kind, flags = name, nil
	}
	flags = append(flags, configs.Flag{Name: "--models", Key: "model.kind", Text: kind})
	if len(p.runs.compared) == 0 {
		if p.first != nil {
			flags = append(flags, flagsOf(sharedValues(*p.first), "of the first model")...)
		}
		return flags
	}
	like := p.runs.newest().config
	for _, r := range p.runs.compared {
		if r.config.Model.Kind == kind {
			like = r.config
		}
	}
	const from = "of the existing runs"
	if like.Preset != "" {
		group, _, _ := strings.Cut(like.Preset, "/")
		flags = append(flags, configs.Flag{Name: "the preset " + from, Key: "preset", Text: group})
	}
	return append(flags, flagsOf(inherited(like, kind), from)...)
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

// inherited lists the settings that a new model takes from an existing run. A model of the same kind takes all that
// differ from the preset, so that only the encoding changes; any other takes the shared ones.
func inherited(like configs.Run, kind string) (values []configs.Value) {
	values = sharedValues(like)
	if like.Model.Kind != kind {
		return values
	}
	base, err := configs.Preset(like.Preset)
	if err != nil { // no preset, or one that this version does not have
		base = configs.Default()
	}
	for _, v := range like.Unlike(base) {
		if v.Key != "preset" && v.Key != "seed" && v.Key != "model.encoding" && !study.Question(v.Key) && like.Uses(v.Key) {
			values = append(values, v)
		}
	}
	return values
}
