package study

import (
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/report"
)

// layerMeasures say how convolutional layers are.
var layerMeasures = []struct {
	name, head, format string
	scale              float64
	of                 func(l *report.LayerMeans) report.LayerMean
}{
	{"k1_k3", "≤3×3 %", "%.0f", 100, func(l *report.LayerMeans) report.LayerMean { return l.Within3 }},
	{"place", "place %", "%.0f", 100, func(l *report.LayerMeans) report.LayerMean { return l.Place }},
	{"tap", "tap", "%.2f", 1, func(l *report.LayerMeans) report.LayerMean { return l.Tap }},
	{"rank", "rank", "%.1f", 1, func(l *report.LayerMeans) report.LayerMean { return l.Rank }},
}

// LayerColumns lists the columns of Columns that say how convolutional layers are. They take Row.Layers, and are shown only if
// they are named.
var LayerColumns = func() (names []string) {
	for _, m := range layerMeasures {
		names = append(names, m.name)
	}
	return names
}()

// WantsLayers reports whether some of the named columns take Row.Layers.
func WantsLayers(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(LayerColumns, name) })
}

// layers returns the LayerColumns: the mean over runs with its standard deviation and, in parentheses, untrained networks.
func layers() (columns []column) {
	for _, of := range layerMeasures {
		value := func(r Row) (m report.LayerMean) {
			if r.Layers != nil {
				m = of.of(r.Layers)
			}
			return m
		}
		columns = append(columns,
			shown("layers", of.name, of.head, of.name, func(r Row) table.Cell {
				m := value(r)
				if m.Mean == nil {
					return table.Cell{Text: "–"}
				}
				text := fmt.Sprintf(of.format, of.scale**m.Mean)
				if m.Std != nil {
					text += fmt.Sprintf(" ± "+of.format, of.scale**m.Std)
				}
				if m.Null != nil {
					text += fmt.Sprintf(" ("+of.format+")", of.scale**m.Null)
				}
				return table.Cell{Text: text, Value: *m.Mean}
			}),
			column{table.Column{Key: of.name + "_std"}, of.name, func(r Row) table.Cell { return optional(value(r).Std) }},
			column{table.Column{Key: of.name + "_null"}, of.name, func(r Row) table.Cell { return optional(value(r).Null) }})
	}
	return columns
}

// optional is the cell of a value for programs, empty if it is unknown.
func optional(v *float64) table.Cell {
	if v == nil {
		return table.Cell{}
	}
	return table.Cell{Value: *v}
}

// layersNote explains the columns.
func (c *Comparison) layersNote() string {
	draws := 0
	for _, r := range c.Rows {
		if r.Layers != nil {
			draws = max(draws, r.Layers.Draws)
		}
	}
	return fmt.Sprintf("≤3×3, place, tap, rank: attnconv analyse, of the weights alone, as means over layers; in parentheses %s; "+
		"–: no attention, or one that depends on the image", table.Count(draws, "untrained network"))
}
