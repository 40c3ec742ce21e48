package cmd

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/train"
)

// trainOptions holds the flags and arguments of `attnconv train`.
type trainOptions struct {
	Config *configs.Resolved // the run; nil with Resume or From, where an earlier run has its say (see settle)
	Set    *data.Set         // the data, open; nil where Config is
	Typed  run.Typed         // the command line, the files and the variables, for the run's folder

	Sources   configs.Sources
	Out       string
	Name      string
	Tags      []string
	Note      string
	Force     bool
	Resume    bool
	Ref       string // the run to resume; "" is the newest unfinished one
	From      string // the run or checkpoint to branch off from
	fromID    string // the id of that run, or the checkpoint
	Prune     bool   // its degenerate heads
	Extend    int    // epochs to add to a finished run
	Every     train.Every
	Budget    time.Duration
	DryRun    bool
	Board     bool // event files for TensorBoard
	Keep      int  // how many of the newest checkpoints stay; 0: as many as run.Dir keeps
	Draw      int  // epochs from figure to figure; 0: by the clock
	Host      bool // its name goes into environment.json
	Profile   profiles
	Require   []requirement
	Seeds     []uint64 // one run for each; nil: one run
	fast      bool
	oneOfMany bool // one of many runs: it gives no advice at its end
}

// saveEvery is how often a run saves within an epoch, unless it is told otherwise.
const saveEvery = 10 * time.Minute

// trainMetrics are the numbers of a summary, for --require.
var trainMetrics = []string{"test_acc", "val_acc", "train_loss", "img_s", "wall_s"}

// newTrain is the train command. body runs with options whose configuration is valid.
func newTrain(c *console, body func(context.Context, *console, trainOptions) error) *cobra.Command {
	o := trainOptions{Every: train.Every{Time: saveEvery}}
	cmd := &cobra.Command{
		Use:   "train [flags]",
		Short: "Train one model and write its checkpoint",
		Long: "Train one model and write its checkpoint. Ctrl-C and SIGTERM save and stop,\n" +
			"--resume goes on; SIGUSR1 saves without stopping. Without --preset the settings\n" +
			"are those of small for photographs, and those of tiny for the built-in images.",
		Example: `attnconv train --encoding quadratic
attnconv train --preset paper/quadratic --dry-run
attnconv train --data shapes32 --epochs 3 --set train.betas=0.9,0.95
attnconv train -c my.yaml --lr 0.01 --name try-2
attnconv train --encoding learned --seeds 0..4
attnconv train --resume`,
		ValidArgsFunction: c.completeResume,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.arguments(cmd, args); err != nil {
				return err
			}
			if o.fast {
				o.Sources.Flags = append(fastDevRun(), o.Sources.Flags...)
			}
			o.Sources.Env = c.env
			o.Typed = run.Typed{Files: o.Sources.Files, Env: o.Sources.Variables()}
			if err := o.check(c); err != nil {
				return err
			}
			return o.Profile.around(c, func() error {
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

func (o *trainOptions) flags(c *console, cmd *cobra.Command) {
	sourceFlags(cmd, &o.Sources)
	f := flags{cmd.Flags(), "Training"}
	c.deviceFlag(f)
	f.value(seeds{&o.Seeds}, "seeds", "", "LIST", "one run after the other, with each seed, such as 0..4 or 0,3,7", nil)
	f.value(period{&o.Budget}, "time-budget", "", "TIME", "save and stop after so long, such as 30m", nil)
	f.boolean(&o.fast, "fast-dev-run", "", "two steps and one evaluation, to see that all works")
	f.boolean(&o.DryRun, "dry-run", "", "say what would be done, and how long it takes")
	f.boolean(&o.Resume, "resume", "", "go on with a run: train --resume [RUN]; without RUN the newest unfinished one")
	f.number(&o.Extend, "extend-epochs", "N", "with --resume: add epochs to a finished run", 1)
	f.boolean(&o.oneOfMany, "part", "", "one run of many")
	f.MarkHidden("part")
	f.text(&o.From, "from", "", "RUN", "a new run that starts from the weights and settings of another", nil)
	f.boolean(&o.Prune, "prune-degenerate", "", "with --from: leave out heads that are as good as blind to position")

	f = flags{cmd.Flags(), "Output"}
	f.text(&o.Out, "out", "", "DIR", "folder of the run (default: a new one in --runs)", nil)
	f.text(&o.Name, "name", "", "WORDS", "in the name of the folder, in place of encoding, data and seed", nil)
	f.value(tags{&o.Tags}, "tag", "", "WORD", "a word to find the run by, with runs ls --tag; several may be given", nil)
	f.value(noteText{&o.Note}, "note", "", "TEXT", "what the run is for, as runs show shows it", nil)
	f.boolean(&o.Force, "force", "", "with --out: write over an earlier run")
	f.BoolVar(&o.Board, "tensorboard", true, "write event files for TensorBoard, to tb in the run's folder")
	f.describe("tensorboard", "", nil)
	f.number(&o.Keep, "keep", "N", "how many of the newest checkpoints stay, beside the best one (default: 2)", 1)
	f.number(&o.Draw, "plot-every", "EPOCHS", "how often to draw the figures anew (default: at most every 10 s)", 1)
	f.boolean(&o.Host, "record-host", "", "write the machine's name to environment.json")
	o.Profile.flags(f)
	f.value(every{&o.Every}, "save-every", "", "STEPS|TIME", "how often to save within an epoch (default 10m)", nil)
	f.value(requirements{list: &o.Require, known: trainMetrics}, "require", "", "NUMBER>=N",
		"exit with code 5 at the end unless this holds, such as test_acc>=0.80", nil)
}

// arguments takes the RUN of --resume, and refuses flags that contradict each other.
func (o *trainOptions) arguments(cmd *cobra.Command, args []string) error {
	most := 0
	if o.Resume {
		most = 1
	}
	if err := arguments(most)(cmd, args); err != nil {
		return err
	}
	if len(args) == 1 {
		o.Ref = args[0]
	}
	for _, clash := range []struct {
		yes     bool
		a, b    string
		because string
	}{
		{o.Resume && o.Out != "", "resume", "out", "a resumed run stays in its folder"},
		{o.Resume && o.Name != "", "resume", "name", "a resumed run stays in its folder"},
		{o.Resume && o.Tags != nil, "resume", "tag", "a run that there is gets tags from: " + program() + " runs tag"},
		{o.Resume && o.Note != "", "resume", "note", "a run that there is gets a note from: " + program() + " runs note"},
		{o.Resume && o.Force, "resume", "force", "a resumed run is never written over"},
		{o.Resume && o.From != "", "resume", "from", "--resume goes on with a run, --from begins a new one"},
		{o.Resume && o.fast, "resume", "fast-dev-run", "a resumed run keeps its configuration"},
		{o.Prune && cmd.Flags().Changed("heads"), "prune-degenerate", "heads", "how many are left depends on the weights"},
		{o.Seeds != nil && o.Resume, "seeds", "resume", "a resumed run keeps its seed"},
		{o.Seeds != nil && o.Out != "", "seeds", "out", "each run has a folder of its own; --runs says where"},
		{o.Seeds != nil && cmd.Flags().Changed("seed"), "seeds", "seed", "--seeds has all of them"},
		{o.Out != "" && o.Name != "", "out", "name", "--out is the whole name of the folder"},
	} {
		if clash.yes {
			return usagef(clash.because, "--%s and --%s do not go together", clash.a, clash.b)
		}
	}
	if o.Prune && o.From == "" {
		return usagef("a run that goes on keeps its heads; a new one begins with --from RUN", "--prune-degenerate needs --from")
	}
	if o.Extend > 0 && !o.Resume {
		return usagef("for a new run, --epochs says how many", "--extend-epochs needs --resume")
	}
	return nil
}

// check finds what is wrong with the configuration and settles it, unless an earlier run has its say.
func (o *trainOptions) check(c *console) error {
	if o.Resume || o.From != "" {
		_, err := o.Sources.Differences(configs.Default()) // reads everything that was given
		return err
	}
	return o.resolve(c, nil)
}

// resolve fills in Config and Set. base is the configuration of the run that this one branches off from, or nil. A wrong
// setting is reported before the data is looked for.
func (o *trainOptions) resolve(c *console, base *configs.Document) (err error) {
	o.Sources.Base = base
	if err := c.checkSources(o.Sources); err != nil {
		return err
	}
	o.Config, err = configs.Resolve(o.Sources, func(name string) (string, error) { return o.open(c, name) })
	if err != nil {
		return err
	}
	for _, w := range o.Config.Warnings {
		c.warn(w)
	}
	if o.Config.Run.Train.LR == 0 {
		c.warn(o.Config.Origins["train.lr"].Subject("train.lr") + " 0: no step will change a weight")
	}
	if c.Verbose > 0 {
		c.note("%s", o.Config.Table(c.Verbose > 1))
	}
	return nil
}

// open opens the data set called name, and returns what it is called once it is there. A dry run does without, where
// it is known how large the set is.
func (o *trainOptions) open(c *console, name string) (string, error) {
	set, err := data.Open(data.Options{Name: name}, c.DataDir)
	if missing := (*data.Missing)(nil); o.DryRun && errors.As(err, &missing) {
		if set = data.Placeholder(name); set != nil {
			c.warn(userMessage(err))
			err = nil
		}
	}
	if err != nil {
		return "", err
	}
	o.Set = set
	return set.Name, nil
}

// isFastDevRun reports whether a run was no more than that.
func isFastDevRun(o train.Options) bool {
	return o.Epochs == 1 && o.TrainBatches == 2 && o.ValBatches == 1
}

// fastDevRun is what --fast-dev-run sets: everything happens, twice at most.
func fastDevRun() []configs.Flag {
	flag := func(key, text string) configs.Flag { return configs.Flag{Name: "--fast-dev-run", Key: key, Text: text} }
	return []configs.Flag{
		flag("train.epochs", "1"), flag("train.limit_train_batches", "2"), flag("train.limit_val_batches", "1"),
	}
}
