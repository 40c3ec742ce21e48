package measure

import (
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/report"
)

// A course is a value of layers that is followed over epochs.
type course struct {
	title   string
	percent bool
	of      func(l report.AnalysedLayer) *float64
	null    func(l report.AnalysedLayer) *report.NullBand
	seeds   func(l report.SeedLayer) *report.Seeded // nil: without deviations
}

// courses lists what the tables over epochs have. A new one is a line here.
var courses = []course{
	{"percent of each layer's squared norm that is a 3 × 3 convolution, or a 1 × 1", true, withinOf,
		func(l report.AnalysedLayer) *report.NullBand { return nullOf(l).Within },
		func(l report.SeedLayer) *report.Seeded { return l.Within3 }},
	{"percent that depends on the place", true, placeOf,
		func(l report.AnalysedLayer) *report.NullBand { return nullOf(l).Place },
		func(l report.SeedLayer) *report.Seeded { return l.Place }},
	{"R² of the best 3 × 3 convolution, on images", false, r2Of,
		r2Null,
		func(l report.SeedLayer) *report.Seeded { return l.R2K3 }},
}

func nullOf(l report.AnalysedLayer) report.NullShares {
	if l.Null == nil {
		return report.NullShares{}
	}
	return *l.Null
}

// OverText returns tables of layers over epochs for a terminal of so many columns, 0 for any width: of each run or, with
// seeds, of means over the runs. The sentences are those after the last epoch.
func OverText(runs []report.AnalysedEpochs, seeds []report.SeedEpoch, width int) (text string) {
	if len(seeds) > 0 {
		return overText(runs[0], fmt.Sprintf("means of %d runs ± standard deviation over seeds", len(runs)), seeds, width)
	}
	for i, d := range runs {
		if i > 0 {
			text += "\n"
		}
		text += overText(d, d.Source, nil, width)
	}
	return text
}

func overText(d report.AnalysedEpochs, source string, seeds []report.SeedEpoch, width int) (text string) {
	var tables []*table.Table
	for _, c := range courses {
		if t := c.table(d, seeds); t != nil {
			tables = append(tables, t)
		}
	}
	last := d.Epochs[len(d.Epochs)-1]
	if len(tables) == 0 {
		tables = append(tables, &table.Table{Title: "nothing was measured", Columns: []table.Column{{Head: "epoch", Right: true, Name: true}}})
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

// table has a row for each epoch, one for untrained networks, and a column for each layer; nil if no layer has the value.
func (c course) table(d report.AnalysedEpochs, seeds []report.SeedEpoch) *table.Table {
	t := &table.Table{Title: c.title, Columns: []table.Column{{Head: "epoch", Right: true, Name: true}}}
	how := analyse.Hundredths
	if c.percent {
		how = analyse.Percent
	}
	measured := false
	for e, epoch := range d.Epochs {
		row := []table.Cell{table.Words(fmt.Sprint(epoch.Epoch))}
		for i, l := range epoch.Layers {
			if e == 0 {
				t.Columns = append(t.Columns, table.Column{Head: fmt.Sprint(l.Layer), Right: true})
			}
			value, std := c.of(l), (*float64)(nil)
			if seeds != nil {
				if value = nil; c.seeds(seeds[e].Layers[i]) != nil {
					value, std = c.seeds(seeds[e].Layers[i]).Mean, c.seeds(seeds[e].Layers[i]).Std
				}
			}
			measured = measured || value != nil
			row = append(row, spread(value, std, how))
		}
		t.Add(row...)
	}
	if !measured {
		return nil
	}
	row := []table.Cell{table.Words("untrained")}
	for _, l := range d.Epochs[0].Layers {
		var band report.NullBand
		if b := c.null(l); b != nil {
			band = *b
		}
		row = append(row, spread(band.Mean, band.Std, how))
	}
	if slices.ContainsFunc(row[1:], func(c table.Cell) bool { return c.Value != nil }) {
		t.Add(row...)
	}
	return t
}

// spread formats a value, rounded, with its deviation, if there is one.
func spread(v, std *float64, how func(float64) string) table.Cell {
	cell := rounded(v, how)
	if v != nil && std != nil {
		cell.Text += " ± " + how(*std)
	}
	return cell
}

// OverCSV returns the layers of all epochs, a row each.
func OverCSV(runs []report.AnalysedEpochs) string {
	all := &table.Table{}
	for _, d := range runs {
		for e, epoch := range d.Epochs {
			t := layerTable([]report.Analysis{at(d, e)}, true)
			all.Columns = append([]table.Column{{Key: "epoch"}}, t.Columns...)
			for _, row := range t.Rows {
				all.Add(append([]table.Cell{{Value: epoch.Epoch}}, row...)...)
			}
		}
	}
	return all.CSV()
}
