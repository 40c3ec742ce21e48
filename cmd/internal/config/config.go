// Package config is the commands on presets and configuration files.
package config

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/option"
)

// New returns the command.
func New(c *term.Console) *cobra.Command {
	return refs.Family("config", "Presets and configuration files", `attnconv config ls
attnconv config cp paper/quadratic my.yaml
attnconv config validate my.yaml
attnconv config show -c my.yaml --lr 0.05 --origin`,
		newConfigLs(c), newConfigCat(c), newConfigCp(c), newConfigShow(c), newConfigValidate(c))
}

func newConfigLs(c *term.Console) *cobra.Command {
	return &cobra.Command{
		Use:     "ls",
		Short:   "List the presets, with the parameters of their networks",
		Example: "attnconv config ls",
		Args:    refs.Arguments(0),
		RunE: func(*cobra.Command, []string) error {
			d, left := Presets{V: 1}, 0
			for _, name := range configs.Presets() {
				r, err := configs.Preset(name)
				if err != nil {
					return err
				}
				d.Presets = append(d.Presets, Preset{Name: name, Purpose: configs.PresetPurpose(name),
					Params: r.Model.Params()})
				left = max(left, len(name)+2)
			}
			return c.Show(d, func(c *term.Console) error {
				for _, p := range d.Presets {
					text := p.Purpose + " " + table.Count(p.Params, "parameter") + "."
					lines := table.Wrap(text, max(term.HelpWidth, c.OutWidth())-left)
					fmt.Fprintf(c.Out, "%-*s%s\n", left, p.Name, strings.Join(lines, "\n"+strings.Repeat(" ", left)))
				}
				return nil
			})
		},
	}
}

func newConfigCat(c *term.Console) *cobra.Command {
	return &cobra.Command{
		Use:               "cat PRESET",
		Short:             "Print the file of a preset",
		Example:           "attnconv config cat paper/quadratic",
		Args:              refs.Exactly("PRESET"),
		ValidArgsFunction: refs.CompletePresets(cobra.ShellCompDirectiveNoFileComp, cobra.ShellCompDirectiveDefault),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := presetText(args[0])
			if err != nil {
				return err
			}
			d := PresetText{V: 1, Preset: args[0], Text: string(text)}
			return c.Show(d, func(c *term.Console) error { return c.WriteText(d.Text) })
		},
	}
}

func newConfigCp(c *term.Console) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "cp PRESET [FILE]",
		Short: "Copy a preset to a file",
		Long: "Copy a preset to a file, to change it and train with -c FILE. FILE defaults to\n" +
			"the preset's name with .yaml; - is standard output.",
		Example: "attnconv config cp paper/quadratic\nattnconv config cp tiny my.yaml && attnconv train -c " +
			"my.yaml",
		Args:              refs.Between(1, 2, "PRESET"),
		ValidArgsFunction: refs.CompletePresets(cobra.ShellCompDirectiveNoFileComp, cobra.ShellCompDirectiveDefault),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := presetText(args[0])
			if err != nil {
				return err
			}
			file := path.Base(args[0]) + ".yaml"
			if len(args) == 2 {
				file = args[1]
			}
			if err := c.WriteNew(file, text, force); err != nil || file == "-" {
				return err
			}
			return c.Show(term.Files{V: 1, Files: []string{file}}, func(c *term.Console) error {
				c.Wrote(file)
				c.Note("train with it: %s", term.Command("train", "-c", file))
				return nil
			})
		},
	}
	term.FlagsIn(cmd.Flags(), "Output").Boolean(&force, "force", "", "overwrite FILE")
	return cmd
}

// presetText returns the file of a preset. A group such as small has none.
func presetText(name string) ([]byte, error) {
	text, ok := configs.PresetText(name)
	if !ok {
		return nil, fmt.Errorf("%w\n  to list them: %s config ls", option.Choice("preset", name, configs.Presets()),
			term.Program())
	}
	return text, nil
}

func newConfigValidate(c *term.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "validate FILE...",
		Short: "Check configuration files",
		Long: "Check configuration files, each on its own, on top of the preset that it names\n" +
			"or the default one. No data is opened.",
		Example: "attnconv config validate my.yaml",
		Args:    refs.Between(1, 1<<20, "FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			var errs []error
			d := ConfigChecks{V: 1}
			for _, file := range args {
				row := ConfigCheck{File: file, OK: true}
				if err := (configs.Sources{Files: []string{file}}).Check(c.DataDir); err != nil {
					row.OK, row.Error = false, err.Error()
					errs = append(errs, err)
				}
				d.Files = append(d.Files, row)
			}
			err := c.Show(d, func(c *term.Console) error {
				for _, row := range d.Files {
					if row.OK {
						fmt.Fprintf(c.Out, "%s: ok\n", row.File)
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			return errors.Join(errs...)
		},
	}
}

func newConfigShow(c *term.Console) *cobra.Command {
	var s configs.Sources
	var origin bool
	cmd := &cobra.Command{
		Use:   "show [PRESET|FILE] [flags]",
		Short: "Show every setting of a run, and its origin",
		Long: "Show every setting that train with the same arguments would use, as a file for\n" +
			"-c. Settings come from several layers; later ones win:\n\n" +
			"  default < preset < -c FILE (left to right) < environment < flags < --set",
		Example: `attnconv config show
attnconv config show paper/quadratic
attnconv config show -c my.yaml -c more.yaml --lr 0.05 --origin`,
		Args:              refs.Arguments(1),
		ValidArgsFunction: refs.CompletePresets(cobra.ShellCompDirectiveDefault, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				s = s.StartingFrom(args[0])
			}
			s.Env = c.Env
			r, err := refs.Resolve(c, s, nil)
			if err != nil {
				return err
			}
			return c.Show(r.Document(), func(c *term.Console) error {
				if origin {
					return c.WriteText(r.Table(true) + "\n")
				}
				return c.WriteText(string(r.Run.YAML()))
			})
		},
	}
	term.FlagsIn(cmd.Flags(), "Output").Common().Boolean(&origin, "origin", "",
		"one setting per line: key, value, origin")
	refs.RunFlags(cmd, &s)
	return cmd
}
