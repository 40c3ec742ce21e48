package train

import (
	"context"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	sweeps "github.com/attnconv/attnconv/cmd/internal/sweep"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/sweep"
	"github.com/attnconv/attnconv/train"
)

// Sweeping is what a sweep needs of train.
func Sweeping(body func(context.Context, *cli.Console, Options) error) sweeps.Training {
	return sweeps.Training{
		Fit: func(_ *cli.Console, r *configs.Resolved, set *data.Set) (configs.Run, error) {
			_, err := session.Fit(r, set)
			return r.Run, err
		},
		Measure: func(ctx context.Context, c *cli.Console, r *configs.Resolved, set *data.Set) (p sweep.Pace, err error) {
			j, err := newJob(c, Options{Config: r, Set: set, DryRun: true})
			if err != nil {
				return p, err
			}
			defer j.Close()
			measured, err := j.Estimate(ctx)
			return sweep.Pace{Batches: j.Plan().Batches, StepS: measured.StepS, EvalS: measured.EvalS}, err
		},
		Trial: func(ctx context.Context, c *cli.Console, t sweeps.Trial) error {
			o := Options{Every: train.Every{Time: saveEvery}, Board: true}
			if t.Config == "" {
				o.Resume, o.Ref = true, t.Dir
				return body(ctx, c, o)
			}
			o.Out = t.Dir
			o.Sources.Files = []string{t.Config}
			o.Typed = run.Typed{Files: o.Sources.Files}
			if err := o.Resolve(c, nil); err != nil {
				return err
			}
			return body(ctx, c, o)
		},
	}
}
