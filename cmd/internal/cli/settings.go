package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/train"
)

// ownFlags adds the options that registered kinds bring to a command that takes settings of their section. It comes when all
// other flags are there: where one has the name already, the option has its key alone.
func ownFlags(cmd *cobra.Command) {
	sections := map[string]struct{ group, flag string }{
		"model": {"Model", "layers"}, "data": {"Data", "augment"}, "train": {"Training", "lr"},
	}
	if len(train.Losses) > 1 {
		if lr := cmd.Flags().Lookup("lr"); lr != nil && cmd.Flags().Lookup("loss") == nil {
			if s, ok := lr.Value.(setting); ok {
				Flags{cmd.Flags(), "Training"}.Value(setting{s.to, "loss", "train.loss"}, "loss", "", "NAME",
					"what training minimises", train.Losses.Completions())
			}
		}
	}
	for _, o := range configs.Options() {
		section, _, _ := strings.Cut(o.Key, ".")
		in := sections[section]
		like := cmd.Flags().Lookup(in.flag)
		if like == nil || cmd.Flag(o.Flag) != nil {
			continue
		}
		s, ok := like.Value.(setting)
		if !ok {
			continue
		}
		help := "of " + o.Kind
		if o.Help != "" {
			help += ": " + o.Help
		}
		Flags{cmd.Flags(), in.group}.Value(setting{s.to, o.Flag, o.Key}, o.Flag, "", o.Meta(), help, o.Choices)
	}
}

// SourceFlags adds the flags of a run's settings to a command, except those in without.
func SourceFlags(cmd *cobra.Command, s *configs.Sources, without ...string) {
	for _, row := range configs.Settings() {
		if slices.Contains(without, row.Flag) {
			continue
		}
		f := FlagsIn(cmd.Flags(), row.Group)
		f.Setting(&s.Flags, row)
	}
	f := FlagsIn(cmd.Flags(), "Training")
	f.Texts(&s.Files, "config", "c", "FILE", "settings from a YAML file; later ones win")
	f.Texts(&s.Set, "set", "", "KEY=VALUE", "any setting, such as model.heads=[9,9,4]; wins over all others")
}

// CheckSources reports wrong settings before any data is opened.
func (c *Console) CheckSources(s configs.Sources) error { return s.Check(c.DataDir) }

// Resolve resolves settings as train does, but opens a data set only for data.name auto.
func (c *Console) Resolve(s configs.Sources) (*configs.Resolved, error) {
	if err := c.CheckSources(s); err != nil {
		return nil, err
	}
	r, err := configs.Resolve(s, func(name string) (string, error) {
		if name != "auto" {
			return name, nil
		}
		set, err := data.Open(data.Options{Name: name}, c.DataDir)
		if err != nil {
			return "", err
		}
		return set.Name, nil
	})
	if err != nil {
		return nil, err
	}
	for _, w := range r.Warnings {
		c.Warn(w)
	}
	return r, nil
}
