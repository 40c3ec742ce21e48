package config

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
)

func newConfigShow(c *cli.Console) *cobra.Command {
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
		Args:              cli.Arguments(1),
		ValidArgsFunction: cli.CompletePresetsAndFiles,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				s = s.StartingFrom(args[0])
			}
			s.Env = c.Env
			r, err := c.Resolve(s, nil)
			if err != nil {
				return err
			}
			switch {
			case c.JSON:
				return c.Result(r.Document())
			case origin:
				_, err = fmt.Fprintln(c.Out, r.Table(true))
			default:
				_, err = c.Out.Write(r.Run.YAML())
			}
			return err
		},
	}
	cli.FlagsIn(cmd.Flags(), "Output").Common().Boolean(&origin, "origin", "", "one setting per line: key, value, origin")
	cli.RunFlags(cmd, &s)
	return cmd
}
