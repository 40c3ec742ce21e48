package runs

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/internal/choice"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study"
)

var states = choice.List[choice.Word]{run.Running, run.Stopped, run.Done, run.Failed, run.Diverged}

// listOptions holds the flags and arguments of `attnconv runs ls`.
type listOptions struct {
	study.Listing
	Columns []string // nil: usualColumns
	Format  string
}

func newLs(c *cli.Console) *cobra.Command {
	var o listOptions
	var where []string
	cmd := &cobra.Command{
		Use:   "ls [flags]",
		Short: "List the runs, the newest first",
		Long: "List the runs, newest first. A run whose process has ended, or has not written\n" +
			"its heartbeat for a minute, counts as stopped. The column differs has the\n" +
			"settings that differ from the preset.",
		Example: `attnconv runs ls
attnconv runs ls --sort val_acc --last 10
attnconv runs ls --columns id,lr,batch,val_acc,time --format csv
attnconv runs ls --tag baseline --where model.encoding=learned --where lr=0.05
attnconv runs ls --state stopped --json`,
		Args: cli.Arguments(0),
		RunE: func(*cobra.Command, []string) error {
			if err := study.Orders.Check("--sort", o.Sort); err != nil {
				return err
			}
			if o.State != "" && !states.Has(o.State) {
				return states.Check("--state", o.State)
			}
			var err error
			if o.Format, err = table.Canonical("--format", o.Format); err != nil {
				return err
			}
			for _, text := range where {
				w, err := conditionOf(text)
				if err != nil {
					return err
				}
				o.Where = append(o.Where, w)
			}
			if _, err := columnsOf(o.Columns); err != nil {
				return err
			}
			rows, err := study.List(c.Runs, o.Listing)
			if err != nil {
				return err
			}
			shown, err := columnsOf(o.columnsFor(rows))
			if err != nil {
				return err
			}
			if c.JSON {
				document := report.Runs{V: 1, Runs: []report.Run{}}
				for _, r := range rows {
					document.Runs = append(document.Runs, r.Run)
				}
				return c.Result(document)
			}
			return o.print(c, rows, shown)
		},
	}
	f := cli.FlagsIn(cmd.Flags(), "Output")
	f.Text(&o.Sort, "sort", "when", "KEY", "order of the list", study.Orders.Completions())
	f.Text(&o.State, "state", "", "STATE", "only runs in this state", states.Completions())
	f.Tags(&o.Tags, "tag", "WORD", "only runs with this tag; may be repeated")
	f.Texts(&where, "where", "", "KEY=VALUE", "only runs with this setting, such as model.encoding=learned; may be repeated")
	f.Number(&o.Last, "last", "N", "only the first N lines of the list", 1)
	f.List(&o.Columns, "columns",
		"columns; any setting, such as lr, or: "+strings.Join(columns.Names(), ", "), nil)
	f.Text(&o.Format, "format", "text", "NAME", "of the list", table.Formats.Completions())
	return cmd
}

// columnsFor returns the requested columns, or the usual ones, with tags if there are any.
func (o listOptions) columnsFor(rows []study.Listed) []string {
	tagged := slices.ContainsFunc(rows, func(r study.Listed) bool { return len(r.Tags) > 0 })
	switch {
	case o.Columns != nil:
		return o.Columns
	case tagged:
		return slices.Insert(slices.Clone(usualColumns), slices.Index(usualColumns, "when"), "tags")
	}
	return usualColumns
}
