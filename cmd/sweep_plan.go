package cmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/progress"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/sweep"
)

// planOptions holds the flags and arguments of `attnconv sweep plan`.
type planOptions struct {
	Sources configs.Sources
	Seeds   []uint64
	Out     string
	DryRun  bool
}

func newSweepPlan(c *cli.Console) *cobra.Command {
	var o planOptions
	cmd := &cobra.Command{
		Use:   "plan [flags]",
		Short: "Plan a sweep, and estimate how long it takes",
		Long: "Plan a sweep, and estimate how long it takes. The flags are those of train; one\n" +
			"with comma-separated values is an axis of the grid, and every combination is a\n" +
			"run. If a setting is itself a list, put each list in brackets:\n\n" +
			"  --heads '[9,9,4],[16,16,16]'",
		Example: `attnconv sweep plan --encoding quadratic,quadratic-general --seeds 0..4
attnconv sweep plan --preset tiny --lr 0.001,0.003 --set train.clip=0,1
attnconv sweep plan -c my.yaml --seeds 0,1,2 --out sweeps/mine`,
		Args: cli.Arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Sources.Env = c.Env
			return o.plan(cmd.Context(), c)
		},
	}
	cli.SourceFlags(cmd, &o.Sources)
	f := cli.FlagsIn(cmd.Flags(), "Training")
	c.DeviceFlag(f)
	f.Seeds(&o.Seeds, "seeds", "every combination with each seed, such as 0..4 or 0,3,7")
	f = cli.FlagsIn(cmd.Flags(), "Output")
	f.Text(&o.Out, "out", "", "DIR", "folder of the sweep (default: a new one in "+sweepsFolder+")", nil)
	f.Boolean(&o.DryRun, "dry-run", "", "write nothing")
	return cmd
}

// mostTrials catches typos: it is more than anybody wants.
const mostTrials = 10_000

// plan resolves the settings of every trial, times some steps of each network, and writes the folder of the sweep.
func (o planOptions) plan(ctx context.Context, c *cli.Console) error {
	fixed, axes, err := o.Sources.Grid()
	if err != nil {
		return err
	}
	if len(o.Seeds) > 0 {
		axis := configs.Axis{Key: sweep.Seed, Flag: "--seeds"}
		for _, seed := range o.Seeds {
			axis.Values = append(axis.Values, strconv.FormatUint(seed, 10))
		}
		if slices.ContainsFunc(axes, func(a configs.Axis) bool { return a.Key == sweep.Seed }) {
			return cli.Usagef("leave one of them out", "--seeds and several values of --seed do not go together")
		}
		axes = append(axes, axis)
	}
	count := 1
	for _, a := range axes {
		if count *= len(a.Values); count > mostTrials {
			return cli.Usagef("plan several sweeps", "more than %s runs", cli.Thousands(mostTrials))
		}
	}
	p := &sweep.Plan{Format: sweep.Format, Created: time.Now().UTC().Truncate(time.Second), Version: cli.ReadBuild().Version,
		Args: os.Args}
	for _, a := range axes {
		p.Axes = append(p.Axes, sweep.Axis{Key: a.Key, Values: a.Values})
	}
	t := timer{c: c, sets: map[string]*data.Set{}, paces: map[string]pace{}}
	var texts [][]byte
	for i, values := range sweep.Grid(p.Axes) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		text, eta, err := t.trial(ctx, fixed, axes, values)
		if err != nil {
			return err
		}
		texts = append(texts, text)
		p.Trials = append(p.Trials, sweep.Trial{Name: sweep.Name(i, count, p.Axes, values), Values: values, ETA: eta})
	}
	if !o.DryRun {
		if o.Out == "" {
			o.Out = newSweepFolder()
		}
		if err := p.Create(o.Out, texts); cli.Is[*run.NotEmpty](err) {
			return cli.Usagef("choose another folder", "--out %s: the folder is not empty", o.Out)
		} else if err != nil {
			return err
		}
	}
	return showPlan(c, p)
}

// newSweepFolder returns an unused name from the current time.
func newSweepFolder() string {
	stem := filepath.Join(sweepsFolder, time.Now().UTC().Format("20060102-150405"))
	path := stem
	for n := 2; cli.Exists(path); n++ {
		path = fmt.Sprintf("%s-%d", stem, n)
	}
	return path
}

// A timer resolves the settings of trials and times their steps. It opens each data set once, and times each combination
// of network, batch and data once.
type timer struct {
	c      *cli.Console
	sets   map[string]*data.Set
	paces  map[string]pace // by network, batch and data
	warned bool            // about the settings
}

// A pace is the number of batches in an epoch, and the seconds of a step and of an evaluation.
type pace struct {
	batches    int
	step, eval float64
}

// trial returns the settings of one combination as YAML, and its estimated duration in seconds.
func (t *timer) trial(ctx context.Context, fixed configs.Sources, axes []configs.Axis, values []string) ([]byte, float64, error) {
	s := configs.Over(fixed, axes, values)
	if err := t.c.CheckSources(s); err != nil {
		return nil, 0, err
	}
	o := trainOptions{Sources: s}
	var err error
	o.Config, err = configs.Resolve(s, func(name string) (string, error) {
		if t.sets[name] == nil {
			set, err := data.Open(data.Options{Name: name}, t.c.DataDir)
			if err != nil {
				return "", err
			}
			t.sets[name] = set
		}
		o.Set = t.sets[name]
		return o.Set.Name, nil
	})
	if err != nil {
		return nil, 0, err
	}
	if !t.warned {
		t.warned = true
		for _, w := range o.Config.Warnings {
			t.c.Warn(w)
		}
	}
	if _, err := session.Fit(o.Config, o.Set); err != nil {
		return nil, 0, err
	}
	r := o.Config.Run
	same := r
	same.Seed, same.Preset, same.Train = 0, "", configs.Default().Train
	same.Train.Batch, same.Train.EvalBatch, same.Train.Optimizer = r.Train.Batch, r.Train.EvalBatch, r.Train.Optimizer
	same.Train.Precision = r.Train.Precision
	same.Train.OverfitBatches = r.Train.OverfitBatches
	key := string(same.YAML())
	p, known := t.paces[key]
	if !known {
		if p, err = t.measure(ctx, o); err != nil {
			return nil, 0, err
		}
		t.paces[key] = p
	}
	steps := p.batches
	if limit := r.Train.TrainBatches; limit > 0 {
		steps = min(steps, limit)
	}
	epochs := float64(r.Train.Epochs)
	return r.YAML(), epochs * (p.step*float64(steps) + p.eval/float64(r.Train.EvalEvery)), nil
}

func (t *timer) measure(ctx context.Context, o trainOptions) (p pace, err error) {
	o.DryRun = true
	j, err := newJob(t.c, o)
	if err != nil {
		return p, err
	}
	defer j.Close()
	p.batches = j.Plan().Batches
	measured, err := j.Estimate(ctx)
	p.step, p.eval = measured.StepS, measured.EvalS
	return p, err
}

// showPlan prints a plan and how to run it.
func showPlan(c *cli.Console, p *sweep.Plan) error {
	eta, product := 0.0, []string(nil)
	for _, t := range p.Trials {
		eta += t.ETA
	}
	for _, a := range p.Axes {
		product = append(product, fmt.Sprintf("%d × %s", len(a.Values), cli.ShortKey(a.Key)))
	}
	if c.JSON {
		return c.Result(struct {
			V      int          `json:"v"`
			Path   string       `json:"path"` // "" on a dry run
			Trials int          `json:"trials"`
			ETA    float64      `json:"eta_s"`
			Axes   []sweep.Axis `json:"axes"`
		}{1, p.Path, len(p.Trials), eta, p.Axes})
	}
	for _, a := range p.Axes {
		fmt.Fprintf(c.Out, "%-18s %s\n", cli.ShortKey(a.Key), strings.Join(a.Values, "  "))
	}
	fmt.Fprintf(c.Out, "%d runs (%s): about %s here\n", len(p.Trials), strings.Join(product, ", "),
		progress.Duration(cli.Seconds(eta)))
	if p.Path == "" {
		c.Note("nothing was written")
		return nil
	}
	c.Note("\nplanned  %s\n\nnext:\n  %s sweep run %s", p.Path, cli.Program(), p.Path)
	c.Note("or, as a job array of %d tasks in an engine such as Slurm, each:\n  %s sweep run %s --task env", len(p.Trials),
		cli.Program(), p.Path)
	return nil
}
