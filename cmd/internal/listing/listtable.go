package listing

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/study"
)

// A ListColumn is a column of a list of runs.
type ListColumn struct {
	Name string // for programs: val_acc
	cell func(ListRow) table.Cell
}

// Entry implements option.Named.
func (c ListColumn) Entry() (name, help string) { return c.Name, "" }

// Columns lists the columns of a list of runs. Any setting is also a column, by its key or its flag.
var Columns = option.List[ListColumn]{
	{"id", func(l ListRow) table.Cell { return table.Words(l.ID) }},
	{"name", func(l ListRow) table.Cell { return table.Words(l.Name) }},
	{"label", func(l ListRow) table.Cell { return orDash(l.Label) }},
	{"when", func(l ListRow) table.Cell {
		return table.Cell{Text: table.When(l.Started, time.Now()), Value: l.Started.UTC().Format(time.RFC3339)}
	}},
	{"state", func(l ListRow) table.Cell { return table.Words(l.State) }},
	{"model", func(l ListRow) table.Cell {
		return table.Cell{Text: model.ShortName(l.Model, l.Encoding), Value: l.Network()}
	}},
	{"data", func(l ListRow) table.Cell { // a folder of images without its path
		return table.Cell{Text: filepath.Base(l.Data), Value: l.Data}
	}},
	{"params", func(l ListRow) table.Cell { return table.Cell{Text: table.Thousands(l.Params), Value: l.Params} }},
	{"epochs", func(l ListRow) table.Cell {
		return table.Cell{Text: fmt.Sprintf("%d/%d", l.Epoch, l.Epochs), Value: l.Epoch}
	}},
	{"steps", func(l ListRow) table.Cell {
		return table.Cell{Text: fmt.Sprintf("%d/%d", l.Step, l.Steps), Value: l.Step}
	}},
	{"best_epoch", func(l ListRow) table.Cell { return table.Cell{Text: fmt.Sprint(l.Best), Value: l.Best} }},
	{"val_acc", func(l ListRow) table.Cell { return accuracyCell(l.ValAcc, l.Val) }},
	{"test_acc", func(l ListRow) table.Cell { return accuracyCell(l.TestAcc, l.Test) }},
	{"time", func(l ListRow) table.Cell { return formatKnown(l.WallS, table.Period) }},
	{"tags", func(l ListRow) table.Cell { return orDash(strings.Join(l.Tags, " ")) }},
	{"note", func(l ListRow) table.Cell {
		return table.Cell{Text: cmp.Or(firstLine(l.Note), "-"), Value: l.Note}
	}},
	{"preset", func(l ListRow) table.Cell { return orDash(l.Preset) }},
	{"differs", func(l ListRow) table.Cell { return orDash(l.Differences()) }},
}

// formatKnown formats a value, which may be unknown.
func formatKnown(x null.Float, text func(null.Float) string) table.Cell {
	return table.Cell{Text: text(x), Value: float64(x)}
}

// accuracyCell formats an accuracy, which may be unknown, with the mark of its part.
func accuracyCell(acc null.Float, of study.Part) table.Cell {
	cell := formatKnown(acc, table.Percent)
	if acc.Known() {
		cell.Text = of.Mark() + cell.Text
	}
	return cell
}

func orDash(s string) table.Cell { return table.Cell{Text: cmp.Or(s, "-"), Value: s} }

// firstLine abbreviates a note for a list.
func firstLine(text string) string {
	const most = 40
	line, _, more := strings.Cut(text, "\n")
	if line = table.Cut(line, most); more && !strings.HasSuffix(line, "…") {
		line += " …"
	}
	return line
}

// Differences formats the settings that differ from the preset: "lr 0.05, dim 96".
func (l ListRow) Differences() string {
	var words []string
	for _, v := range l.Differing {
		words = append(words, configs.ShortKey(v.Key)+" "+v.Text)
	}
	return strings.Join(words, ", ")
}

// UsualColumns lists the columns of a list by default. Labels and tags are among them if a run has some.
func UsualColumns(list []ListRow) []string {
	names := []string{"id", "val_acc", "test_acc", "state", "model", "data", "epochs", "when", "preset", "differs"}
	if slices.ContainsFunc(list, func(l ListRow) bool { return len(l.Tags) > 0 }) {
		names = slices.Insert(names, slices.Index(names, "when"), "tags")
	}
	if slices.ContainsFunc(list, func(l ListRow) bool { return l.Label != "" }) {
		names = slices.Insert(names, 1, "label")
	}
	return names
}

// CheckColumns returns an *option.Error for key if one of the names is neither of Columns nor a setting.
func CheckColumns(key string, names []string) error {
	for _, name := range names {
		if Columns.Has(name) {
			continue
		}
		if known, near := KeyOf(name, Columns.Names()...); known == "" {
			if near != "" {
				near = fmt.Sprintf("\n  did you mean %q?", near)
			}
			return option.Errorf(key, "%q: not one of %s, or a setting such as lr%s", name,
				strings.Join(Columns.Names(), ", "), near)
		}
	}
	return nil
}

// Table returns a list of runs as a table with these columns, for which CheckColumns has no error. An
// unreadable run has its name and state only.
func Table(list []ListRow, columns []string) *table.Table {
	t := &table.Table{}
	var cells []func(ListRow) table.Cell
	for _, name := range columns {
		if c := Columns.Find(name); c != nil {
			t.Columns = append(t.Columns, table.Column{Head: strings.ReplaceAll(name, "_", " "), Key: name})
			cells = append(cells, c.cell)
			continue
		}
		key, _ := KeyOf(name)
		t.Columns = append(t.Columns, table.Column{Head: configs.ShortKey(key), Key: key})
		cells = append(cells, func(l ListRow) table.Cell {
			if l.Config == nil {
				return table.Cell{Text: "-"}
			}
			return table.Words(l.Config.Texts()[key])
		})
	}
	for _, l := range list {
		row := make([]table.Cell, len(cells))
		for i, cell := range cells {
			row[i] = table.Cell{Text: "-"}
			switch name := t.Columns[i].Key; {
			case l.Error == "":
				row[i] = cell(l)
			case name == "id" || name == "name":
				row[i] = table.Words(l.Name)
			case name == "state":
				row[i] = table.Words(l.State)
			}
		}
		t.Add(row...)
	}
	t.Notes = listNotes(list, columns)
	return t
}

// listNotes explains the marks of the accuracies in a list.
func listNotes(list []ListRow, columns []string) (notes []string) {
	var val, test []study.Part
	for _, l := range list {
		if l.ValAcc.Known() && slices.Contains(columns, "val_acc") {
			val = append(val, l.Val)
		}
		if l.TestAcc.Known() && slices.Contains(columns, "test_acc") {
			test = append(test, l.Test)
		}
	}
	return append(study.PartNotes("val", val...), study.PartNotes("test", test...)...)
}
