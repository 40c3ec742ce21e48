package study

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/viz"
)

// TableFor returns the table for a format (text, markdown, csv or latex) with the named columns; ["all"] is every one.
// nil is every column for CSV, and the columns that fit a page for the other formats.
func (c *Comparison) TableFor(format string, columns []string) *Table {
	switch {
	case slices.Equal(columns, []string{"all"}), columns == nil && format == "csv":
		return c.Table(nil)
	case columns != nil:
		return c.Table(columns)
	}
	if columns = c.page(); format != "latex" && c.Baseline != nil {
		columns = append(columns, "p")
	}
	if format != "latex" {
		columns = append(columns, "wall_s")
	}
	if c.options.Paper {
		columns = append(columns, "paper")
	}
	return c.Table(columns)
}

// Curves is a panel of validation accuracy over epochs, as in the paper's comparison.
func (c *Comparison) Curves() viz.Panel {
	p := viz.Panel{Title: "validation accuracy", Percent: true}
	for _, r := range c.Rows {
		curve := viz.Curve{Name: r.Name}
		for _, one := range r.Runs {
			var points []viz.Point
			for _, at := range one.Curve {
				points = append(points, viz.Point{X: float64(at.Epoch), Y: at.ValAcc})
			}
			curve.Runs = append(curve.Runs, points)
		}
		p.Curves = append(p.Curves, curve)
	}
	return p
}

// captions names the runs, and their data and last epoch.
func (c *Comparison) captions() (names, rest string) {
	var ids, sets []string
	last := 0
	for _, row := range c.Rows {
		for _, r := range row.Runs {
			ids = append(ids, r.ID)
			sets = append(sets, r.Value("data.name"))
			last = max(last, r.Epochs)
		}
	}
	return CurveCaptions(ids, sets, last)
}

// Extensions lists the extensions of files that Encode knows.
func Extensions() []string {
	known := []string{".json"}
	for _, f := range table.Formats {
		known = append(known, f.Ext)
	}
	for _, f := range viz.Formats {
		known = append(known, "."+f)
	}
	return known
}

// A FigureKind is one way to draw a comparison.
type FigureKind struct {
	Name, Help string
	draw       func(c *Comparison) (*viz.Figure, error)
}

// Entry implements option.Named.
func (k FigureKind) Entry() (name, help string) { return k.Name, k.Help }

// FigureKinds lists the figures of a comparison; the first is the default.
var FigureKinds = option.List[FigureKind]{
	{"curves", "validation accuracy over epochs", (*Comparison).drawCurves},
	{"differences", "differences from the baseline with their intervals; without a baseline, the models' values",
		(*Comparison).drawDifferences},
}

func (c *Comparison) drawCurves() (*viz.Figure, error) {
	return viz.Curves([]viz.Panel{c.Curves()}, viz.CurvesOptions{Width: 14})
}

// drawDifferences draws a forest plot. p-values are corrected for the number of comparisons.
func (c *Comparison) drawDifferences() (*viz.Figure, error) {
	metric := Metrics.Find(c.Metric).Help
	o := viz.ForestOptions{What: metric + ", in per cent", Percent: true}
	if c.Baseline != nil && len(c.Rows) > 1 {
		o.What, o.From = "difference of the "+metric+", in percentage points", *c.Baseline
	}
	var rows []viz.Estimate
	for _, r := range c.Rows {
		e := viz.Estimate{Name: r.Name, Note: fmt.Sprintf("n %d", r.N), Value: float64(r.Mean), Lo: r.CI.Lo,
			Hi: r.CI.Hi}
		if o.From != "" {
			if r.baseline {
				continue
			}
			if e.Value, e.Lo, e.Hi = float64(r.Diff), r.DiffCI.Lo, r.DiffCI.Hi; r.PHolm.Known() {
				e.Note += fmt.Sprintf(", p %.2g", r.PHolm)
			}
		}
		rows = append(rows, e)
	}
	return viz.Forest(rows, o)
}

// An Output says what the files of a comparison show. The zero value is the usual.
type Output struct {
	Columns []string // of tables; nil: see TableFor
	Figure  string   // one of FigureKinds; "": the first
	Theme   string   // of figures, one of viz.Themes
}

// Encode returns the content of a file whose name ends in one of Extensions: the document, the table, or the figure.
func (c *Comparison) Encode(name string, o Output) ([]byte, error) {
	if len(c.Rows) == 0 {
		return nil, errors.New("the comparison has no rows: want one of Compare")
	}
	switch ext := filepath.Ext(name); {
	case ext == ".json":
		b, err := json.MarshalIndent(c, "", "  ")
		return append(b, '\n'), err
	case slices.Contains(viz.Formats, strings.TrimPrefix(ext, ".")):
		kind := FigureKinds.Find(cmp.Or(o.Figure, FigureKinds.Default()))
		if kind == nil {
			return nil, FigureKinds.Check("figure", o.Figure)
		}
		figure, err := kind.draw(c)
		if err != nil {
			return nil, err
		}
		figure.Source, figure.Caption = c.captions()
		return figure.Encode(name, viz.Output{Theme: o.Theme})
	}
	format := table.ByName(strings.TrimPrefix(filepath.Ext(name), "."))
	if format == nil {
		return nil, fmt.Errorf("%s: want a file name that ends in one of %s", name, strings.Join(Extensions(), ", "))
	}
	return []byte(format.Text(c.TableFor(format.Name, o.Columns))), nil
}

// Save writes the files, and to the folder dir the table in all formats, the document and the figures. dir is in a
// folder of runs, maybe of another person: it must not be a link.
func (c *Comparison) Save(dir string, files []string, o Output) error {
	in, folder := disk.Split(dir)
	if err := in.MkdirAll(folder); err != nil {
		return err
	}
	own := []string{"table.json"}
	for _, f := range table.Formats {
		own = append(own, "table"+f.Ext)
	}
	for _, k := range FigureKinds {
		own = append(own, k.Name+".svg")
	}
	for _, name := range own {
		usual := Output{Columns: o.Columns, Figure: strings.TrimSuffix(name, ".svg")}
		b, err := c.Encode(name, usual)
		if err != nil {
			return err
		}
		if err := in.Replace(filepath.Join(folder, name), disk.Bytes(b)); err != nil {
			return err
		}
	}
	for _, name := range files {
		b, err := c.Encode(name, o)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := run.WriteFile(name, b); err != nil {
			return err
		}
	}
	return nil
}
