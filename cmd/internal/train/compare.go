package train

import (
	"context"
	"time"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/cmd/internal/compare"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study"
	"github.com/attnconv/attnconv/train"
)

// Comparing is what a comparison needs of train.
func Comparing() compare.Training {
	return compare.Training{
		Probe: func(ctx context.Context, c *cli.Console, r *configs.Resolved, set *data.Set) (configs.Run, float64, error) {
			j, err := newJob(c, Options{Config: r, Set: set, DryRun: true})
			if err != nil {
				return configs.Run{}, 0, err
			}
			defer j.Close()
			f, err := j.Estimate(ctx)
			return j.Settings(), f.Total, err
		},
		Train: func(ctx context.Context, c *cli.Console, n study.Planned, r compare.Run, began func(string)) (run.Summary, error) {
			o := Options{
				Tags: r.Tags, Config: &configs.Resolved{Run: n.Config}, Set: r.Set, Every: train.Every{Time: 10 * time.Minute},
				Typed: r.Typed,
			}
			if n.Resume != nil {
				o.Resume, o.Ref, o.Tags = true, n.Resume.Path, nil // it has its tags
			}
			j, err := newJob(c, o)
			if err != nil {
				return run.Summary{}, err
			}
			defer j.Close()
			began(j.Dir().Path)
			return j.train(ctx)
		},
	}
}
