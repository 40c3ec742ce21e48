package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/study/stats"
)

// A column of the table. Several may have one word: a mean and its deviation.
type column = table.Field[Row]

// A Table has a Title, Columns, Rows of cells, which Add appends, and Notes below. Its methods Text, Markdown, CSV and
// LaTeX write it.
type Table = table.Table

// Columns lists the names of columns for Table: the model, its questions, and the others in the order of the table. acc
// is the metric, whatever its name.
var Columns = func() (names option.List[option.Word]) {
	c := &Comparison{Baseline: new(string), options: Options{Paper: true, Levels: []float64{1}}}
	columns := c.columns(LayerColumns)
	place := func(of column) int {
		switch {
		case of.Name:
			return 0
		case of.Group == "question":
			return 1
		}
		return 2
	}
	slices.SortStableFunc(columns, func(a, b column) int { return cmp.Compare(place(a), place(b)) })
	for _, col := range columns {
		if !names.Has(col.Word) {
			names = append(names, option.Word(col.Word))
		}
	}
	return names
}()

// ColumnNames returns the names of columns of a list, where a metric stands for acc; all is every column but
// LayerColumns. The error is an *option.Error for key.
func ColumnNames(key string, list []string) (names []string, err error) {
	if slices.Equal(list, []string{"all"}) {
		return list, nil
	}
	for _, name := range list {
		if Metrics.Has(name) {
			name = "acc"
		}
		if !Columns.Has(name) {
			return nil, option.Choice(key, name, append(Columns.Names(), "all"))
		}
		names = append(names, name)
	}
	return names, nil
}

// Table returns the comparison as a table with the named columns, in that order. nil is all of them except for
// LayerColumns. The column model is always there.
func (c *Comparison) Table(names []string) *Table {
	columns := pickColumns(c.columns(names), names)
	has := func(name string) bool {
		return slices.ContainsFunc(columns, func(col column) bool { return col.Word == name })
	}
	return table.Fill(&Table{Title: c.title(), Notes: c.notes(has)}, columns, c.Rows)
}

// columns returns all columns, those of layers only if some of them are named. A new column is a line of one of these
// functions.
func (c *Comparison) columns(names []string) []column {
	columns := slices.Concat(c.accuracy(), cost(), c.speed())
	if c.options.Paper {
		columns = append(columns, paper()...)
	}
	if NeedLayers(names) {
		columns = append(columns, layers()...)
	}
	return append(columns, table.For(table.Column{Key: "runs", Word: "runs"}, func(r Row) table.Cell {
		return table.Words(strings.Join(r.Group.IDs(), " "))
	}), c.question("data", "data.name"), c.question("epochs", "train.epochs"))
}

// page returns the columns of a printed page's width, with data and epochs if the models differ in them.
func (c *Comparison) page() []string {
	names := []string{"model"}
	for _, of := range []struct{ key, name string }{{"data.name", "data"}, {"train.epochs", "epochs"}} {
		if c.shared(of.key, "") == "" {
			names = append(names, of.name)
		}
	}
	names = append(names, "n", "acc")
	if c.Baseline == nil {
		return append(names, "interval", "params")
	}
	return append(names, "diff", "params")
}

// onRequest are columns that a table for people has only if they are named.
var onRequest = []string{"data", "epochs", "runs"}

// pickColumns returns the columns with these names, in the order of the names, model first.
func pickColumns(columns []column, names []string) (all []column) {
	if names == nil {
		return columns
	}
	others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "model" })
	for _, name := range append([]string{"model"}, others...) {
		for _, col := range columns {
			if col.Word == name {
				if col.Head == "" && slices.Contains(onRequest, name) {
					col.Head = name
				}
				all = append(all, col)
			}
		}
	}
	return all
}

// shownColumn returns a column for people, plain one for programs.
func shownColumn(group, word, head, key string, cell func(r Row) table.Cell) column {
	return table.For(table.Column{Head: head, Key: key, Right: true, Group: group, Word: word}, cell)
}

func plainColumn(word, key string, value func(r Row) float64) column {
	return table.For(table.Column{Key: key, Word: word}, func(r Row) table.Cell { return table.Cell{Value: value(r)} })
}

// question returns the column of a setting. If all rows share its value, the title has it, and the column no head.
func (c *Comparison) question(name, setting string) column {
	head := name
	if c.shared(setting, "") != "" {
		head = "" // for programs only, unless named
	}
	of := table.Column{Head: head, Key: name, Right: name == "epochs", Group: "question", Word: name}
	return table.For(of, func(r Row) table.Cell { return table.Words(r.Runs[0].Value(setting)) })
}

func (c *Comparison) accuracy() []column {
	key := strings.TrimSuffix(c.Metric, "_acc")
	columns := []column{
		table.For(table.Column{Head: "model", Key: "model", Name: true, Word: "model"}, func(r Row) table.Cell {
			if r.baseline {
				return table.Cell{Text: r.Name + " (baseline)", Value: r.Name}
			}
			return table.Words(r.Name)
		}),
		shownColumn("accuracy", "n", "n", "n", func(r Row) table.Cell {
			return table.Cell{Text: fmt.Sprint(r.N), Value: r.N}
		}),
		shownColumn("accuracy", "acc", c.options.Metric.Head, "",
			func(r Row) table.Cell {
				return table.Cell{Text: c.options.Metric.partOf(r.Group).Mark() + meanText(r)}
			}),
		plainColumn("acc", key+"_mean", func(r Row) float64 { return float64(r.Mean) }),
		plainColumn("acc", key+"_std", func(r Row) float64 { return float64(r.Std) }),
		shownColumn("accuracy", "interval", "95 % interval", "", func(r Row) table.Cell {
			return table.Cell{Text: inPercent(r.CI, "%.2f") + mark(r.CICovers)}
		}),
		plainColumn("interval", key+"_lo", func(r Row) float64 { return r.CI.Lo }),
		plainColumn("interval", key+"_hi", func(r Row) float64 { return r.CI.Hi }),
	}
	if c.Baseline == nil {
		return columns
	}
	return append(columns,
		shownColumn("difference", "diff", "vs baseline", "", func(r Row) table.Cell {
			return table.Cell{Text: diffText(r)}
		}),
		plainColumn("diff", "diff", func(r Row) float64 { return float64(r.Diff) }),
		plainColumn("diff", "diff_lo", func(r Row) float64 { return r.DiffCI.Lo }),
		plainColumn("diff", "diff_hi", func(r Row) float64 { return r.DiffCI.Hi }),
		shownColumn("difference", "p", "p", "p_holm", func(r Row) table.Cell {
			return table.Cell{Text: pText(float64(r.PHolm)), Value: float64(r.PHolm)}
		}))
}

func cost() []column {
	count := func(head, key string, of func(r Row) int) column {
		return shownColumn("cost", key, head, key, func(r Row) table.Cell {
			return table.Cell{Text: table.SI(float64(of(r)), ""), Value: of(r)}
		})
	}
	work := func(head, key string, of func(r Row) null.Float) column {
		return shownColumn("cost", key, head, key, func(r Row) table.Cell {
			return table.Float(of(r), func(v float64) string { return table.SI(v, "") })
		})
	}
	return []column{
		count("params", "params", func(r Row) int { return r.Params }),
		count("in attention", "params_attention", func(r Row) int { return r.ParamsAttention }),
		count("MAC/img", "macs", func(r Row) int { return r.MACs }),
		count("computed", "macs_run", func(r Row) int { return r.MACsRun }),
		work("FLOP/run", "flop", func(r Row) null.Float { return r.FLOP }),
		work("computed", "flop_run", func(r Row) null.Float { return r.FLOPRun }),
	}
}

func (c *Comparison) speed() []column {
	columns := []column{
		shownColumn("speed", "img_s", "img/s", "img_s", func(r Row) table.Cell {
			return table.Cell{Text: table.SI(float64(r.ImgS), ""), Value: float64(r.ImgS)}
		}),
		shownColumn("speed", "wall_s", "time/run", "wall_s", func(r Row) table.Cell {
			return table.Cell{Text: period(float64(r.WallS)), Value: float64(r.WallS)}
		}),
		shownColumn("speed", "train_s", c.ifMeasured("steps/run"), "train_s", func(r Row) table.Cell {
			return table.Float(r.TrainS, period)
		}),
	}
	for i, l := range c.options.Levels {
		percent := fmt.Sprintf("%.4g", 100*l)
		columns = append(columns,
			shownColumn("reach"+percent, "reach",
				"epochs to "+percent+" %", "epochs_to_"+percent, func(r Row) table.Cell {
					return r.reachCell(i, float64(r.Reach[i].Epochs), fmt.Sprintf("%.3g", r.Reach[i].Epochs))
				}),
			shownColumn("reach"+percent, "reach",
				"time to "+percent+" %", "seconds_to_"+percent, func(r Row) table.Cell {
					return r.reachCell(i, float64(r.Reach[i].Seconds), period(float64(r.Reach[i].Seconds)))
				}))
	}
	return columns
}

// ifMeasured is the head of a column of times of steps, "" if none was measured.
func (c *Comparison) ifMeasured(head string) string {
	if slices.ContainsFunc(c.Rows, func(r Row) bool { return r.StepS.Known() }) {
		return head
	}
	return ""
}

// reachCell returns a cell for a level that only some of the runs may have reached.
func (r Row) reachCell(i int, value float64, text string) table.Cell {
	switch n := r.Reach[i].Runs; {
	case n == 0:
		return table.Cell{Text: "never"}
	case n < r.N:
		text += fmt.Sprintf(" (%d of %d)", n, r.N)
	}
	return table.Cell{Text: text, Value: value}
}

func paper() []column {
	of := func(head, key string, value func(p *PaperResult) (string, float64)) column {
		return shownColumn("paper", "paper", head, key, func(r Row) table.Cell {
			if r.Paper != nil {
				if text, v := value(r.Paper); !math.IsNaN(v) {
					return table.Cell{Text: text, Value: v}
				}
			}
			return table.Cell{Text: "–"}
		})
	}
	return []column{
		shownColumn("paper", "paper", "FLOP, paper's count", "flop_paper_count", func(r Row) table.Cell {
			return table.Cell{Text: table.SI(2*float64(r.MACsPaper), ""), Value: 2 * r.MACsPaper}
		}),
		of("paper acc %", "paper_acc", func(p *PaperResult) (string, float64) {
			return fmt.Sprintf("%.1f", 100*p.Acc), float64(p.Acc)
		}),
		of("paper params", "paper_params", func(p *PaperResult) (string, float64) {
			return table.SI(p.Params, ""), p.Params
		}),
		of("paper FLOP", "paper_flop", func(p *PaperResult) (string, float64) { return table.SI(p.FLOP, ""), p.FLOP }),
	}
}

func meanText(r Row) string {
	if r.N < 2 {
		return fmt.Sprintf("%.2f", 100*r.Mean)
	}
	return fmt.Sprintf("%.2f ± %.2f", 100*r.Mean, 100*r.Std)
}

func diffText(r Row) string {
	switch {
	case r.baseline:
		return "–"
	case !r.DiffCI.Known():
		return fmt.Sprintf("%+.2f", 100*r.Diff)
	}
	return fmt.Sprintf("%+.2f %s%s", 100*r.Diff, inPercent(r.DiffCI, "%+.2f"), mark(r.DiffCovers))
}

// mark returns the mark of an interval that does not account for seeds.
func mark(covers []string) string {
	if slices.Equal(covers, []string{"images"}) {
		return "*"
	}
	return ""
}

// pText formats a p-value.
func pText(p float64) string {
	switch {
	case math.IsNaN(p):
		return "–"
	case p < 0.001:
		return "<0.001"
	}
	return fmt.Sprintf("%.2g", p)
}

// inPercent formats an interval of accuracies; none is a dash.
func inPercent(i stats.Interval, format string) string {
	if math.IsNaN(i.Lo) {
		return "–"
	}
	return fmt.Sprintf("["+format+", "+format+"]", 100*i.Lo, 100*i.Hi)
}

func period(s float64) string {
	if math.IsNaN(s) {
		return "–"
	}
	return table.Seconds(s)
}

func (c *Comparison) groups() []Group {
	var all []Group
	for _, r := range c.Rows {
		all = append(all, r.Group)
	}
	return all
}
