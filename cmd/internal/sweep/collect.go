package sweep

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/sweep"
)

func newCollect(c *cli.Console) *cobra.Command {
	var out, format string
	var force bool
	cmd := &cobra.Command{
		Use:   "collect [SWEEP] [flags]",
		Short: "Summarise a sweep: mean and deviation over seeds, best first",
		Long: "Summarise a sweep, by default the latest: a line for each combination of\n" +
			"settings, with mean and standard deviation over seeds, the best held-out\n" +
			"accuracy first. Once all runs are finished, the test accuracy is shown for the\n" +
			"best combination of each model only. -o writes a line for each run as CSV.",
		Example:           "attnconv sweep collect\nattnconv sweep collect sweeps/mine -o mine.csv",
		Args:              cli.Arguments(1),
		ValidArgsFunction: complete,
		RunE: func(_ *cobra.Command, args []string) error {
			format, err := table.Canonical("--format", format)
			if err != nil {
				return err
			}
			p, err := open(c, args)
			if err != nil {
				return err
			}
			s, err := sweep.Collect(p)
			if err != nil {
				return err
			}
			if out != "" {
				text, err := s.CSV()
				if err != nil {
					return err
				}
				if err := c.WriteNew(out, text, force); err != nil || out == "-" {
					return err
				}
			}
			return showCollection(c, s, format, out)
		},
	}
	f := cli.FlagsIn(cmd.Flags(), "Output")
	f.StringVarP(&out, "output", "o", "", "write one line for each run, as CSV; - is standard output")
	f.Describe("output", "FILE", nil)
	f.Text(&format, "format", "text", "NAME", "of the table on standard output", table.Formats.Completions())
	f.Boolean(&force, "force", "", "overwrite FILE")
	return cmd
}

// showCollection prints a collection; wrote is the CSV file of its runs, or "".
func showCollection(c *cli.Console, s *sweep.Collection, format, wrote string) error {
	if c.JSON {
		return c.Result(s.Document())
	}
	t := s.Table()
	text := t.Text(c.OutWidth())
	if format != "text" {
		text = table.Named(format).Text(t)
	}
	if _, err := io.WriteString(c.Out, text); err != nil {
		return err
	}
	if s.OnTest {
		c.Note("nothing is chosen: with protocol paper, the validation accuracy is that of the test set")
	}
	if left := s.Left(); left > 0 {
		c.Note("%d of %d runs are not finished: %s", left, len(s.Plan.Trials), cli.Command("sweep", "run", s.Plan.Path))
	}
	if wrote != "" {
		c.Wrote(wrote)
	}
	return nil
}
