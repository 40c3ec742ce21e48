package runs

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/document"
	"github.com/attnconv/attnconv/study/runs"
)

func newTag(c *cli.Console) *cobra.Command {
	var remove []string
	cmd := &cobra.Command{
		Use:   "tag RUN [TAG...] [flags]",
		Short: "Add tags to runs, or remove them",
		Long: "Add tags to a run, for runs ls --tag, or remove them. RUN may be a pattern of\n" +
			"names. Runs trained by compare have the tag compare. A run in training is\n" +
			"refused.",
		Example: "attnconv runs tag k3f9 baseline wide\nattnconv runs tag 'sweeps/mine/trials/*' " +
			"lr\nattnconv runs tag k3f9 --remove wide",
		Args:              cli.Between(1, 1<<20, "a run and its tags"),
		ValidArgsFunction: c.CompleteRuns(1),
		RunE: func(_ *cobra.Command, args []string) error {
			add := args[1:]
			for _, tag := range add {
				if err := run.CheckTag(tag); err != nil {
					return cli.Usagef("", "tag %s", err)
				}
			}
			if len(add)+len(remove) == 0 {
				return cli.Usagef(cli.Command("runs", "tag", args[0], "baseline"), "which tags?")
			}
			return label(c, args[0], func(path string) error {
				_, err := run.Tag(path, add, remove)
				return err
			})
		},
	}
	f := cli.FlagsIn(cmd.Flags(), "Output")
	f.Tags(&remove, "remove", "TAG", "remove this tag; several may be given")
	return cmd
}

func newNote(c *cli.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "note RUN TEXT",
		Short: "Set the note of a run",
		Long: "Set the note of a run, which runs show prints. An empty TEXT removes it. A run\n" +
			"in training is refused.",
		Example: "attnconv runs note k3f9 'same as p8d2, but with half of the data'",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 && args[0] != "" { // an empty text is one
				return nil
			}
			return cli.Between(2, 2, "a run and the text of its note")(cmd, args)
		},
		ValidArgsFunction: c.CompleteRuns(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := run.CheckNote(args[1]); err != nil {
				return cli.Usagef("", "note: %s", err)
			}
			return label(c, args[0], func(path string) error { return run.SetNote(path, args[1]) })
		},
	}
}

// label changes tags or note of the runs that a reference stands for, and prints the result.
func label(c *cli.Console, ref string, change func(path string) error) error {
	found, err := c.FindRuns([]string{ref}, runs.AnyRun, nil)
	if err != nil {
		return err
	}
	r := document.Labels{V: 1, Runs: []document.Label{}}
	lines := [][]string{{"id", "tags", "note"}}
	for _, f := range found {
		if err := change(f.Path); err != nil {
			return err
		}
		d, err := run.Open(f.Path, c.Runs)
		if err != nil {
			return err
		}
		s := d.Status()
		r.Runs = append(r.Runs, document.Label{ID: s.ID, Path: f.Path, Tags: append([]string{}, s.Tags...),
			Note: s.Note})
		note := strings.Join(strings.Fields(s.Note), " ") // whole: a list of runs abbreviates it
		lines = append(lines, []string{s.ID, cli.Dash(strings.Join(s.Tags, " ")), cli.Dash(note)})
	}
	return c.Show(r, func(c *cli.Console) error { return c.Table(lines) })
}
