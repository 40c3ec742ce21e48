package runs

import (
	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study"
	"github.com/spf13/cobra"
)

func newDiff(c *cli.Console) *cobra.Command {
	return &cobra.Command{
		Use:               "diff RUN RUN...",
		Short:             "Show the settings in which runs differ",
		Example:           "attnconv runs diff k3f9 p8d2",
		Args:              cli.Between(2, 1<<20, "two runs or more"),
		ValidArgsFunction: c.CompleteRuns(1 << 20),
		RunE: func(_ *cobra.Command, args []string) error {
			found, err := c.FindRuns(args, study.AnyRun, nil)
			if err != nil {
				return err
			}
			var entries []run.Entry
			for _, f := range found {
				entries = append(entries, f.Entry)
			}
			head, rows, err := study.Diff(entries)
			if err != nil {
				return err
			}
			if c.JSON {
				return c.Result(report.RunsDiff{V: 1, Runs: head, Settings: rows})
			}
			if len(rows) == 0 {
				c.Note("the settings are the same")
				return nil
			}
			lines := [][]string{append([]string{"setting"}, head...)}
			for _, r := range rows {
				lines = append(lines, append([]string{r.Key}, r.Values...))
			}
			return c.Table(lines)
		},
	}
}
