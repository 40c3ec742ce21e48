// Package train is the command train; sweep and compare train as it does.
package train

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/train"
)

// Options holds the flags and arguments of `attnconv train`.
type Options struct {
	session.Options // what is trained: empty Settings until Sources are resolved, which with Resumes or Branch is late

	Sources   configs.Sources
	Resumes   bool   // goes on with the run Resume; "": the newest unfinished one
	Branch    string // the run or checkpoint From
	DryRun    bool   // trains nothing, and needs no images if their number is known
	Prune     bool   // remove degenerate heads from it
	Profile   profiles
	Require   []term.Requirement
	Seeds     []uint64 // one run for each; nil: one run
	OneOfMany bool     // part of a sweep or of --seeds: no forecast, no advice at the end
	fast      bool
	serve     bool   // a page shows the run
	onEnd     string // a command for a shell
}

// trainMetrics lists the metrics of a summary that --require accepts.
var trainMetrics = []string{"test_acc", "val_acc", "train_loss", "img_s", "wall_s"}

// New returns the command.
func New(c *term.Console) *cobra.Command { return newCommand(c, Run) }

// newCommand returns the command, which runs body once its flags are parsed.
func newCommand(c *term.Console, body func(context.Context, *term.Console, Options) error) *cobra.Command {
	var o Options
	cmd := &cobra.Command{
		Use:   "train [flags]",
		Short: "Train one model and write its checkpoint",
		Long: "Train one model and write its checkpoint. Ctrl-C, SIGTERM and SIGHUP (a lost\n" +
			"connection) save and stop, --resume goes on; SIGUSR1 saves without stopping.",
		Example: `attnconv train --encoding quadratic
attnconv train --preset paper/quadratic --dry-run
attnconv train --data shapes32 --epochs 3 --set train.betas=0.9,0.95
attnconv train -c my.yaml --lr 0.01 --name try-2
attnconv train --encoding learned --seeds 0..4
attnconv train --resume`,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			if !cmd.Flags().Changed("resume") {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return refs.CompleteRuns(c, 1)(cmd, args, word)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if !o.OneOfMany { // else other processes that a launcher started have other runs
				if err := c.Join(); err != nil {
					return err
				}
				o.Group = refs.Ranks(c)
			}
			if err := train.ShareError(o.Group, o.prepare(c, cmd, args)); err != nil {
				return err
			}
			return o.Profile.around(func() error {
				if o.Seeds != nil {
					return o.eachSeed(cmd.Context(), c, body)
				}
				return body(cmd.Context(), c, o)
			})
		},
	}
	o.flags(c, cmd)
	return cmd
}

// prepare checks the command line, and resolves the settings.
func (o *Options) prepare(c *term.Console, cmd *cobra.Command, args []string) error {
	if err := o.arguments(cmd, args); err != nil {
		return err
	}
	if o.fast {
		o.Sources.Flags = append(configs.FastDevRun(), o.Sources.Flags...)
	}
	o.Sources.Env = c.Env
	o.Typed = run.UserInput{Files: o.Sources.Files, Env: o.Sources.Variables()}
	return o.check(c)
}

func (o *Options) flags(c *term.Console, cmd *cobra.Command) {
	refs.RunFlags(cmd, &o.Sources)
	f := term.FlagsIn(cmd.Flags(), "Training")
	refs.DeviceFlag(c, f)
	term.Flag(f.Common(), &o.Seeds, "seeds", "LIST", "one run for each seed, such as 0..4 or 0,3,7", term.Seeds)
	f.Period(&o.Budget, "time-budget", "save and stop after this time, such as 30m")
	f.Number(&o.Until, "until-epoch", "N", "save and stop after this epoch, from which --resume goes on", 1)
	f.Boolean(&o.fast, "fast-dev-run", "", "two steps and one evaluation, as a smoke test")
	f.Common().Boolean(&o.DryRun, "dry-run", "", "show what would be trained, and how long it takes")
	f.Common().Boolean(&o.Resumes, "resume", "", "resume the latest unfinished run, or train --resume RUN")
	f.Number(&o.Extend, "extend-epochs", "N", "with --resume: add epochs to a finished run", 1)
	f.Boolean(&o.OneOfMany, "part", "", "one run of many")
	f.MarkHidden("part")
	f.Text(&o.Branch, "from", "", "RUN", "start a new run with the weights and settings of another", nil)
	f.Boolean(&o.Prune, "prune-degenerate", "",
		"with --from: leave out heads that attend (almost) uniformly, and those that --surgery has pruned")

	f = term.FlagsIn(cmd.Flags(), "Output")
	f.Common().Text(&o.Out, "out", "", "DIR", "folder of the run (default: a new one in --runs)", nil)
	f.Common().Text(&o.Label, "name", "", "WORDS", "name of the folder (default: encoding, data and seed)", nil)
	refs.TagsFlag(f, &o.Tags, "tag", "WORD", "a tag, for runs ls --tag; several may be given")
	term.Flag(f, &o.Note, "note", "TEXT", "a note, for runs show",
		func(text string) (string, error) { return text, run.CheckNote(text) })
	f.Boolean(&o.Force, "force", "", "with --out: overwrite an earlier run")
	f.Unless(&o.NoBoard, "tensorboard", "write event files for TensorBoard, to tb in the run's folder")
	f.Number(&o.Keep, "keep", "N", "number of newest checkpoints to keep, besides the best one (default: 2)", 1)
	f.Number(&o.Draw, "plot-every", "EPOCHS", "how often to redraw the figures (default: at most every 10 s)", 1)
	f.Boolean(&o.serve, "serve", "", "show the run on a page in the browser while it trains")
	f.Boolean(&o.Host, "record-host", "", "record the machine's name in environment.json")
	f.Boolean(&o.Code, "record-code", "",
		"record the uncommitted changes of the current folder (git diff, at most 1 MB) in uncommitted.patch")
	f.Text(&o.onEnd, "on-end", "", "COMMAND",
		"run it in a shell once the run ends, however it does; its RUN_DIR, RUN_ID and RUN_STATE say which", nil)
	o.Profile.flags(f)
	term.Flag(f, &o.Every, "save-every", "STEPS|TIME", "how often to save within an epoch (default 10m)", parseEvery)
	term.Each(f, &o.Require, "require", "METRIC>=N",
		"exit with code 5 at the end unless this holds, such as test_acc>=0.80",
		func(text string) (term.Requirement, error) { return term.ParseRequirement(text, trainMetrics, false) })
}

// arguments parses the RUN of --resume, and refuses contradictory flags.
func (o *Options) arguments(cmd *cobra.Command, args []string) error {
	most := 0
	if o.Resumes {
		most = 1
	}
	if err := refs.Arguments(most)(cmd, args); err != nil {
		return err
	}
	o.Resume = refs.First(args)
	if o.Branch == "" && cmd.Flags().Changed("from") {
		return term.Usagef("is a variable not set?", "--from: want a run or a checkpoint")
	}
	for _, clash := range []struct {
		yes     bool
		a, b    string
		because string
	}{
		{o.Resumes && o.Out != "", "resume", "out", "a resumed run stays in its folder"},
		{o.Resumes && o.Label != "", "resume", "name", "a resumed run stays in its folder"},
		{o.Resumes && o.Tags != nil, "resume", "tag", "to tag an existing run: " + term.Program() + " runs tag"},
		{o.Resumes && o.Note != "", "resume", "note", "for the note of an existing run: " + term.Program() +
			" runs note"},
		{o.Resumes && o.Force, "resume", "force", "a resumed run is never overwritten"},
		{o.Resumes && o.Branch != "", "resume", "from", "--resume goes on with a run, --from begins a new one"},
		{o.Resumes && o.fast, "resume", "fast-dev-run", "a resumed run keeps its configuration"},
		{o.Prune && cmd.Flags().Changed("heads"), "prune-degenerate", "heads",
			"the weights determine how many are left"},
		{o.Seeds != nil && o.Resumes, "seeds", "resume", "a resumed run keeps its seed"},
		{o.Seeds != nil && o.Out != "", "seeds", "out", "each run has a folder of its own; --runs says where"},
		{o.Seeds != nil && cmd.Flags().Changed("seed"), "seeds", "seed", "--seeds has all of them"},
		{o.Out != "" && o.Label != "", "out", "name", "--out is the whole name of the folder"},
	} {
		if clash.yes {
			return term.Usagef(clash.because, "--%s and --%s do not go together", clash.a, clash.b)
		}
	}
	if o.Prune && o.Branch == "" {
		return term.Usagef("a resumed run keeps its heads", "--prune-degenerate needs --from")
	}
	if o.Extend > 0 && !o.Resumes {
		return term.Usagef("for a new run: --epochs", "--extend-epochs needs --resume")
	}
	return nil
}

// check resolves the configuration. With Resumes or Branch it only parses the flags: the earlier run is read later.
func (o *Options) check(c *term.Console) error {
	if o.Resumes || o.Branch != "" {
		_, err := o.Sources.Differences(configs.Default()) // parses all sources
		return err
	}
	return o.Resolve(c, nil)
}

// Resolve sets Settings, Origins and Set. base is the configuration of the run that this one branches off from, or nil.
// Wrong settings are reported before missing data.
func (o *Options) Resolve(c *term.Console, base *configs.Document) error {
	o.Sources.Base = base
	r, err := refs.Resolve(c, o.Sources, func(name string) (string, error) { return o.open(c, name) })
	if err != nil {
		return err
	}
	o.Settings, o.Origins = r.Run, r.Origins
	if r.Run.Train.LR == 0 {
		c.Warn(r.Origins["train.lr"].Subject("train.lr") + " 0: no step will change a weight")
	}
	if c.Verbose > 0 {
		c.Note("%s", r.Table(c.Verbose > 1))
	}
	return nil
}

// ofBranch reports whether a data set is the one of the run that this one branches off from: its folder is where that
// run found it, from wherever it is used.
func (o *Options) ofBranch(name string) bool {
	given := func(f configs.Flag) bool { return f.Key == "data.name" }
	return o.From != nil && o.From.Origin().Path != "" && name == o.From.Config.Data.Name &&
		!slices.ContainsFunc(o.Sources.Flags, given)
}

// open opens a data set, and returns its name. A dry run does not need the images if the size of the set is known.
func (o *Options) open(c *term.Console, name string) (string, error) {
	if o.ofBranch(name) {
		set, err := refs.OpenData(c, o.From, "")
		if err != nil {
			return "", err
		}
		o.Set = set
		return name, nil
	}
	set, err := sets.Open(data.Options{Name: name}, c.DataDir)
	if missing := (*data.MissingError)(nil); o.DryRun && errors.As(err, &missing) {
		if set = sets.Placeholder(name); set != nil {
			c.Warn(refs.UserMessage(err))
			err = nil
		}
	}
	if err != nil {
		return "", err
	}
	o.Set = set
	return set.Name, nil
}

// parseEvery reads a number of steps or a duration.
func parseEvery(text string) (train.SaveInterval, error) {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return train.SaveInterval{Steps: n}, nil
	}
	if t, err := time.ParseDuration(text); err == nil && t > 0 {
		return train.SaveInterval{Time: t}, nil
	}
	return train.SaveInterval{}, errors.New("want a number of steps such as 500, or a time such as 10m")
}

// eachSeed trains a run for each seed. It goes on after a run that diverges or misses a requirement; any other error
// ends it.
func (o Options) eachSeed(
	ctx context.Context, c *term.Console, body func(context.Context, *term.Console, Options) error,
) error {
	var failed []error
	err := c.EachOf(len(o.Seeds), func(c *term.Console, i int) error {
		one, seed := o, o.Seeds[i]
		one.OneOfMany = true
		one.Sources.Flags = append(slices.Clip(o.Sources.Flags),
			configs.Flag{Name: "--seeds", Key: "seed", Text: strconv.FormatUint(seed, 10)})
		one.Settings.Seed = seed
		if i > 0 {
			c.Note("")
		}
		err := body(ctx, c, one)
		if term.Is[*fault.UnmetError](err) || term.Is[*train.DivergenceError](err) {
			failed, err = append(failed, err), nil
		}
		return err
	})
	if err != nil {
		return err
	}
	if !o.DryRun && !c.JSON {
		c.Next([2]string{term.Command("compare", "--no-train"), "mean and interval over the seeds"})
	}
	return errors.Join(failed...)
}
