// Package inspect is the command inspect: flags, words and tables.
package inspect

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
	"github.com/attnconv/attnconv/study"
)

// inspectOptions holds the flags and arguments of `attnconv inspect`.
type inspectOptions struct {
	Ref     string
	Sources configs.Sources
}

func New(c *cli.Console) *cobra.Command {
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
			r, err := Inspect(s)
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
	for _, s := range configs.Settings() {
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

// A Subject is a network to inspect, and its origin.
type Subject struct {
	Name      string // of the preset, file or checkpoint
	Config    configs.Run
	Net       *model.Network
	Untrained bool            // its weights are the initial ones
	Start     [][]posenc.Head // its heads before training; nil: unknown
}

// subject resolves the argument: a preset or configuration file, modified by flags, or the checkpoint of a run.
func (o inspectOptions) subject(c *cli.Console) (Subject, error) {
	changed := len(o.Sources.Flags)+len(o.Sources.Files)+len(o.Sources.Set) > 0
	ext := filepath.Ext(o.Ref)
	switch {
	case slices.Contains(configs.PresetChoices(), o.Ref), ext == ".yaml", ext == ".yml":
		return settingsSubject(c, o.Ref, o.Sources.StartingFrom(o.Ref))
	case o.Ref == "" && changed:
		return settingsSubject(c, "", o.Sources)
	case changed:
		return Subject{}, cli.Usagef("flags change presets and files", "%s: a run keeps its settings", o.Ref)
	}
	path, err := c.Checkpoint(o.Ref, study.AnyRun)
	var missing *run.NotFound
	if errors.As(err, &missing) {
		if o.Ref == "" {
			return settingsSubject(c, "", o.Sources)
		}
		if dir, err := c.OpenRun(o.Ref, study.AnyRun); err == nil { // a run without a checkpoint
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
		return Subject{}, err
	}
	return checkpointSubject(path)
}

func settingsSubject(c *cli.Console, name string, s configs.Sources) (Subject, error) {
	r, err := c.Resolve(s)
	if err != nil {
		return Subject{}, err
	}
	if name == "" || !strings.Contains(name, ".") {
		name = r.Run.Preset
	}
	net, err := model.New(r.Run.Model, r.Run.Seed)
	return Subject{Name: name, Config: r.Run, Net: net, Untrained: true}, r.Explain(err)
}

func runSubject(d *run.Dir) (Subject, error) {
	config, err := configs.Of(d)
	if err != nil {
		return Subject{}, err
	}
	net, err := model.New(config.Model, config.Seed)
	return Subject{Name: d.Path, Config: config, Net: net, Untrained: true}, err
}

func checkpointSubject(path string) (Subject, error) {
	m, err := session.Open(path)
	if err != nil {
		return Subject{}, err
	}
	start, err := knownStart(m)
	return Subject{Name: path, Config: m.Config, Net: m.Net, Start: start}, err
}
