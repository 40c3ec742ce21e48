package sweep

import (
	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/sweep"
)

func newRetry(c *cli.Console) *cobra.Command {
	var o submitOptions
	var failed, unfinished bool
	cmd := &cobra.Command{
		Use:   "retry [SWEEP] --failed [flags]",
		Short: "Submit the runs of a sweep again that failed",
		Long: "Submit the runs again that failed, were lost or are broken: with --unfinished,\n" +
			"also those that a signal stopped. Runs with a checkpoint resume. What is not\n" +
			"given is as in the sweep's latest job: the engine, time, memory, cores.",
		Example: `attnconv sweep retry --failed
attnconv sweep retry sweeps/mine --failed --memory 8G
attnconv sweep retry sweeps/mine --unfinished --print`,
		Args:              cli.Arguments(1),
		ValidArgsFunction: complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			if failed == unfinished {
				return cli.Usagef("--failed: failed, lost and broken runs; --unfinished: those and the stopped ones",
					"want one of --failed and --unfinished")
			}
			p, err := open(c, args)
			if err != nil {
				return err
			}
			if err := o.inherit(cmd, p); err != nil {
				return err
			}
			cli.Saving(cmd.Context())
			return o.submit(c, p, func(v *sweep.Overview) []int { return v.Retry(unfinished) },
				"runs that are in no job: "+cli.Program()+" sweep submit")
		},
	}
	o.flags(c, cmd)
	f := cli.FlagsIn(cmd.Flags(), "Runs")
	f.Boolean(&failed, "failed", "", "runs that failed, were lost or are broken")
	f.Boolean(&unfinished, "unfinished", "", "these, and runs that a signal stopped")
	return cmd
}

// inherit takes from the sweep's latest job what the flags do not say.
func (o *submitOptions) inherit(cmd *cobra.Command, p *sweep.Plan) error {
	v, err := p.Submissions()
	if err != nil {
		return err
	}
	if len(v) == 0 {
		if o.engine == "" {
			return cli.Usagef("to train them here: "+cli.Command("sweep", "run", p.Path), "--engine is missing: %s has no job", p.Path)
		}
		return nil
	}
	before, given := v[len(v)-1].Request(), cmd.Flags().Changed
	if o.engine == "" {
		o.Engine = before.Engine
	} else if before.Engine == nil || before.Engine.Name != o.engine {
		return nil
	}
	for _, of := range []struct {
		flag string
		take func()
	}{
		{"pack", func() { o.Pack = before.Pack }}, {"at-most", func() { o.AtMost = before.AtMost }},
		{"time", func() { o.Time = before.Time }}, {"memory", func() { o.Memory = before.Memory }},
		{"cores", func() { o.Cores = before.Cores }}, {"queue", func() { o.Queue = before.Queue }},
		{"ranks", func() { o.Ranks = before.Ranks }}, {"account", func() { o.Account = before.Account }}, {"arg", func() { o.Extra = before.Extra }},
		{"image", func() { o.Image = before.Image }}, {"claim", func() { o.Claim = before.Claim }},
	} {
		if !given(of.flag) {
			of.take()
		}
	}
	return nil
}
