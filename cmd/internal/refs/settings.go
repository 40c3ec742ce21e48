package refs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/train"
)

// ownFlags adds the options that registered kinds bring, and --loss if one is registered, to a command that takes
// settings of their section. It comes when all other flags are there. The error names an option whose flag the command
// has already.
func ownFlags(cmd *cobra.Command) error {
	sections := map[string]struct{ group, like string }{
		"model": {"Model", "layers"}, "data": {"Data", "augment"}, "train": {"Training", "lr"},
	}
	add := func(row configs.Setting, kind string) error {
		section, _, _ := strings.Cut(row.Key, ".")
		in := sections[section]
		like := cmd.Flags().Lookup(in.like)
		if like == nil {
			return nil
		}
		s, ok := like.Value.(setting)
		if !ok {
			return nil
		}
		if cmd.Flag(row.Flag) != nil {
			return fmt.Errorf("option %s of %s: %s has a flag --%s already\n  give the kind or its option another name",
				row.Key, kind, cmd.CommandPath(), row.Flag)
		}
		AddSetting(term.FlagsIn(cmd.Flags(), in.group), s.to, row, s.defaults)
		return nil
	}
	var errs []error
	if len(train.Losses) > 1 {
		errs = append(errs, add(configs.Setting{Flag: "loss", Key: "train.loss", Meta: "NAME",
			Help: "what training minimizes", Choices: train.Losses.Completions()}, "the losses"))
	}
	for _, o := range configs.Options() {
		help := "of " + o.Kind
		if o.Help != "" {
			help += ": " + o.Help
		}
		errs = append(errs, add(configs.Setting{Flag: o.Flag, Key: o.Key, Meta: o.Meta(), Help: help,
			Choices: o.Choices}, o.Kind))
	}
	return cmp.Or(errs...)
}

// RunFlags adds the flags of a new run's settings to a command.
func RunFlags(cmd *cobra.Command, s *configs.Sources) { addSettings(cmd, s, true, nil) }

// SourceFlags adds the flags of settings to a command, except those in without. Its other flags and arguments decide
// what the settings are if they are not given.
func SourceFlags(cmd *cobra.Command, s *configs.Sources, without ...string) {
	addSettings(cmd, s, false, without)
}

func addSettings(cmd *cobra.Command, s *configs.Sources, defaults bool, without []string) {
	for _, row := range configs.Settings() {
		if !slices.Contains(without, row.Flag) {
			AddSetting(term.FlagsIn(cmd.Flags(), row.Group), &s.Flags, row, defaults)
		}
	}
	AnySetting(term.FlagsIn(cmd.Flags(), "Training"), s)
}

// AnySetting adds -c and --set.
func AnySetting(f term.Flags, s *configs.Sources) {
	f = f.Common()
	f.Texts(&s.Files, "config", "c", "FILE", "settings from a YAML file; later ones win")
	f.Texts(&s.Set, "set", "", "KEY=VALUE", "any setting, such as model.heads=[9,9,4]; wins over all")
}

// ModelFlags adds the flags of a model's settings to a command, and those in also.
func ModelFlags(cmd *cobra.Command, s *configs.Sources, also ...string) {
	var without []string
	for _, row := range configs.Settings() {
		if row.Group != "Model" && !slices.Contains(also, row.Flag) {
			without = append(without, row.Flag)
		}
	}
	SourceFlags(cmd, s, without...)
}

// Resolve resolves settings, with warnings. Wrong ones are reported before open opens a data set and returns its name;
// nil opens nothing.
func Resolve(c *term.Console, s configs.Sources, open func(name string) (string, error)) (*configs.ResolvedRun, error) {
	if err := s.Check(c.DataDir); err != nil {
		return nil, err
	}
	if open == nil {
		open = configs.Locator(c.DataDir)
	}
	r, err := configs.Resolve(s, open)
	if err != nil {
		return nil, err
	}
	for _, w := range r.Warnings {
		c.Warn(w)
	}
	return r, nil
}

// AddSetting adds the flag of a configuration key, whose text goes to to. With defaults, help shows the value of the
// key in a run that no flag changes.
func AddSetting(f term.Flags, to *[]configs.Flag, row configs.Setting, defaults bool) {
	if row.Common {
		f = f.Common()
	}
	f.Value(setting{to, row.Flag, row.Key, defaults}, row.Flag, "", row.Meta, row.Help, row.Choices)
}

// setting is the flag of a configuration key. It stores the text, which package configs parses like a variable or a
// line of a file.
type setting struct {
	to        *[]configs.Flag
	name, key string
	defaults  bool
}

func (s setting) Type() string   { return s.key }
func (s setting) String() string { return "" }

// Default returns what help shows as the value of the key in a run that no flag changes, or "".
func (s setting) Default() string {
	if !s.defaults {
		return ""
	}
	return configs.DefaultHelp(s.key)
}

func (s setting) Set(text string) error {
	*s.to = append(*s.to, configs.Flag{Name: "--" + s.name, Key: s.key, Text: text})
	return nil
}
