// Package inspect is the command inspect: flags and words.
package inspect

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/listing"
	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/study"
)

// inspectOptions holds the flags and arguments of `attnconv inspect`.
type inspectOptions struct {
	Ref     string
	Sources configs.Sources
}

func New(c *term.Console) *cobra.Command {
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
		Args:              refs.Arguments(1),
		ValidArgsFunction: completeInspected(c),
		RunE: func(_ *cobra.Command, args []string) error {
			o.Ref = refs.First(args)
			o.Sources.Env = c.Env
			s, err := o.subject(c)
			if err != nil {
				return err
			}
			d, err := study.Inspect(s)
			if err != nil {
				return err
			}
			return c.Show(d, func(c *term.Console) error { return show(c, d, s) })
		},
	}
	refs.ModelFlags(cmd, &o.Sources, "preset", "batch", "optimizer")
	return cmd
}

func completeInspected(c *term.Console) refs.Completion {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		runs, _ := refs.CompleteRuns(c, 1)(cmd, args, word)
		presets, how := refs.CompletePresetsAndFiles(cmd, args, word)
		return append(presets, runs...), how
	}
}

// subject returns the network of a preset or configuration file, modified by flags, or of a run's checkpoint.
func (o inspectOptions) subject(c *term.Console) (s study.Subject, err error) {
	changed := len(o.Sources.Flags)+len(o.Sources.Files)+len(o.Sources.Set) > 0
	ext := filepath.Ext(o.Ref)
	switch {
	case slices.Contains(configs.PresetChoices(), o.Ref), ext == ".yaml", ext == ".yml":
		return newSubject(c, o.Ref, o.Sources.StartingFrom(o.Ref))
	case o.Ref == "" && changed:
		return newSubject(c, "", o.Sources)
	case changed:
		return s, term.Usagef("flags change presets and files", "%s: a run keeps its settings", o.Ref)
	}
	path, err := refs.Checkpoint(c, o.Ref, refs.AnyRun)
	var missing *run.NotFoundError
	if errors.As(err, &missing) {
		if o.Ref == "" {
			return newSubject(c, "", o.Sources)
		}
		if dir, err := refs.OpenRun(c, o.Ref, refs.AnyRun); err == nil { // a run without a checkpoint
			config, err := configs.Of(dir)
			if err != nil {
				return s, err
			}
			net, err := model.New(config.Model, config.Seed)
			return study.Subject{Name: dir.Path, Net: net, Train: config.Train}, err
		}
		if near := option.Nearest(o.Ref, configs.PresetChoices()); missing.Near == "" {
			missing.Near = near
		}
		if ext == "" {
			missing.What = "preset or run"
		}
	}
	if err != nil {
		return s, err
	}
	m, err := trained.Open(path)
	if err != nil {
		return s, err
	}
	return trainedSubject(m)
}

// trainedSubject returns a trained network, with its Gaussian heads before training where they are known.
func trainedSubject(m *trained.Model) (study.Subject, error) {
	start, err := m.InitialHeads()
	if err != nil && !term.Is[*trained.UnknownStartError](err) {
		return study.Subject{}, err
	}
	done, err := m.Surgery()
	if err != nil {
		return study.Subject{}, err
	}
	return study.Subject{Name: m.Path, Net: m.Net, Train: m.Config.Train, Trained: true, Start: start,
		Surgery: done}, nil
}

// newSubject returns the network that settings describe. Its name is that of the file or, for others, of the preset.
func newSubject(c *term.Console, name string, from configs.Sources) (s study.Subject, err error) {
	r, err := refs.Resolve(c, from, nil)
	if err != nil {
		return s, err
	}
	if !strings.Contains(name, ".") {
		name = r.Run.Preset
	}
	net, err := model.New(r.Run.Model, r.Run.Seed)
	return study.Subject{Name: name, Net: net, Train: r.Run.Train}, r.Explain(err)
}

func show(c *term.Console, d *study.Inspection, s study.Subject) error {
	text := LayerTable(d, s.Net.Spec, c.Verbose > 0).Text(c.OutWidth())
	switch {
	case len(d.Heads) > 0 && !s.Trained && c.Verbose == 0:
		c.Note("heads     -v lists the heads before training")
	case len(d.Heads) > 0:
		text += "\n" + HeadTable(d, s.Net.Spec, s.Trained).Text(c.OutWidth())
	}
	for i, done := range d.Surgery {
		if i == 0 {
			text += "\n"
		}
		text += "surgery  " + done.String() + "\n"
	}
	if len(d.Nulls) > 0 {
		text += "\n" + listing.NullTable(d.Nulls).Text(c.OutWidth())
	}
	return c.WriteText(text)
}
