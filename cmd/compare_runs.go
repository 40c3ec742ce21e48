package cmd

import (
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study"
)

// A candidate is a run that may be compared.
type candidate struct {
	run.Entry
	config configs.Run
	study  study.Run // its curve and environment are read only if it is compared
	named  bool      // on the command line
}

// A selection sorts the existing runs by their part in a comparison.
type selection struct {
	compared   []candidate // finished; oldest first
	unfinished []candidate // may be resumed, or have diverged
	excluded   []candidate // finished, but with other data or budget
}

// selectRuns selects the runs named on the command line, or else those that match the flags and can be compared with the
// newest of them.
func (o compareOptions) selectRuns(c *cli.Console) (*selection, error) {
	all, err := o.candidates(c)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(r candidate) bool { return o.isCheck(c, r) })
	h := &selection{}
	var done, named []candidate
	for _, r := range all {
		if r.named {
			named = append(named, r)
		}
	}
	for _, r := range all {
		switch {
		case !r.Tested():
			if h.unfinished = append(h.unfinished, r); r.named {
				c.Warn(fmt.Sprintf("run %s is left out: it is %s at epoch %d of %d", r.study.ID, r.State, r.Status.Epoch,
					r.Status.Epochs))
			}
		case r.named, o.Refs == nil && o.wants(r), o.Refs != nil && o.joins(r, named):
			done = append(done, r)
		}
	}
	return h, h.choose(c, done, o.Mixed)
}

// isCheck reports whether a run was only a check. A run with --overfit-batches never counts; one with --fast-dev-run
// counts if it is named.
func (o compareOptions) isCheck(c *cli.Console, r candidate) bool {
	if t := r.config.Train; t.OverfitBatches == 0 {
		return !r.named && r.config.IsFastDevRun()
	}
	if r.named {
		c.Warn(fmt.Sprintf("run %s is left out: it only overfits some batches (--overfit-batches %d)", r.study.ID,
			r.config.Train.OverfitBatches))
	}
	return true
}

// joins reports whether a run is compared with the named ones: because it has a requested model that none of them has,
// or because it is another seed of one of them.
func (o compareOptions) joins(r candidate, named []candidate) bool {
	if r.study.Name == o.Baseline || slices.Contains(o.Models, r.study.Name) {
		if !slices.ContainsFunc(named, func(n candidate) bool { return n.study.Name == r.study.Name }) {
			return true
		}
	}
	return slices.Contains(o.Seeds, r.study.Seed) &&
		slices.ContainsFunc(named, func(n candidate) bool { return study.Alike(n.study, r.study) })
}

// wants reports whether the model of a run is compared.
func (o compareOptions) wants(r candidate) bool {
	return o.Models == nil || slices.Contains(o.Models, r.study.Name) || r.study.Name == o.Baseline ||
		r.study.ID == o.Baseline
}

// choose selects among the finished runs. The named ones must be comparable. Others must be comparable with them, or
// with the newest if none is named; of these, a run that cannot be read is left out.
func (h *selection) choose(c *cli.Console, done []candidate, mixed bool) error {
	slices.SortStableFunc(done, func(a, b candidate) int {
		if a.named != b.named && a.named {
			return -1
		} else if a.named != b.named {
			return 1
		}
		return b.Status.Started.Compare(a.Status.Started)
	})
	fits := func(r candidate) bool {
		return mixed || r.named || len(h.compared) == 0 || study.Mix([]study.Run{h.compared[0].study, r.study}) == nil
	}
	for _, r := range done {
		fit := fits(r) // by its settings
		if fit {
			if err := r.study.Read(r.Entry); err != nil && r.named {
				return err
			} else if err != nil {
				c.Warn(fmt.Sprintf("run %s is left out: %s", r.study.ID, cli.UserMessage(err)))
				continue
			}
			fit = fits(r) // by the digest of its data
		}
		if fit {
			h.compared = append(h.compared, r)
		} else {
			h.excluded = append(h.excluded, r)
		}
	}
	slices.SortStableFunc(h.compared, func(a, b candidate) int { return a.Status.Started.Compare(b.Status.Started) })
	if m := study.Mix(h.studies()); m != nil && !mixed {
		return cli.Usagef("--allow-mixed compares them all the same", "%s", m)
	}
	return nil
}

func (h *selection) newest() candidate { return h.compared[len(h.compared)-1] }

// studies returns the compared runs as package study takes them.
func (h *selection) studies() []study.Run {
	all := make([]study.Run, len(h.compared))
	for i, r := range h.compared {
		all[i] = r.study
	}
	return all
}

// candidates lists the named runs, and the runs in the folder that match the flags, finished or not.
func (o compareOptions) candidates(c *cli.Console) (all []candidate, err error) {
	list, err := run.List(c.Runs)
	if err != nil {
		return nil, err
	}
	named, err := c.FindRuns(o.Refs, cli.NeedTest, seedsOf)
	if err != nil {
		return nil, err
	}
	for _, f := range named {
		r, err := newCandidate(f.Entry)
		if err != nil {
			return nil, err
		}
		r.named = true
		all = append(all, r)
	}
	for _, e := range list {
		if slices.ContainsFunc(named, func(n run.Found) bool { return n.Is(e.Path) }) {
			continue
		}
		r, err := newCandidate(e)
		if err != nil {
			c.Warn(cli.UserMessage(err))
			continue
		}
		differ, err := o.Sources.Differences(r.config)
		if err != nil {
			return nil, err
		}
		if len(differ) == 0 {
			all = append(all, r)
		}
	}
	return all, nil
}

// seedsOf reports whether two runs differ in nothing but their seeds.
func seedsOf(a, b run.Entry) bool {
	x, errX := newCandidate(a)
	y, errY := newCandidate(b)
	return errX == nil && errY == nil && study.Alike(x.study, y.study)
}

func newCandidate(e run.Entry) (candidate, error) {
	if e.Err != nil {
		return candidate{}, e.Err
	}
	config, err := configs.OfEntry(e)
	if err == nil {
		err = config.Model.Validate()
	}
	if err != nil {
		return candidate{}, fmt.Errorf("run %s: %w", e.Status.ID, err)
	}
	return candidate{Entry: e, config: config, study: studyOf(e.Status, config)}, nil
}

// studyOf describes a run by its settings, without its curve.
func studyOf(s run.Status, config configs.Run) study.Run {
	r := study.Run{ID: s.ID, Name: config.Model.ShortName(), Seed: config.Seed, Spec: config.Model}
	for _, v := range config.Values() {
		if v.Key != "seed" {
			r.Settings = append(r.Settings, study.Setting{Key: v.Key, Value: v.Text})
		}
	}
	r.Began(s)
	return r
}
