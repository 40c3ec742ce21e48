package network

import (
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/null"
)

// A course is a value of layers that is followed over epochs.
type course struct {
	title   string
	percent bool
	of      func(l Layer) null.Float
	null    func(l Layer) *analyse.Band
	seeds   func(l SeedLayer) *SeedMean // nil: without deviations
}

// courses lists what the tables over epochs have. A new one is a line here.
var courses = []course{
	{"percent of each layer's squared norm that is a 3 × 3 convolution, or a 1 × 1", true, withinOf,
		func(l Layer) *analyse.Band { return nullOf(l).Within },
		func(l SeedLayer) *SeedMean { return l.Within3 }},
	{"percent that depends on the place", true, placeOf,
		func(l Layer) *analyse.Band { return nullOf(l).Place },
		func(l SeedLayer) *SeedMean { return l.Place }},
	{"R² of the best 3 × 3 convolution, on images", false, r2Of,
		r2Null,
		func(l SeedLayer) *SeedMean { return l.R2K3 }},
	{"mean shift of the heads, in tokens", false, shiftOf,
		func(l Layer) *analyse.Band {
			if l.Shifts == nil {
				return nil
			}
			return l.Shifts.Mean.Untrained
		},
		func(l SeedLayer) *SeedMean { return l.MeanShift }},
}

// OverText returns tables of layers over epochs for a terminal of so many columns, 0 for any width: of each run or,
// with seeds, of means over the runs. The sentences are those after the last epoch.
func OverText(runs []Epochs, seeds []SeedEpoch, width int) (text string) {
	if len(seeds) > 0 {
		return overText(runs[0], fmt.Sprintf("means of %d runs ± standard deviation over seeds", len(runs)), seeds,
			width)
	}
	for i, d := range runs {
		if i > 0 {
			text += "\n"
		}
		text += overText(d, d.Source, nil, width)
	}
	return text
}

func overText(d Epochs, source string, seeds []SeedEpoch, width int) (text string) {
	var tables []*table.Table
	for _, c := range courses {
		if t := c.table(d, seeds); t != nil {
			tables = append(tables, t)
		}
	}
	last := d.Epochs[len(d.Epochs)-1]
	if len(tables) == 0 {
		tables = append(tables, &table.Table{Title: "nothing was measured",
			Columns: []table.Column{{Head: "epoch", Right: true, Name: true}}})
	}
	text = source + "\n\n"
	end := tables[len(tables)-1]
	end.Notes = append(end.Notes, "columns are layers; untrained: networks of other seeds, mean ± standard deviation")
	for _, n := range d.Notes {
		end.Notes = append(end.Notes, "note   "+n)
	}
	end.Notes = append(end.Notes, "", fmt.Sprintf("after epoch %d:", last.Epoch))
	for i, l := range last.Layers {
		sentence := l.Sentence
		if seeds != nil {
			sentence = seeds[len(seeds)-1].Layers[i].Sentence
		}
		end.Notes = append(end.Notes, sentence)
	}
	for i, t := range tables {
		if i > 0 {
			text += "\n"
		}
		text += t.Text(width)
	}
	return text
}

// table has a row for each epoch, one for untrained networks, and a column for each layer; nil if no layer has the
// value.
func (c course) table(d Epochs, seeds []SeedEpoch) *table.Table {
	type overRow struct {
		name   string
		layers []analyse.Band
	}
	var rows []overRow
	known := func(row overRow) bool {
		return slices.ContainsFunc(row.layers, func(b analyse.Band) bool { return b.Mean.Known() })
	}
	measured := false
	for e, epoch := range d.Epochs {
		row := overRow{name: fmt.Sprint(epoch.Epoch)}
		for i, l := range epoch.Layers {
			value := analyse.Band{Mean: c.of(l), Std: null.Unknown}
			if seeds != nil {
				if value = noBand; c.seeds(seeds[e].Layers[i]) != nil {
					value.Mean, value.Std = c.seeds(seeds[e].Layers[i]).Mean, c.seeds(seeds[e].Layers[i]).Std
				}
			}
			row.layers = append(row.layers, value)
		}
		measured = measured || known(row)
		rows = append(rows, row)
	}
	if !measured {
		return nil
	}
	untrained := overRow{name: "untrained"}
	for _, l := range d.Epochs[0].Layers {
		untrained.layers = append(untrained.layers, bandOr(c.null(l)))
	}
	if known(untrained) {
		rows = append(rows, untrained)
	}
	how := analyse.Hundredths
	if c.percent {
		how = analyse.Percent
	}
	fields := []table.Field[overRow]{table.For(table.Column{Head: "epoch", Right: true, Name: true},
		func(r overRow) table.Cell { return table.Words(r.name) })}
	for i, l := range d.Epochs[0].Layers {
		fields = append(fields, table.For(table.Column{Head: fmt.Sprint(l.Layer), Right: true},
			func(r overRow) table.Cell { return spread(r.layers[i], how) }))
	}
	return table.Fill(&table.Table{Title: c.title}, fields, rows)
}

// OverCSV returns the layers of all epochs, a row each.
func OverCSV(runs []Epochs) string {
	all := &table.Table{}
	for _, d := range runs {
		for e, epoch := range d.Epochs {
			first := right("", "epoch", func(Layer) table.Cell { return table.Cell{Value: epoch.Epoch} })
			all = below(all, layerTable(at(d, e).Layers, append([]column{first}, columnsOf(d.Source)...), ""))
		}
	}
	return all.CSV()
}
