package measure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/report"
)

// Text returns the tables of analyses for a terminal of so many columns, 0 for any width, with a sentence for each layer.
func Text(runs []report.Analysis, seeds []report.SeedLayer, width int) (text string) {
	for i, d := range runs {
		if i > 0 {
			text += "\n"
		}
		t := layerTable([]report.Analysis{d}, false)
		if len(d.Layers) > 0 && !slices.ContainsFunc(d.Layers, func(l report.AnalysedLayer) bool { return l.Shares != nil }) {
			t = spectrumTable(d)
		}
		text += t.Text(width)
		if t := functionTable(d); t != nil {
			text += "\n" + t.Text(width)
		}
		for _, t := range networkTables(d) {
			text += "\n" + t.Text(width)
		}
	}
	if len(seeds) > 0 {
		text += "\n" + seedTable(seeds).Text(width)
	}
	return text
}

// CSV returns the layers of analyses, a row each.
func CSV(runs []report.Analysis) string { return layerTable(runs, true).CSV() }

// layerTable lists the layers. With all, it has columns for programs that people do not see.
func layerTable(runs []report.Analysis, all bool) *table.Table {
	t := &table.Table{}
	if !all {
		t.Title = title(runs[0])
	}
	right := func(head, key string) table.Column { return table.Column{Head: head, Key: key, Right: true} }
	hidden := func(key string) table.Column { return table.Column{Key: key} }
	nulls := []table.Column{right("untrained", "null_within3"), right("R²", "r2_k3"), hidden("null_r2_k3"), hidden("null_tokens"), hidden("null_maps")}
	if !all && ofArrays(runs[0]) {
		nulls = []table.Column{hidden("null_within3"), hidden("r2_k3"), hidden("null_r2_k3"), right("permuted", "null_tokens"), right("maps", "null_maps")}
	}
	t.Columns = slices.Concat([]table.Column{{Head: "layer", Key: "layer", Right: true, Name: true},
		right("1×1", "k1"), right("3×3", "k3"), right("5×5", "k5"), right("7×7", "k7"), right(">7", "larger"), right("place", "place"),
		right("≤3×3", "within3"), right("inside", "interior_k3")}, nulls, []table.Column{right("tap", "tap_score"), right("bits", "content_bits"),
		hidden("source"), hidden("path"), hidden("kind"), hidden("null_std"), hidden("p"), hidden("r2_k1"), hidden("r2_k5"), hidden("r2_k7"),
		hidden("r2_mean_by_shift"), hidden("r2_mean_attention"), hidden("k90"), hidden("leverage_k3"), hidden("rank")})
	for _, d := range runs {
		for _, l := range d.Layers {
			t.Add(layerRow(d, l)...)
		}
		if !all {
			t.Notes = append(legend(d), sentences(d)...)
		}
	}
	return t
}

// spectrumTable lists the layers of a network that are no linear maps of their tokens, as residual blocks are.
func spectrumTable(d report.Analysis) *table.Table {
	t := &table.Table{Title: d.Source + "   R² of the best convolution of each layer's input", Columns: []table.Column{{Head: "layer", Right: true, Name: true}}}
	for _, head := range []string{"1×1", "3×3", "untrained", "5×5", "7×7"} {
		t.Columns = append(t.Columns, table.Column{Head: head, Right: true})
	}
	for _, l := range d.Layers {
		s := cmp.Or(l.Spectrum, &report.Spectrum{})
		row := []table.Cell{table.Words(fmt.Sprint(l.Layer))}
		for _, v := range []*float64{s.K1, s.K3, r2Null(l).Mean, s.K5, s.K7} {
			row = append(row, rounded(v, analyse.Hundredths))
		}
		t.Add(row...)
	}
	if d.Images.Score > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("R²         fitted on %s %s images, scored on %s others; untrained: 3×3 of networks before training",
			table.Thousands(d.Images.Fit), d.Images.Split, table.Thousands(d.Images.Score)))
	}
	t.Notes = append(t.Notes, sentences(d)...)
	return t
}

// ofArrays reports an analysis of arrays, without a network.
func ofArrays(d report.Analysis) bool { return d.Model == "" }

func title(d report.Analysis) string {
	return d.Source + "   percent of each layer's squared norm that is a convolution of this size, beyond the smaller ones"
}

// legend says what the columns mean.
func legend(d report.Analysis) (notes []string) {
	has := func(is func(l report.AnalysedLayer) bool) bool { return slices.ContainsFunc(d.Layers, is) }
	if has(func(l report.AnalysedLayer) bool { return l.Shares != nil }) {
		notes = append(notes, "place      depends on the place: no convolution",
			"≤3×3       1×1 and 3×3 together; inside: of queries whose 3 × 3 tokens are on the grid")
		if ofArrays(d) {
			notes = append(notes, "permuted   ≤3×3 of the layer with its tokens permuted: mean ± standard deviation",
				"maps       ≤3×3 of the layer with its heads' maps exchanged")
		} else {
			notes = append(notes, "untrained  ≤3×3 of networks of other seeds before training: mean ± standard deviation")
		}
	}
	if d.Images.Score > 0 && has(func(l report.AnalysedLayer) bool { return l.Spectrum != nil }) {
		notes = append(notes, fmt.Sprintf("R²         of the best 3 × 3 convolution of the layer's input: fitted on %s %s images, scored on %s others",
			table.Thousands(d.Images.Fit), d.Images.Split, table.Thousands(d.Images.Score)))
		if at := slices.IndexFunc(d.Layers, func(l report.AnalysedLayer) bool { return len(r2Draws(l)) > 0 }); at >= 0 {
			notes = append(notes, "           of "+table.Count(len(r2Draws(d.Layers[at])), "untrained network")+", layer by layer: "+nullsR2(d.Layers))
		}
	}
	if has(func(l report.AnalysedLayer) bool { return len(l.Heads) > 0 }) {
		notes = append(notes, "tap        1: every head attends to one shift of its own; bits: what the image tells heads of where to attend")
	}
	return notes
}

// sentences says what each layer's values say, and what was not measured.
func sentences(d report.Analysis) []string {
	lines := []string{""}
	for _, l := range d.Layers {
		lines = append(lines, l.Sentence)
	}
	for _, n := range d.Notes {
		lines = append(lines, "note   "+n)
	}
	return lines
}

// nullsR2 lists the mean R² of untrained layers.
func nullsR2(layers []report.AnalysedLayer) string {
	var words []string
	for _, l := range layers {
		words = append(words, rounded(r2Null(l).Mean, analyse.Hundredths).Text)
	}
	return strings.Join(words, " ")
}

func layerRow(d report.Analysis, l report.AnalysedLayer) []table.Cell {
	row := []table.Cell{{Text: fmt.Sprint(l.Layer), Value: l.Layer}}
	var within, inside, null, std, p, tap, content, leverage, rank *float64
	shares := []*float64{nil, nil, nil, nil, nil, nil}
	if s := l.Shares; s != nil {
		shares = []*float64{&s.K1, &s.K3, &s.K5, &s.K7, &s.Larger, &s.Place}
		sum := s.K1 + s.K3
		within, rank, inside = &sum, &l.Rank.Effective, l.Interior.K3
	}
	if l.Null != nil {
		null, std, p = l.Null.Within.Mean, l.Null.Within.Std, l.Null.PHolm
	}
	if len(l.Heads) > 0 {
		tap, content, leverage = l.TapScore, contentOf(l), &l.Leverage.K3
	}
	r2 := cmp.Or(l.Spectrum, &report.Spectrum{})
	for _, v := range append(shares, within, inside) {
		row = append(row, rounded(v, analyse.Percent))
	}
	row = append(row, spread(null, std, analyse.Percent), rounded(r2.K3, analyse.Hundredths), rounded(r2Null(l).Mean, analyse.Hundredths))
	for _, name := range []string{Tokens, Maps} {
		cell := number(nil, 1, "")
		if at := slices.IndexFunc(l.Nulls, func(n report.NullShares) bool { return n.Name == name }); at >= 0 {
			cell = spread(l.Nulls[at].Within.Mean, l.Nulls[at].Within.Std, analyse.Percent)
		}
		row = append(row, cell)
	}
	row = append(row, rounded(tap, analyse.Hundredths), rounded(content, analyse.Hundredths),
		table.Words(d.Source), table.Words(l.Path), table.Words(l.Kind))
	var k90 *float64
	if l.K90 != nil {
		v := float64(*l.K90)
		k90 = &v
	}
	for _, v := range []*float64{std, p, r2.K1, r2.K5, r2.K7, r2.Shift, r2.Mean, k90, leverage, rank} {
		row = append(row, number(v, 1, "%.3g"))
	}
	return row
}

// rounded formats a value by analyse.Percent or analyse.Hundredths; an unknown one is a dash.
func rounded(v *float64, how func(float64) string) table.Cell {
	if v == nil {
		return table.Cell{Text: "–"}
	}
	return table.Cell{Text: how(*v), Value: *v}
}

// number formats a value times a scale; an unknown one is a dash.
func number(v *float64, scale float64, format string) table.Cell {
	if v == nil {
		return table.Cell{Text: "–"}
	}
	return table.Cell{Text: fmt.Sprintf(format, scale**v), Value: *v}
}
