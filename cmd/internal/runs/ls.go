package runs

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/listing"
	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/run"
)

// listOptions holds the flags and arguments of `attnconv runs ls`.
type listOptions struct {
	refs.Selection
	Columns []string // nil: the usual ones
	Format  string
}

func newLs(c *term.Console) *cobra.Command {
	var o listOptions
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
		Args: refs.Arguments(0),
		RunE: func(*cobra.Command, []string) error {
			if err := o.Parse(); err != nil {
				return err
			}
			if err := listing.CheckColumns("--columns", o.Columns); err != nil {
				return err
			}
			list, err := listing.List(c.Runs, o.Query)
			if err != nil {
				return err
			}
			return c.Show(listing.NewListReport(list), func(c *term.Console) error { return o.print(c, list) })
		},
	}
	f := term.FlagsIn(cmd.Flags(), "Output")
	term.Choice(f, &o.Sort, "sort", "when", "KEY", "order of the list", listing.Orders)
	o.Flags(f, "only runs")
	f.Number(&o.Last, "last", "N", "only the first N lines of the list", 1)
	f.List(&o.Columns, "columns",
		"columns; any setting, such as lr, or: "+strings.Join(listing.Columns.Names(), ", "), nil)
	f.Format(&o.Format, "of the list")
	return cmd
}

// print prints the list in one of table.Formats. As text, it has no settings that all runs share, and on a narrow
// terminal no usual columns that hold one value only, nor, if need be, those that say least about how runs differ.
func (o listOptions) print(c *term.Console, list []listing.ListRow) error {
	if len(list) == 0 && o.Format == "text" {
		return o.none(c)
	}
	columns := o.Columns
	if columns == nil {
		columns = listing.UsualColumns(list)
	}
	if o.Format != "text" {
		return c.WriteText(c.Formatted(listing.Table(list, columns), o.Format))
	}
	t := listing.Table(listing.DropShared(list), columns)
	lines := term.Lines(t)
	if o.Columns == nil {
		lines = c.Narrowed(lines, []string{"preset", "differs", "data", "state", "test acc"},
			[]string{"when", "preset", "data", "tags", "epochs", "state"})
	}
	if err := c.Table(lines); err != nil {
		return err
	}
	for _, note := range t.Notes {
		c.Note("%s", note)
	}
	return nil
}

// none says that no run is listed.
func (o listOptions) none(c *term.Console) error {
	all, err := run.List(c.Runs)
	if err != nil || len(all) == 0 {
		c.Note("no runs in %s\n  to train one: %s\n  trained ones to explore: %s", c.Runs,
			term.Command("train", "--encoding", "quadratic"), term.Command("runs", "examples"))
		return err
	}
	c.Note("none of %s in %s has %s", table.Count(len(all), "run"), c.Runs, o.Conditions())
	return nil
}
