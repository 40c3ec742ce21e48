package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	training "github.com/attnconv/attnconv/cmd/internal/train"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/study"
	"github.com/attnconv/attnconv/train"
)

func (o options) run(ctx context.Context, c *term.Console) error {
	if err := o.resolveBaseline(c); err != nil {
		return err
	}
	if err := o.resolveRuns(c); err != nil {
		return err
	}
	measure := once(prober(c))
	if err := o.equalize(ctx, c, measure); err != nil {
		return err
	}
	s, err := o.selectRuns(c)
	if err != nil {
		return err
	}
	if len(s.Excluded) > 0 {
		c.Note("note   %s left out: data or budget differ from run %s", table.Count(len(s.Excluded), "finished run"),
			s.Newest().Study.ID)
	}
	if o.NoTrain {
		return o.tabulate(ctx, c, s)
	}
	p := &planner{request: o.request(), selection: s, DataDir: c.DataDir, Probe: measure}
	plan, err := o.plan(ctx, c, p)
	switch {
	case err != nil:
		return err
	case o.DryRun && len(plan)+len(s.Compared) > 0:
		return showMissing(c, plan)
	case len(plan) == 0:
		return o.tabulate(ctx, c, s)
	}
	diverged, err := trainAll(ctx, c, p, plan)
	if err != nil {
		return err
	}
	if s, err = o.selectRuns(c); err != nil {
		return err
	}
	err = o.tabulate(ctx, c, s)
	if diverged != nil && term.Is[*run.NotFoundError](err) { // so there is nothing to compare
		return diverged
	}
	return errors.Join(err, diverged)
}

// A probe estimates what a run needs.
type probe func(ctx context.Context, r *configs.ResolvedRun, set *data.Set) (estimate, error)

// once returns a probe that measures settings a single time, whatever their epochs.
func once(of probe) probe {
	known := map[string]estimate{} // by settings
	return func(ctx context.Context, r *configs.ResolvedRun, set *data.Set) (estimate, error) {
		alike := r.Run
		alike.Train.Epochs = 1
		key := string(alike.YAML())
		if e, ok := known[key]; ok {
			e.Seconds *= float64(r.Run.Train.Epochs) / float64(e.Config.Train.Epochs)
			e.Config.Train.Epochs = r.Run.Train.Epochs
			return e, nil
		}
		e, err := of(ctx, r, set)
		if err == nil {
			known[key] = e
		}
		return e, err
	}
}

// prober returns what estimates runs for a planner, by steps that change nothing.
func prober(c *term.Console) probe {
	return func(ctx context.Context, r *configs.ResolvedRun, set *data.Set) (estimate, error) {
		var o training.Options
		o.Settings, o.Origins, o.Set = r.Run, r.Origins, set
		j, err := training.Start(c, o)
		if err != nil {
			return estimate{}, err
		}
		defer j.Close()
		f, err := j.Estimate(ctx)
		return estimate{j.Settings(), f.Total, f.StepS, float64(j.Plan().EpochSteps)}, err
	}
}

func (o options) request() request {
	return request{Runs: o.Refs, Baseline: o.Baseline, Models: o.Models, Seeds: o.Seeds, Sources: o.Sources,
		Mixed: o.Mixed, Epochs: o.epochs}
}

// selectRuns selects the runs to compare, and warns of those left out.
func (o options) selectRuns(c *term.Console) (*selection, error) {
	s, err := selectRuns(c.Runs, o.request())
	if s != nil {
		for _, w := range s.Warnings {
			c.Warn(refs.UserMessage(w))
		}
	}
	if mixed := (*study.MixedError)(nil); errors.As(err, &mixed) {
		return nil, term.Usagef("--allow-mixed compares them all the same", "%s", mixed)
	}
	return s, err
}

// plan plans the missing runs, and warns of those that diverged.
func (o options) plan(ctx context.Context, c *term.Console, p *planner) ([]plannedTraining, error) {
	plan, skipped, err := p.Plan(ctx)
	if term.Is[*incomparableError](err) {
		return nil, term.Usagef("it is not finished, or its data or budget differ from those of the others",
			"--baseline %s: the run cannot be compared", o.Baseline)
	}
	for _, n := range skipped {
		c.Warn(fmt.Sprintf("%s, seed %d, diverged in run %s and is not repeated", n.Name, n.Config.Seed,
			n.Resume.Study.ID))
	}
	return plan, err
}

// resolveRuns replaces the references to runs by paths, so that runs trained meanwhile do not change what they mean.
func (o *options) resolveRuns(c *term.Console) error {
	if o.Refs == nil {
		return nil
	}
	found, err := refs.FindRuns(c, o.Refs, refs.NeedTest, study.SeedsOf)
	if err != nil {
		return err
	}
	o.Refs = nil
	for _, f := range found {
		o.Refs = append(o.Refs, f.Path)
	}
	return nil
}

// resolveBaseline replaces a baseline that refers to a run by the id of that run.
func (o *options) resolveBaseline(c *term.Console) error {
	if o.Baseline == "" || slices.Contains(model.ShortNames(), o.Baseline) {
		return nil
	}
	d, err := refs.OpenRun(c, o.Baseline, refs.NeedTest)
	if missing := (*run.NotFoundError)(nil); errors.As(err, &missing) {
		return option.Choice("--baseline", o.Baseline, append(model.ShortNames(), "RUN"))
	}
	if err != nil {
		return err
	}
	o.Baseline = d.Status().ID
	if o.Refs != nil {
		o.Refs = append(o.Refs, d.Path)
	}
	return nil
}

// trainAll trains the planned runs in order. It asks first if that takes long, and goes on after a run that diverges.
func trainAll(
	ctx context.Context, c *term.Console, p *planner, plan []plannedTraining,
) (diverged, err error) {
	left := planDocument(plan).ETA
	c.Note("%s\n", planText(plan))
	if left > term.Long && c.Asks() {
		err := c.Confirm(ctx, "train now?", "nothing was trained", "--no-train compares the runs that exist")
		if err != nil {
			return nil, err
		}
	}
	term.Saving(ctx)
	return trainPlan(plan, func(i int, n plannedTraining) error {
		c.Note("run %d of %d   %s, seed %d   about %s of %s in all", i+1, len(plan), n.Name, n.Config.Seed,
			table.Seconds(n.Seconds), table.Seconds(left))
		left -= n.Seconds
		err := trainOne(ctx, c, p, n)
		switch {
		case term.Is[*train.DivergenceError](err):
			err = fmt.Errorf("%s, seed %d: %w", n.Name, n.Config.Seed, err)
			c.Warn(term.ShortMessage(err))
		case errors.Is(err, train.ErrStopped):
			c.Note("stopped; the same command goes on from here")
			return err
		case err != nil:
			return err
		}
		c.Note("")
		return err
	})
}

// tag is the tag of runs that compare trains.
const tag = "compare"

func trainOne(ctx context.Context, c *term.Console, p *planner, n plannedTraining) error {
	set, err := p.Data(n.Config.Data.Name)
	if err != nil {
		return err
	}
	var o training.Options
	o.Settings, o.Set, o.Tags, o.NoBoard = n.Config, set, []string{tag}, true
	o.Typed = run.UserInput{Files: p.Sources.Files, Env: p.Sources.Variables()}
	if n.Resume != nil {
		o.Resumes, o.Resume, o.Tags = true, n.Resume.Path, nil // it has its tags
	}
	j, err := training.Start(c, o)
	if err != nil {
		return err
	}
	defer j.Close()
	if err := j.Begin(); err != nil {
		return err
	}
	c.Path("run", j.Dir().Path)
	summary, err := j.Train(ctx)
	if err == nil {
		c.Note("%s", j.Outcome(summary))
	}
	return err
}

// nulls is how many untrained networks a model's layers are compared with.
const nulls = 3

// layers measures the layers of all runs if some column shows them. It reads the weights of each run, and no image.
func (o options) layers(ctx context.Context, c *term.Console, s *selection, result *study.Comparison) error {
	if !study.NeedLayers(o.Columns) {
		return nil
	}
	for i, row := range result.Rows {
		c.Note("measuring the layers of %s", row.Name)
		var err error
		result.Rows[i].Layers, err = network.MeansOf(ctx, len(row.Runs), nulls, func(r int) (network.Subject, error) {
			at := slices.IndexFunc(s.Compared, func(x study.Candidate) bool { return x.Study.ID == row.Runs[r].ID })
			m, err := trained.Open(s.Compared[at].Path)
			if err != nil {
				return network.Subject{}, err
			}
			return m.Measurable(nil, 0)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
