package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/null"
)

// layerMeasures say how convolutional layers are.
var layerMeasures = []struct {
	name, head, format string
	scale              float64
	of                 func(l *analyse.LayerMeans) analyse.LayerMean
}{
	{"k1_k3", "≤3×3 %", "%.0f", 100, func(l *analyse.LayerMeans) analyse.LayerMean { return l.Within3 }},
	{"place", "place %", "%.0f", 100, func(l *analyse.LayerMeans) analyse.LayerMean { return l.Place }},
	{"zeros_any", "zeros %", "%.0f", 100, func(l *analyse.LayerMeans) analyse.LayerMean { return l.Zeros }},
	{"repeated_any", "edges %", "%.0f", 100, func(l *analyse.LayerMeans) analyse.LayerMean { return l.Repeated }},
	{"tap", "tap", "%.2f", 1, func(l *analyse.LayerMeans) analyse.LayerMean { return l.Tap }},
	{"rank", "rank", "%.1f", 1, func(l *analyse.LayerMeans) analyse.LayerMean { return l.Rank }},
	{"profiles", "profiles", "%.1f", 1, func(l *analyse.LayerMeans) analyse.LayerMean { return l.Profiles }},
	{"mean_shift", "shift", "%.2f", 1, func(l *analyse.LayerMeans) analyse.LayerMean { return l.MeanShift }},
	{"trend", "trend", "%.2f", 1, func(l *analyse.LayerMeans) analyse.LayerMean { return l.Trend }},
	{"taps", "taps", "%.1f", 1, func(l *analyse.LayerMeans) analyse.LayerMean { return l.Taps }},
	{"clamped", "clamped %", "%.0f", 100, func(l *analyse.LayerMeans) analyse.LayerMean { return l.Clamped }},
}

// LayerColumns lists the columns of Columns that say how convolutional layers are. They take Row.Layers, and are shown
// only if they are named.
var LayerColumns = func() (names []string) {
	for _, m := range layerMeasures {
		names = append(names, m.name)
	}
	return names
}()

// NeedLayers reports whether some of the named columns take Row.Layers.
func NeedLayers(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(LayerColumns, name) })
}

// layers returns the LayerColumns: the mean over runs with its standard deviation and, in parentheses, untrained
// networks.
func layers() (columns []column) {
	for _, of := range layerMeasures {
		value := func(r Row) analyse.LayerMean {
			if r.Layers != nil {
				return of.of(r.Layers)
			}
			return analyse.LayerMean{Mean: null.Unknown, Std: null.Unknown, Null: null.Unknown}
		}
		columns = append(columns,
			shownColumn("layers", of.name, of.head, of.name, func(r Row) table.Cell {
				m := value(r)
				return table.Float(m.Mean, func(mean float64) string {
					text := fmt.Sprintf(of.format, of.scale*mean)
					if m.Std.Known() {
						text += fmt.Sprintf(" ± "+of.format, of.scale*float64(m.Std))
					}
					if m.Null.Known() {
						text += fmt.Sprintf(" ("+of.format+")", of.scale*float64(m.Null))
					}
					return text
				})
			}),
			plainColumn(of.name, of.name+"_std", func(r Row) float64 { return float64(value(r).Std) }),
			plainColumn(of.name, of.name+"_null", func(r Row) float64 { return float64(value(r).Null) }))
	}
	return columns
}

// layersNote explains the columns.
func (c *Comparison) layersNote() string {
	draws := 0
	for _, r := range c.Rows {
		if r.Layers != nil {
			draws = max(draws, r.Layers.Draws)
		}
	}
	var heads []string
	for _, of := range layerMeasures {
		heads = append(heads, strings.TrimSuffix(of.head, " %"))
	}
	return fmt.Sprintf("%s: attnconv analyse, only of the weights, as means over layers; in parentheses %s; –: no "+
		"attention, or one that depends on the image", strings.Join(heads, ", "), table.Count(draws, "untrained network"))
}
