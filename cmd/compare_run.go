package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/internal/progress"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/train"
)

func runCompare(ctx context.Context, c *cli.Console, o compareOptions) error {
	if err := o.resolveBaseline(c); err != nil {
		return err
	}
	if err := o.resolveRuns(c); err != nil {
		return err
	}
	h, err := o.selectRuns(c)
	if err != nil {
		return err
	}
	if len(h.excluded) > 0 {
		c.Note("note   %s left out: data or budget differ from run %s", cli.Count(len(h.excluded), "finished run"),
			h.newest().study.ID)
	}
	if o.NoTrain {
		return o.tabulate(c, h)
	}
	p := &planner{c: c, o: o, runs: h}
	plan, err := p.plan(ctx)
	switch {
	case err != nil:
		return err
	case o.DryRun && len(plan)+len(h.compared) > 0:
		return showMissing(c, plan)
	case len(plan) == 0:
		return o.tabulate(c, h)
	}
	diverged, err := p.train(ctx, plan)
	if err != nil {
		return err
	}
	if h, err = o.selectRuns(c); err != nil {
		return err
	}
	err = o.tabulate(c, h)
	if diverged != nil && cli.Is[*run.NotFound](err) { // so there is nothing to compare
		return diverged
	}
	return errors.Join(err, diverged)
}

// resolveRuns replaces the references to runs by paths, so that runs trained meanwhile do not change what they mean.
func (o *compareOptions) resolveRuns(c *cli.Console) error {
	if o.Refs == nil {
		return nil
	}
	found, err := c.FindRuns(o.Refs, cli.NeedTest, seedsOf)
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
func (o *compareOptions) resolveBaseline(c *cli.Console) error {
	if o.Baseline == "" || slices.Contains(model.ShortNames(), o.Baseline) {
		return nil
	}
	d, err := c.OpenRun(o.Baseline, cli.NeedTest)
	if missing := (*run.NotFound)(nil); errors.As(err, &missing) {
		return invalid.Choice("--baseline", o.Baseline, append(model.ShortNames(), "RUN"))
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

// train trains the planned runs in order. It asks first if that takes long, and goes on after a run that diverges.
func (p *planner) train(ctx context.Context, plan []planned) (diverged, err error) {
	c, left := p.c, 0.0
	for _, n := range plan {
		left += n.Seconds
	}
	c.Note("%s\n", planText(plan))
	if left > long && !c.Yes && c.ErrWidth() > 0 && progress.Terminal(c.In) && !c.Streams() {
		err := c.Confirm(ctx, "train now?", "nothing was trained", "--no-train compares the runs that exist")
		if err != nil {
			return nil, err
		}
	}
	for i, n := range plan {
		c.Note("run %d of %d   %s, seed %d   about %s of %s in all", i+1, len(plan), n.Name, n.Config.Seed,
			progress.Duration(cli.Seconds(n.Seconds)), progress.Duration(cli.Seconds(left)))
		left -= n.Seconds
		switch err := p.one(ctx, n); {
		case cli.Is[*train.Diverged](err):
			diverged = fmt.Errorf("%s, seed %d: %w", n.Name, n.Config.Seed, err)
			c.Warn(cli.ShortMessage(diverged))
		case errors.Is(err, train.ErrStopped):
			c.Note("stopped; the same command goes on from here")
			return nil, err
		case err != nil:
			return nil, err
		}
		c.Note("")
	}
	return diverged, nil
}

// compareTag is the tag of runs that compare trains.
const compareTag = "compare"

func (p *planner) one(ctx context.Context, n planned) error {
	if err := p.open(n.Config.Data.Name); err != nil {
		return err
	}
	o := trainOptions{
		Tags: []string{compareTag}, Config: &configs.Resolved{Run: n.Config}, Set: p.set, Every: train.Every{Time: 10 * time.Minute},
		Typed: run.Typed{Files: p.o.Sources.Files, Env: p.o.Sources.Variables()},
	}
	if n.Resume != nil {
		o.Resume, o.Ref = true, n.Resume.Path
	}
	j, err := readyJob(p.c, o)
	if err != nil {
		return err
	}
	defer j.close()
	p.c.Note("%s", j.dir.Path)
	summary, err := j.train(ctx)
	if err == nil {
		p.c.Note("test acc %.2f %%   best epoch %d of %d   %s", 100*summary.TestAcc, summary.BestEpoch, n.Config.Train.Epochs,
			progress.Duration(cli.Seconds(summary.WallS)))
	}
	return err
}
