package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv"
	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/sweep"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/run"
)

// planOptions holds the flags of `attnconv sweep plan`.
type planOptions struct {
	Sources configs.Sources
	Seeds   []uint64
	Out     string
	DryRun  bool

	Random     int
	RandomSeed int
	Keep       int
	Rungs      []int
}

func newPlan(c *term.Console) *cobra.Command {
	var o planOptions
	cmd := &cobra.Command{
		Use:   "plan [flags]",
		Short: "Plan a sweep, and estimate how long it takes",
		Long: "Plan a sweep, and estimate how long it takes. The flags are those of train; one\n" +
			"with comma-separated values is an axis of the grid, and every combination is a\n" +
			"run. Lists go in brackets: --heads '[9,9,4],[16,16,16]'. --random N draws N\n" +
			"combinations, also from ranges; the same seed draws the same. --halving K trains\n" +
			"all for a few epochs, the best K-th part for more, and so on. Its choice depends\n" +
			"only on the runs and survives any kill, but a combination that begins slowly is\n" +
			"lost. An engine gets one rung a submit (docs/scale.md).",
		Example: `attnconv sweep plan --encoding quadratic,quadratic-general --seeds 0..4
attnconv sweep plan --lr log:0.0003..0.03 --dim 32..96 --random 27 --halving 3
attnconv sweep plan -c my.yaml --seeds 0,1,2 --out sweeps/mine`,
		Args: refs.Arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Sources.Env = c.Env
			return o.run(cmd.Context(), c)
		},
	}
	refs.RunFlags(cmd, &o.Sources)
	f := term.FlagsIn(cmd.Flags(), "Training")
	refs.DeviceFlag(c, f)
	term.Flag(f.Common(), &o.Seeds, "seeds", "LIST", "every combination with each seed, such as 0..4 or 0,3,7",
		term.Seeds)
	f.Number(&o.Random, "random", "N", "draw so many combinations of the values and ranges", 1)
	f.Number(&o.RandomSeed, "random-seed", "N", "of these draws (default: 0)", 0)
	f.Number(&o.Keep, "halving", "K", "after each rung, only one of K combinations goes on", 2)
	f.Ints(&o.Rungs, "rungs", "with --halving: epochs at which it decides (default: at equal distances, as late as "+
		"half of the whole cost allows)", 1<<20)
	f = term.FlagsIn(cmd.Flags(), "Output")
	f.Common().Text(&o.Out, "out", "", "DIR", "folder of the sweep (default: a new one in "+folder+")", nil)
	f.Common().Boolean(&o.DryRun, "dry-run", "", "write nothing")
	return cmd
}

func (o planOptions) run(ctx context.Context, c *term.Console) error {
	device, release := refs.Devices(c)
	defer release()
	d, err := sweep.New(ctx, sweep.Options{
		Sources: o.Sources, Seeds: o.Seeds, DataDir: c.DataDir, Version: attnconv.ReadBuild().Version, Args: os.Args,
		Device: device, Random: o.Random, RandomSeed: uint64(o.RandomSeed), Keep: o.Keep, Rungs: o.Rungs,
	})
	if bad := (*sweep.GridError)(nil); errors.As(err, &bad) {
		return term.Usagef(bad.Advice, "%s", bad.Problem)
	}
	if err != nil {
		return err
	}
	for _, w := range d.Warnings {
		c.Warn(w)
	}
	if !o.DryRun {
		if o.Out == "" {
			o.Out = sweep.NewFolder(folder)
		}
		if err := d.Create(o.Out, d.Texts); term.Is[*run.NotEmptyError](err) {
			return term.Usagef("choose another folder", "--out %s: the folder is not empty", o.Out)
		} else if err != nil {
			return err
		}
	}
	return show(c, &d.Plan)
}

// show prints a plan and how to run it.
func show(c *term.Console, p *sweep.Plan) error {
	if c.JSON {
		return c.Result(sweep.PlanSummary{V: 1, Path: p.Path, Trials: len(p.Trials), ETA: p.ETA(), Axes: p.Axes,
			Halving: p.Halving})
	}
	var product []string
	for _, a := range p.Axes {
		values := strings.Join(a.Values, "  ")
		if a.Range != "" {
			values = a.Range
		}
		product = append(product, fmt.Sprintf("%d × %s", len(a.Values), configs.ShortKey(a.Key)))
		c.Print("%-18s %s\n", configs.ShortKey(a.Key), values)
	}
	size := table.Count(len(p.Trials), "run")
	if n := p.Drawn; n > 0 {
		size += fmt.Sprintf(" (%s drawn)", table.Count(n, "combination"))
	} else if len(product) > 0 {
		size += " (" + strings.Join(product, ", ") + ")"
	} else {
		c.Note("one run: no setting has several values, such as --lr 0.001,0.003 or --seeds 0..4")
	}
	c.Print("%s: about %s here\n", size, table.Seconds(p.ETA()))
	if h := p.Halving; h != nil {
		c.Print("halving: %s\n", h.Schedule(p.Points()))
	}
	if p.Path == "" {
		c.Note("nothing was written")
		return nil
	}
	c.Note("")
	c.Path("planned", "  "+p.Path)
	c.Note("\nnext:\n  %s", term.Command("sweep", "run", p.Path))
	c.Note("or, as a job array of %d tasks in an engine such as Slurm, each:\n  %s", len(p.Trials),
		term.Command("sweep", "run", p.Path, "--task", "env"))
	c.Note("which this submits:\n  %s", term.Command("sweep", "submit", p.Path, "--engine", "slurm"))
	return nil
}
