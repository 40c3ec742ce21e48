package cmd

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session"
)

// inspectOptions holds the flags and arguments of `attnconv inspect`.
type inspectOptions struct {
	Ref     string
	Sources configs.Sources
}

func newInspect(c *cli.Console) *cobra.Command {
	var o inspectOptions
	cmd := &cobra.Command{
		Use:   "inspect [PRESET|FILE|RUN|CKPT] [flags]",
		Short: "Show a network's layers, cost and heads",
		Long: "Show a network layer by layer: shapes, parameters, multiply-adds and receptive\n" +
			"field; its memory; and its heads, with their values before training and those of\n" +
			"other untrained heads. The default is the latest run.",
		Example: `attnconv inspect paper/quadratic
attnconv inspect paper/quadratic --heads 16
attnconv inspect my.yaml --batch 32
attnconv inspect k3f9 --json`,
		Args:              cli.Arguments(1),
		ValidArgsFunction: completeInspected(c),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.Ref = args[0]
			}
			o.Sources.Env = c.Env
			s, err := o.subject(c)
			if err != nil {
				return err
			}
			r, err := inspect(s)
			if err != nil {
				return err
			}
			if c.JSON {
				return c.Result(r)
			}
			return r.print(c)
		},
	}
	var others []string
	for _, s := range cli.Settings() {
		if s.Group != "Model" && !slices.Contains([]string{"preset", "batch", "optimizer"}, s.Flag) {
			others = append(others, s.Flag)
		}
	}
	cli.SourceFlags(cmd, &o.Sources, others...)
	return cmd
}

func completeInspected(c *cli.Console) cli.Completion {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		runs, _ := c.CompleteRuns(1)(cmd, args, word)
		presets, how := cli.CompletePresetsAndFiles(cmd, args, word)
		return append(presets, runs...), how
	}
}

// A subject is a network to inspect, and its origin.
type subject struct {
	Name      string // of the preset, file or checkpoint
	Config    configs.Run
	Net       *model.Network
	Untrained bool            // its weights are the initial ones
	Start     [][]posenc.Head // its heads before training; nil: unknown
}

// subject resolves the argument: a preset or configuration file, modified by flags, or the checkpoint of a run.
func (o inspectOptions) subject(c *cli.Console) (subject, error) {
	changed := len(o.Sources.Flags)+len(o.Sources.Files)+len(o.Sources.Set) > 0
	ext := filepath.Ext(o.Ref)
	switch {
	case slices.Contains(configs.PresetChoices(), o.Ref), ext == ".yaml", ext == ".yml":
		return settingsSubject(c, o.Ref, o.Sources.StartingFrom(o.Ref))
	case o.Ref == "" && changed:
		return settingsSubject(c, "", o.Sources)
	case changed:
		return subject{}, cli.Usagef("flags change presets and files", "%s: a run keeps its settings", o.Ref)
	}
	path, err := c.Checkpoint(o.Ref, cli.AnyRun)
	var missing *run.NotFound
	if errors.As(err, &missing) {
		if o.Ref == "" {
			return settingsSubject(c, "", o.Sources)
		}
		if dir, err := c.OpenRun(o.Ref, cli.AnyRun); err == nil { // a run without a checkpoint
			return runSubject(dir)
		}
		if near := invalid.Nearest(o.Ref, configs.PresetChoices()); missing.Near == "" {
			missing.Near = near
		}
		if ext == "" {
			missing.What = "preset or run"
		}
	}
	if err != nil {
		return subject{}, err
	}
	return checkpointSubject(path)
}

func settingsSubject(c *cli.Console, name string, s configs.Sources) (subject, error) {
	r, err := c.Resolve(s)
	if err != nil {
		return subject{}, err
	}
	if name == "" || !strings.Contains(name, ".") {
		name = r.Run.Preset
	}
	net, err := model.New(r.Run.Model, r.Run.Seed)
	return subject{Name: name, Config: r.Run, Net: net, Untrained: true}, r.Explain(err)
}

func runSubject(d *run.Dir) (subject, error) {
	config, err := configs.Of(d)
	if err != nil {
		return subject{}, err
	}
	net, err := model.New(config.Model, config.Seed)
	return subject{Name: d.Path, Config: config, Net: net, Untrained: true}, err
}

func checkpointSubject(path string) (subject, error) {
	m, err := session.Open(path)
	if err != nil {
		return subject{}, err
	}
	start, err := knownStart(m)
	return subject{Name: path, Config: m.Config, Net: m.Net, Start: start}, err
}
