package cmd

import (
	"slices"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/spf13/cobra"
)

// A diffRow is a setting in which runs differ. Values are in the order of the runs.
type diffRow struct {
	Key    string   `json:"key"`
	Values []string `json:"values"`
}

func newRunsDiff(c *cli.Console) *cobra.Command {
	return &cobra.Command{
		Use:               "diff RUN RUN...",
		Short:             "Show the settings in which runs differ",
		Example:           "attnconv runs diff k3f9 p8d2",
		Args:              cli.Between(2, 1<<20, "two runs or more"),
		ValidArgsFunction: c.CompleteRuns(1 << 20),
		RunE: func(_ *cobra.Command, args []string) error {
			head, rows, err := diffRuns(c, args)
			if err != nil {
				return err
			}
			if c.JSON {
				return c.Result(struct {
					V        int       `json:"v"`
					Runs     []string  `json:"runs"`
					Settings []diffRow `json:"settings"`
				}{1, head, rows})
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

// diffRuns returns the ids of runs, and the settings in which they differ.
func diffRuns(c *cli.Console, refs []string) (head []string, rows []diffRow, err error) {
	rows = []diffRow{}
	found, err := c.FindRuns(refs, cli.AnyRun, nil)
	if err != nil {
		return nil, nil, err
	}
	for i, f := range found {
		config, err := configs.OfEntry(f.Entry)
		if err != nil {
			return nil, nil, err
		}
		head = append(head, f.Status.ID)
		for j, v := range config.Values() {
			if i == 0 {
				rows = append(rows, diffRow{Key: v.Key})
			}
			rows[j].Values = append(rows[j].Values, v.Text)
		}
	}
	return head, slices.DeleteFunc(rows, func(r diffRow) bool {
		return !slices.ContainsFunc(r.Values, func(v string) bool { return v != r.Values[0] })
	}), nil
}
