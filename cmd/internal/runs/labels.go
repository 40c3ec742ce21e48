package runs

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/run"
)

func newTag(c *term.Console) *cobra.Command {
	var remove []string
	var chosen refs.Selection
	cmd := &cobra.Command{
		Use:   "tag [RUN] [TAG...] [flags]",
		Short: "Add tags to runs, or remove them",
		Long: "Add tags to a run, for runs ls --tag, or remove them. RUN may be a pattern of\n" +
			"names; --where, --tag and --state choose runs instead. Runs trained by compare\n" +
			"have the tag compare. A run in training is refused, or left out if it was\n" +
			"chosen by a flag.",
		Example: "attnconv runs tag k3f9 baseline wide\nattnconv runs tag 'sweeps/mine/trials/*' " +
			"lr\nattnconv runs tag k3f9 --remove wide\nattnconv runs tag --where lr=0.1 --state done fast",
		ValidArgsFunction: refs.CompleteRuns(c, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, add, err := splitRun(cmd, args, &chosen, "a run and its tags")
			if err != nil {
				return err
			}
			for _, tag := range add {
				if err := run.CheckTag(tag); err != nil {
					return term.Usagef("", "tag %s", err)
				}
			}
			if len(add)+len(remove) == 0 {
				return term.Usagef(term.Command(append([]string{"runs", "tag"}, append(names, "baseline")...)...),
					"which tags?")
			}
			return label(c, names, &chosen, func(path string) error {
				_, err := run.Tag(path, add, remove)
				return err
			})
		},
	}
	chosen.Flags(term.FlagsIn(cmd.Flags(), "Runs"), "the runs")
	f := term.FlagsIn(cmd.Flags(), "Output")
	refs.TagsFlag(f, &remove, "remove", "TAG", "remove this tag; several may be given")
	return cmd
}

// splitRun splits arguments into the run and the rest, all of which is the rest if flags choose the runs.
func splitRun(cmd *cobra.Command, args []string, chosen *refs.Selection, what string) (names, rest []string,
	err error) {
	if chosen.Given() {
		return nil, args, refs.Arguments(1<<20)(cmd, args)
	}
	if err := refs.Between(1, 1<<20, what)(cmd, args); err != nil {
		return nil, nil, err
	}
	return args[:1], args[1:], nil
}

func newNote(c *term.Console) *cobra.Command {
	var chosen refs.Selection
	cmd := &cobra.Command{
		Use:   "note [RUN] TEXT [flags]",
		Short: "Set the note of a run",
		Long: "Set the note of a run, which runs show prints. An empty TEXT removes it.\n" +
			"--where, --tag and --state choose runs instead of RUN. A run in training is\n" +
			"refused, or left out if it was chosen by a flag.",
		Example: "attnconv runs note k3f9 'same as p8d2, but with half of the data'\n" +
			"attnconv runs note --tag wide 'too slow'",
		ValidArgsFunction: refs.CompleteRuns(c, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, what := 2, "a run and the text of its note"
			if chosen.Given() {
				n, what = 1, "the text of a note"
			}
			if len(args) != n || n == 2 && args[0] == "" { // an empty text is one
				return refs.Between(n, n, what)(cmd, args)
			}
			text := args[n-1]
			if err := run.CheckNote(text); err != nil {
				return term.Usagef("", "note: %s", err)
			}
			return label(c, args[:n-1], &chosen, func(path string) error { return run.SetNote(path, text) })
		},
	}
	chosen.Flags(term.FlagsIn(cmd.Flags(), "Runs"), "the runs")
	return cmd
}

func newRename(c *term.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "rename RUN WORDS",
		Short: "Give a run another name",
		Long: "Give a run another name: the middle part of its folder's name, which runs ls\n" +
			"lists, as train --name does. Time and id stay. A run in training is refused, and\n" +
			"so is one in a folder that --out named.",
		Example:           "attnconv runs rename k3f9 'half the data'",
		Args:              refs.Between(2, 2, "a run and its new name"),
		ValidArgsFunction: refs.CompleteRuns(c, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := refs.AnyRun.Lookup(c.Runs).Find(args[0])
			if err != nil {
				return err
			}
			path, err := run.Rename(f.Path, c.Runs, args[1])
			if err != nil {
				return err
			}
			one, err := labelsOf(c, path)
			if err != nil {
				return err
			}
			return c.Show(Labels{V: 1, Runs: []Label{one}}, func(c *term.Console) error {
				return c.Table([][]string{{one.ID, one.Path}})
			})
		},
	}
}

// label changes tags or note of the runs that names stand for or, without any, of those that flags have chosen. It
// prints the result.
func label(c *term.Console, names []string, chosen *refs.Selection, change func(path string) error) error {
	paths, err := labelPaths(c, names, chosen)
	if err != nil {
		return err
	}
	r := Labels{V: 1, Runs: []Label{}}
	lines := [][]string{{"id", "tags", "note"}}
	for _, path := range paths {
		if err := change(path); err != nil {
			return err
		}
		l, err := labelsOf(c, path)
		if err != nil {
			return err
		}
		r.Runs = append(r.Runs, l)
		note := strings.Join(strings.Fields(l.Note), " ") // whole: a list of runs abbreviates it
		lines = append(lines, []string{l.ID, term.Dash(strings.Join(l.Tags, " ")), term.Dash(note)})
	}
	return c.Show(r, func(c *term.Console) error { return c.Table(lines) })
}

// labelsOf reads the labels of the run in the folder path.
func labelsOf(c *term.Console, path string) (Label, error) {
	d, err := run.Open(path, c.Runs)
	if err != nil {
		return Label{}, err
	}
	s := d.Status()
	return Label{ID: s.ID, Path: path, Tags: append([]string{}, s.Tags...), Note: s.Note}, nil
}

// labelPaths lists the runs to label.
func labelPaths(c *term.Console, names []string, chosen *refs.Selection) (paths []string, err error) {
	if len(names) == 0 {
		return chosen.SelectIdle(c)
	}
	found, err := refs.FindRuns(c, names, refs.AnyRun, nil)
	for _, f := range found {
		paths = append(paths, f.Path)
	}
	return paths, err
}
