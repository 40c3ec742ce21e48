package runs

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/choice"
	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/study"
)

// A column is a column in a list of runs.
type column struct {
	name string // in --columns and CSV
	head string
	cell func(study.Listed) table.Cell
}

// Entry implements choice.Choice.
func (c column) Entry() (name, help string) { return c.name, "" }

// columns lists the columns; columnOf makes a column of any setting, too.
var columns = choice.List[column]{
	{"id", "id", func(r study.Listed) table.Cell { return table.Words(r.ID) }},
	{"name", "name", func(r study.Listed) table.Cell { return table.Words(r.Name) }},
	{"when", "when", func(r study.Listed) table.Cell {
		return table.Cell{Text: cli.When(r.Started, time.Now()), Value: r.Started.UTC().Format(time.RFC3339)}
	}},
	{"state", "state", func(r study.Listed) table.Cell { return table.Words(r.State) }},
	{"model", "model", func(r study.Listed) table.Cell {
		return table.Cell{Text: model.ShortName(r.Model, r.Encoding), Value: r.Network()}
	}},
	{"data", "data", func(r study.Listed) table.Cell { // a folder of images without its path
		return table.Cell{Text: filepath.Base(r.Data), Value: r.Data}
	}},
	{"params", "params", func(r study.Listed) table.Cell { return table.Cell{Text: cli.Thousands(r.Params), Value: r.Params} }},
	{"epochs", "epochs", func(r study.Listed) table.Cell {
		return table.Cell{Text: fmt.Sprintf("%d/%d", r.Epoch, r.Epochs), Value: r.Epoch}
	}},
	{"steps", "steps", func(r study.Listed) table.Cell {
		return table.Cell{Text: fmt.Sprintf("%d/%d", r.Step, r.Steps), Value: r.Step}
	}},
	{"best_epoch", "best epoch", func(r study.Listed) table.Cell { return table.Cell{Text: fmt.Sprint(r.Best), Value: r.Best} }},
	{"val_acc", "val acc", func(r study.Listed) table.Cell {
		return table.Cell{Text: cli.Percent(r.ValAcc), Value: maybe(r.ValAcc)}
	}},
	{"test_acc", "test acc", func(r study.Listed) table.Cell {
		return table.Cell{Text: cli.Percent(r.TestAcc), Value: maybe(r.TestAcc)}
	}},
	{"time", "time", func(r study.Listed) table.Cell { return table.Cell{Text: cli.Period(r.WallS), Value: maybe(r.WallS)} }},
	{"tags", "tags", func(r study.Listed) table.Cell {
		return table.Cell{Text: cli.Dash(strings.Join(r.Tags, " ")), Value: strings.Join(r.Tags, " ")}
	}},
	{"note", "note", func(r study.Listed) table.Cell { return table.Cell{Text: cli.Dash(shortNote(r.Note)), Value: r.Note} }},
	{"preset", "preset", func(r study.Listed) table.Cell { return table.Cell{Text: cli.Dash(r.Preset), Value: r.Preset} }},
	{"differs", "differs", func(r study.Listed) table.Cell {
		return table.Cell{Text: cli.Dash(differences(r)), Value: differences(r)}
	}},
}

// usualColumns lists the default columns, the most important first, since a narrow terminal cuts lines at the right.
var usualColumns = []string{"id", "val_acc", "test_acc", "state", "model", "data", "epochs", "when", "preset", "differs"}

// maybe returns the value of a cell, nil if x is nil.
func maybe(x *float64) any {
	if x == nil {
		return nil
	}
	return *x
}

// columnOf returns the column called name: one of columns, or a setting by its key or flag.
func columnOf(name string) (column, error) {
	if c := columns.Find(name); c != nil {
		return *c, nil
	}
	key, hint := settingKey(name, columns.Names())
	if key == "" {
		return column{}, cli.Usagef(hint, "--columns %q: not one of %s, or a setting such as lr", name,
			strings.Join(columns.Names(), ", "))
	}
	return column{key, configs.ShortKey(key), func(r study.Listed) table.Cell {
		if r.Config == nil {
			return table.Cell{Text: "-"}
		}
		return table.Words(r.Config.Texts()[key])
	}}, nil
}

// settingKey returns the key of the setting called name, by its key or flag, or "" with a suggestion, which may also be
// one of others.
func settingKey(name string, others []string) (key, hint string) {
	name = strings.TrimPrefix(name, "--")
	known := append(slices.Clone(others), configs.Keys()...)
	for _, s := range configs.Settings() {
		if s.Flag == name {
			return s.Key, ""
		}
		known = append(known, s.Flag)
	}
	if slices.Contains(configs.Keys(), name) {
		return name, ""
	}
	near := configs.Synonym(name)
	if near == "" {
		near = invalid.Nearest(name, known)
	}
	if near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return "", hint
}

// shortNote abbreviates a note for a list.
func shortNote(text string) string {
	const most = 40
	line, _, more := strings.Cut(text, "\n")
	if line = cli.Cut(line, most); more && !strings.HasSuffix(line, "…") {
		line += " …"
	}
	return line
}

func columnsOf(names []string) (list []column, err error) {
	for _, name := range names {
		c, err := columnOf(name)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// print prints the list in one of table.Formats. Usual columns that hold one value only are left out on a narrow
// terminal.
func (o listOptions) print(c *cli.Console, rows []study.Listed, shown []column) error {
	if len(rows) == 0 && o.Format == "text" {
		c.Note("no runs in %s", c.Runs)
		return nil
	}
	t, lines := &table.Table{}, [][]string{nil}
	for _, col := range shown {
		t.Columns = append(t.Columns, table.Column{Head: col.head, Key: col.name})
		lines[0] = append(lines[0], col.head)
	}
	for _, r := range rows {
		var cells []table.Cell
		var line []string
		for _, col := range shown {
			cell := table.Cell{Text: "-"}
			switch {
			case r.Error == "":
				cell = col.cell(r)
			case col.name == "id" || col.name == "name": // all that is known of an unreadable run
				cell = table.Words(r.Name)
			case col.name == "state":
				cell = table.Words(r.State)
			}
			cells, line = append(cells, cell), append(line, cell.Text)
		}
		t.Add(cells...)
		lines = append(lines, line)
	}
	switch {
	case o.Format != "text":
		_, err := io.WriteString(c.Out, table.Named(o.Format).Text(t))
		return err
	case o.Columns == nil:
		lines = c.Narrowed(lines, "preset", "differs", "model", "test acc")
	}
	return c.Table(lines)
}
