package compare

import (
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study"
)

// A request says which runs a comparison needs.
type request struct {
	Runs     []string        // folders or ids of the runs to compare; nil: all that match Sources
	Baseline string          // model.ShortNames, or the id of a run; "": none
	Models   []string        // of model.ShortNames, to compare with the baseline; nil: those of the runs
	Seeds    []uint64        // that every model needs; nil: those of the runs
	Sources  configs.Sources // settings of new runs, which existing runs must match
	Mixed    bool            // compare runs even if their data or budgets differ
	Epochs   map[string]int  // of each model, by its short name; nil: the same for all
}

// modelNames returns the names of models of a list, such as model.ShortNames has, where an encoding may have another
// name. The error is an *option.Error for key.
func modelNames(key string, list []string) (names []string, err error) {
	for _, name := range list {
		name = configs.Canonical("model.encoding", name)
		if !slices.Contains(model.ShortNames(), name) {
			return nil, option.Choice(key, name, model.ShortNames())
		}
		names = append(names, name)
	}
	return names, nil
}

// A selection sorts existing runs by their part in a comparison.
type selection struct {
	Compared   []study.Candidate // finished; oldest first
	Unfinished []study.Candidate // may be resumed, or have diverged
	Excluded   []study.Candidate // finished, but with other data or budget

	Warnings []error // why runs were left out that were named, or that cannot be read
}

// selectRuns selects the runs that r names, or else those in the folder root that match r.Sources and can be compared
// with the newest of them. The error is a *study.MixedError if the named runs differ in what they were asked to do.
func selectRuns(root string, r request) (*selection, error) {
	s := &selection{}
	all, err := s.candidates(root, r)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, s.isCheck)
	var done, named []study.Candidate
	for _, c := range all {
		if c.Named {
			named = append(named, c)
		}
	}
	for _, c := range all {
		switch {
		case !c.Tested():
			if s.Unfinished = append(s.Unfinished, c); c.Named {
				s.warn(c, fmt.Errorf("it is %s at epoch %d of %d", c.State, c.Status.Epoch, c.Status.Epochs))
			}
		case c.Named, r.Runs == nil && r.names(c), r.Runs != nil && r.joins(c, named):
			done = append(done, c)
		}
	}
	return s, s.choose(done, r)
}

// warn says why a run is left out.
func (s *selection) warn(c study.Candidate, why error) {
	s.Warnings = append(s.Warnings, fmt.Errorf("run %s is left out: %w", c.Study.ID, why))
}

// isCheck reports whether a run was only a check. A run with --overfit-batches never counts; one with --fast-dev-run
// counts if it is named.
func (s *selection) isCheck(c study.Candidate) bool {
	batches := c.Config.Train.OverfitBatches
	if batches == 0 {
		return !c.Named && c.Config.IsFastDevRun()
	}
	if c.Named {
		s.warn(c, fmt.Errorf("it only overfits some batches (--overfit-batches %d)", batches))
	}
	return true
}

// joins reports whether a run is compared with the named ones: because it has a requested model that none of them has,
// or because it is another seed of one of them.
func (r request) joins(c study.Candidate, named []study.Candidate) bool {
	if c.Study.Name == r.Baseline || slices.Contains(r.Models, c.Study.Name) {
		if !slices.ContainsFunc(named, func(n study.Candidate) bool { return n.Study.Name == c.Study.Name }) {
			return true
		}
	}
	return slices.Contains(r.Seeds, c.Study.Seed) &&
		slices.ContainsFunc(named, func(n study.Candidate) bool { return study.Alike(n.Study, c.Study) })
}

// names reports whether the model of a run is compared.
func (r request) names(c study.Candidate) bool {
	return r.Models == nil || slices.Contains(r.Models, c.Study.Name) || c.Study.Name == r.Baseline ||
		c.Study.ID == r.Baseline
}

// choose selects among the finished runs. The named ones must be comparable. Others must be comparable with them, or
// with the newest if none is named; of these, a run that cannot be read is left out.
func (s *selection) choose(done []study.Candidate, r request) error {
	slices.SortStableFunc(done, func(a, b study.Candidate) int {
		if a.Named != b.Named && a.Named {
			return -1
		} else if a.Named != b.Named {
			return 1
		}
		return b.Status.Started.Compare(a.Status.Started)
	})
	fits := func(c study.Candidate) bool {
		return r.Mixed || c.Named || len(s.Compared) == 0 || r.mix([]study.Run{s.Compared[0].Study, c.Study}) == nil
	}
	for _, c := range done {
		fit := fits(c) // by its settings
		if fit {
			if err := c.Study.Read(c.Entry); err != nil && c.Named {
				return err
			} else if err != nil {
				s.warn(c, err)
				continue
			}
			fit = fits(c) // by the digest of its data
		}
		if fit {
			s.Compared = append(s.Compared, c)
		} else {
			s.Excluded = append(s.Excluded, c)
		}
	}
	slices.SortStableFunc(s.Compared,
		func(a, b study.Candidate) int { return a.Status.Started.Compare(b.Status.Started) })
	if m := r.mix(s.Runs()); m != nil && !r.Mixed {
		return m
	}
	return nil
}

// Newest returns the newest run that is compared; there must be one.
func (s *selection) Newest() study.Candidate { return s.Compared[len(s.Compared)-1] }

// Runs returns the compared runs, for Groups.
func (s *selection) Runs() []study.Run {
	all := make([]study.Run, len(s.Compared))
	for i, c := range s.Compared {
		all[i] = c.Study
	}
	return all
}

// candidates lists the named runs, and the runs in root that match the sources, finished or not.
func (s *selection) candidates(root string, r request) (all []study.Candidate, err error) {
	list, err := run.List(root)
	if err != nil {
		return nil, err
	}
	named, _, err := run.Lookup{Root: root}.FindAll(r.Runs)
	if err != nil {
		return nil, err
	}
	for _, f := range named {
		c, err := study.NewCandidate(f.Entry)
		if err != nil {
			return nil, err
		}
		c.Named = true
		all = append(all, c)
	}
	for _, e := range list {
		if slices.ContainsFunc(named, func(n run.Match) bool { return n.Is(e.Path) }) {
			continue
		}
		c, err := study.NewCandidate(e)
		if err != nil {
			s.Warnings = append(s.Warnings, err)
			continue
		}
		differ, err := r.sources(c.Study.Name).Differences(c.Config)
		if err != nil {
			return nil, err
		}
		if len(differ) == 0 {
			all = append(all, c)
		}
	}
	return all, nil
}
