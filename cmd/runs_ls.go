package cmd

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/choice"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/run"
)

// A runOrder is one way to sort a list of runs.
type runOrder struct {
	name    string
	compare func(a, b runRow) int
}

// Entry implements choice.Choice.
func (o runOrder) Entry() (name, help string) { return o.name, "" }

// runOrders lists the values of --sort. The newest, best or longest run comes first, one without a value last.
var runOrders = choice.List[runOrder]{
	{"when", func(a, b runRow) int { return b.Started.Compare(a.Started) }},
	{"val_acc", func(a, b runRow) int { return descending(a.ValAcc, b.ValAcc) }},
	{"test_acc", func(a, b runRow) int { return descending(a.TestAcc, b.TestAcc) }},
	{"time", func(a, b runRow) int { return descending(a.WallS, b.WallS) }},
	{"epoch", func(a, b runRow) int { return cmp.Compare(b.Epoch, a.Epoch) }},
	{"state", func(a, b runRow) int { return strings.Compare(a.State, b.State) }},
	{"model", func(a, b runRow) int { return strings.Compare(a.network(), b.network()) }},
	{"data", func(a, b runRow) int { return strings.Compare(a.Data, b.Data) }},
}

func descending(a, b *float64) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return cmp.Compare(*b, *a)
}

var runStates = choice.List[choice.Word]{run.Running, run.Stopped, run.Done, run.Failed, run.Diverged}

// listOptions holds the flags and arguments of `attnconv runs ls`.
type listOptions struct {
	Sort  string
	State string
	Last  int
	Tags  []string
	Where []condition

	Columns []string // nil: usualColumns
	Format  string
}

func newRunsLs(c *cli.Console) *cobra.Command {
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
			if err := runOrders.Check("--sort", o.Sort); err != nil {
				return err
			}
			if o.State != "" && !runStates.Has(o.State) {
				return runStates.Check("--state", o.State)
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
			if _, err := columns(o.Columns); err != nil {
				return err
			}
			rows, err := listRuns(c, o)
			if err != nil {
				return err
			}
			columns, err := columns(o.columnsFor(rows))
			if err != nil {
				return err
			}
			if c.JSON {
				return c.Result(struct {
					V    int      `json:"v"`
					Runs []runRow `json:"runs"`
				}{1, rows})
			}
			return o.print(c, rows, columns)
		},
	}
	f := cli.FlagsIn(cmd.Flags(), "Output")
	f.Text(&o.Sort, "sort", "when", "KEY", "order of the list", runOrders.Completions())
	f.Text(&o.State, "state", "", "STATE", "only runs in this state", runStates.Completions())
	f.Value(tags{&o.Tags}, "tag", "", "WORD", "only runs with this tag; may be repeated", nil)
	f.Texts(&where, "where", "", "KEY=VALUE", "only runs with this setting, such as model.encoding=learned; may be repeated")
	f.Number(&o.Last, "last", "N", "only the first N lines of the list", 1)
	f.List(&o.Columns, "columns",
		"columns; any setting, such as lr, or: "+strings.Join(runColumns.Names(), ", "), nil)
	f.Text(&o.Format, "format", "text", "NAME", "of the list", table.Formats.Completions())
	return cmd
}

// columnsFor returns the requested columns, or the usual ones, with tags if there are any.
func (o listOptions) columnsFor(rows []runRow) []string {
	tagged := slices.ContainsFunc(rows, func(r runRow) bool { return len(r.Tags) > 0 })
	switch {
	case o.Columns != nil:
		return o.Columns
	case tagged:
		return slices.Insert(slices.Clone(usualColumns), slices.Index(usualColumns, "when"), "tags")
	}
	return usualColumns
}

// skips reports whether run.json excludes a run from the list.
func (o listOptions) skips(e run.Entry) bool {
	return o.State != "" && e.State != o.State ||
		slices.ContainsFunc(o.Tags, func(tag string) bool { return !slices.Contains(e.Status.Tags, tag) })
}

func listRuns(c *cli.Console, o listOptions) ([]runRow, error) {
	list, err := run.List(c.Runs)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, o.skips)
	slices.Reverse(list)
	rows := slices.DeleteFunc(rowsOf(list), func(r runRow) bool {
		return slices.ContainsFunc(o.Where, func(w condition) bool { return !w.holds(r) })
	})
	slices.SortStableFunc(rows, runOrders.Find(o.Sort).compare)
	if o.Last > 0 && len(rows) > o.Last {
		rows = rows[:o.Last]
	}
	return rows, nil
}

// rowsOf reads the rows in parallel: parsing settings takes most of the time.
func rowsOf(list []run.Entry) []runRow {
	rows := make([]runRow, len(list))
	workers := runtime.GOMAXPROCS(0)
	var all sync.WaitGroup
	for worker := range workers {
		all.Go(func() {
			presets := map[string]configs.Run{}
			for i := worker; i < len(list); i += workers {
				rows[i] = newRunRow(list[i], presets)
			}
		})
	}
	all.Wait()
	return rows
}
