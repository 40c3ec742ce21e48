package network

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/null"
	"github.com/attnconv/attnconv/internal/table"
)

// Text returns the tables of analyses for a terminal of so many columns, 0 for any width, with a sentence for each
// layer.
func Text(runs []Analysis, seeds []SeedLayer, width int) (text string) {
	for i, d := range runs {
		if i > 0 {
			text += "\n"
		}
		t := layerTable(d)
		if len(d.Layers) > 0 && !slices.ContainsFunc(d.Layers, func(l AnalysedLayer) bool { return l.Shares != nil }) {
			t = spectrumTable(d)
		}
		text += t.Text(width)
		if t := functionTable(d); t != nil {
			text += "\n" + t.Text(width)
		}
		for _, t := range profileTables(d) {
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

// A layerRow is a layer of an analysis.
type layerRow struct {
	source string
	AnalysedLayer
}

// A field is a column of layers.
type field = table.Field[layerRow]

// right is a column of numbers.
func right(head, key string, cell func(layerRow) table.Cell) field {
	return table.For(table.Column{Head: head, Key: key, Right: true}, cell)
}

// share, measured and hidden are columns: of percents, of hundredths, and for programs only.
func share(head, key string, of func(layerRow) null.Float) field {
	return right(head, key, func(l layerRow) table.Cell { return rounded(of(l), analyse.Percent) })
}

func measured(head, key string, of func(layerRow) null.Float) field {
	return right(head, key, func(l layerRow) table.Cell { return rounded(of(l), analyse.Hundredths) })
}

func hidden(key string, value func(layerRow) any) field {
	return table.For(table.Column{Key: key}, func(l layerRow) table.Cell { return table.Cell{Value: value(l)} })
}

// ofShares is a value of a layer's shares.
func ofShares(of func(analyse.Shares) float64) func(layerRow) null.Float {
	return func(l layerRow) null.Float {
		if l.Shares == nil {
			return null.Unknown
		}
		return null.Float(of(*l.Shares))
	}
}

// ofSpectrum is a value of a layer's spectrum.
func ofSpectrum(of func(*Spectrum) null.Float) func(layerRow) null.Float {
	return func(l layerRow) null.Float {
		if l.Spectrum == nil {
			return null.Unknown
		}
		return of(l.Spectrum)
	}
}

// nullShare is the column of k1 + k3 of a null: its mean ± its standard deviation.
func nullShare(head, key string, of func(layerRow) *analyse.Band) field {
	return right(head, key, func(l layerRow) table.Cell { return spread(bandOr(of(l)), analyse.Percent) })
}

// nullNamed is k1 + k3 of one of a layer's nulls; nil: it was not drawn.
func nullNamed(name string) func(layerRow) *analyse.Band {
	return func(l layerRow) *analyse.Band {
		if at := slices.IndexFunc(l.Nulls, func(n NullShares) bool { return n.Name == name }); at >= 0 {
			return l.Nulls[at].Within
		}
		return nil
	}
}

// bandOr is a band, without values if it is nil.
func bandOr(b *analyse.Band) analyse.Band { return *cmp.Or(b, &noBand) }

var noBand = analyse.NewBand(nil)

var numbered = table.For(table.Column{Head: "layer", Key: "layer", Right: true, Name: true},
	func(l layerRow) table.Cell {
		return table.Cell{Text: fmt.Sprint(l.Layer), Value: l.Layer}
	})

// layerFields are the columns of layerTable with these rows; arrays says that there is no network.
func layerFields(arrays bool, rows []layerRow) []field {
	initial := nullShare("untrained", "null_within3",
		func(l layerRow) *analyse.Band { return nullOf(l.AnalysedLayer).Within })
	r2 := measured("R²", "r2_k3", func(l layerRow) null.Float { return r2Of(l.AnalysedLayer) })
	tokens, maps := nullShare("", "null_tokens", nullNamed(Tokens)), nullShare("", "null_maps", nullNamed(Maps))
	if arrays && !slices.ContainsFunc(rows, func(l layerRow) bool { return l.Null != nil }) {
		initial.Head = ""
	}
	if arrays && !slices.ContainsFunc(rows, func(l layerRow) bool { return l.Spectrum != nil }) {
		r2.Head = ""
	}
	if arrays {
		tokens.Head, maps.Head = "permuted", "maps"
	}
	return []field{
		numbered,
		share("1×1", "k1", ofShares(func(s analyse.Shares) float64 { return s.K1 })),
		share("3×3", "k3", ofShares(func(s analyse.Shares) float64 { return s.K3 })),
		share("5×5", "k5", ofShares(func(s analyse.Shares) float64 { return s.K5 })),
		share("7×7", "k7", ofShares(func(s analyse.Shares) float64 { return s.K7 })),
		share(">7", "larger", ofShares(func(s analyse.Shares) float64 { return s.Larger })),
		share("place", "place", ofShares(func(s analyse.Shares) float64 { return s.Place })),
		share("≤3×3", "within3", ofShares(func(s analyse.Shares) float64 { return s.K1 + s.K3 })),
		share("inside", "interior_k3", func(l layerRow) null.Float {
			if l.Interior == nil {
				return null.Unknown
			}
			return l.Interior.K3
		}),
		initial, r2,
		hidden("null_r2_k3", func(l layerRow) any { return float64(bandOr(r2Null(l.AnalysedLayer)).Mean) }),
		tokens, maps,
		measured("tap", "tap_score", func(l layerRow) null.Float { return l.TapScore }),
		measured("bits", "content_bits", func(l layerRow) null.Float { return contentOf(l.AnalysedLayer) }),
		hidden("source", func(l layerRow) any { return l.source }),
		hidden("path", func(l layerRow) any { return l.Path }),
		hidden("kind", func(l layerRow) any { return l.Kind }),
		hidden("null_std", func(l layerRow) any { return float64(bandOr(nullOf(l.AnalysedLayer).Within).Std) }),
		hidden("p", func(l layerRow) any { return float64(nullOf(l.AnalysedLayer).PHolm) }),
		hidden("r2_k1", ofFit(func(s *Spectrum) null.Float { return s.K1 })),
		hidden("r2_k5", ofFit(func(s *Spectrum) null.Float { return s.K5 })),
		hidden("r2_k7", ofFit(func(s *Spectrum) null.Float { return s.K7 })),
		hidden("r2_mean_by_shift", ofFit(func(s *Spectrum) null.Float { return s.Shift })),
		hidden("r2_mean_attention", ofFit(func(s *Spectrum) null.Float { return s.Mean })),
		hidden("null_place", func(l layerRow) any { return float64(bandOr(nullOf(l.AnalysedLayer).Place).Mean) }),
		hidden("raw_within3", func(l layerRow) any {
			if l.Raw == nil {
				return nil
			}
			return l.Raw.Within(3)
		}),
		hidden("with_residual_within3", func(l layerRow) any {
			if l.WithResidual == nil {
				return nil
			}
			return l.WithResidual.Within(3)
		}),
		hidden("size", func(l layerRow) any { return float64(l.Size) }),
		hidden("acc_replaced_k3", func(l layerRow) any {
			if l.Function == nil || l.Function.K3 == nil {
				return nil
			}
			return l.Function.K3.Acc
		}),
		hidden("k90", func(l layerRow) any {
			if l.K90 == nil {
				return nil
			}
			return *l.K90
		}),
		hidden("leverage_k3", func(l layerRow) any {
			if l.Leverage == nil {
				return nil
			}
			return l.Leverage.K3
		}),
		hidden("rank", func(l layerRow) any { return float64(rankOf(l.AnalysedLayer)) }),
	}
}

func ofFit(of func(*Spectrum) null.Float) func(layerRow) any {
	return func(l layerRow) any { return float64(ofSpectrum(of)(l)) }
}

// rowsOf are the layers of an analysis.
func rowsOf(d Analysis) (rows []layerRow) {
	for _, l := range d.Layers {
		rows = append(rows, layerRow{d.Source, l})
	}
	return rows
}

// layerTable lists the layers.
func layerTable(d Analysis) *table.Table {
	return table.Fill(&table.Table{Title: title(d), Notes: append(legend(d), sentences(d)...)},
		layerFields(ofArrays(d), rowsOf(d)), rowsOf(d))
}

// CSV returns the layers of analyses, a row each.
func CSV(runs []Analysis) string {
	var rows []layerRow
	for _, d := range runs {
		rows = append(rows, rowsOf(d)...)
	}
	return table.Fill(&table.Table{}, layerFields(false, rows), rows).CSV()
}

// spectrumTable lists the layers of a network that are no linear maps of their tokens, as residual blocks are.
func spectrumTable(d Analysis) *table.Table {
	t := &table.Table{Title: d.Source + "   R² of the best convolution of each layer's input"}
	if d.Images.Score > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("R²         fitted on %s %s images, scored on %s others; untrained: "+
			"3×3 of networks before training",
			table.Thousands(d.Images.Fit), d.Images.Split, table.Thousands(d.Images.Score)))
	}
	t.Notes = append(t.Notes, sentences(d)...)
	return table.Fill(t, []field{
		numbered,
		measured("1×1", "", ofSpectrum(func(s *Spectrum) null.Float { return s.K1 })),
		measured("3×3", "", ofSpectrum(func(s *Spectrum) null.Float { return s.K3 })),
		measured("untrained", "", func(l layerRow) null.Float { return bandOr(r2Null(l.AnalysedLayer)).Mean }),
		measured("5×5", "", ofSpectrum(func(s *Spectrum) null.Float { return s.K5 })),
		measured("7×7", "", ofSpectrum(func(s *Spectrum) null.Float { return s.K7 })),
	}, rowsOf(d))
}

// ofArrays reports an analysis of arrays, without a network.
func ofArrays(d Analysis) bool { return d.Model == "" }

func title(d Analysis) string {
	return d.Source + "   percent of each layer's squared norm that is a convolution of this size, beyond the " +
		"smaller ones"
}

// legend says what the columns mean.
func legend(d Analysis) (notes []string) {
	has := func(is func(l AnalysedLayer) bool) bool { return slices.ContainsFunc(d.Layers, is) }
	if has(func(l AnalysedLayer) bool { return l.Shares != nil }) {
		notes = append(notes, "place      depends on the place: no convolution",
			"≤3×3       1×1 and 3×3 together; inside: of queries whose 3 × 3 tokens are on the grid")
		if ofArrays(d) {
			notes = append(notes, "permuted   ≤3×3 of the layer with its tokens permuted: mean ± standard deviation",
				"maps       ≤3×3 of the layer with its heads' maps exchanged")
		} else {
			notes = append(notes, "untrained  ≤3×3 of networks of other seeds before training: mean ± standard "+
				"deviation")
		}
	}
	if d.Images.Score > 0 && has(func(l AnalysedLayer) bool { return l.Spectrum != nil }) {
		notes = append(notes, fmt.Sprintf("R²         of the best 3 × 3 convolution of the layer's input: fitted on "+
			"%s %s, scored on %s others",
			table.Thousands(d.Images.Fit), strings.TrimSpace(d.Images.Split+" images"),
			table.Thousands(d.Images.Score)))
		if at := slices.IndexFunc(d.Layers, func(l AnalysedLayer) bool { return len(r2Draws(l)) > 0 }); at >= 0 {
			notes = append(notes, "           of "+table.Count(len(r2Draws(d.Layers[at])),
				"untrained network")+", layer by layer: "+nullsR2(d.Layers))
		}
	}
	if has(func(l AnalysedLayer) bool { return len(l.Heads) > 0 }) {
		notes = append(notes, "tap        1: every head attends to one shift of its own; bits: what the image tells "+
			"heads of where to attend")
	}
	return notes
}

// sentences says what each layer's values say, and what was not measured.
func sentences(d Analysis) []string {
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
func nullsR2(layers []AnalysedLayer) string {
	var words []string
	for _, l := range layers {
		words = append(words, rounded(bandOr(r2Null(l)).Mean, analyse.Hundredths).Text)
	}
	return strings.Join(words, " ")
}

// rounded formats a value by analyse.Percent or analyse.Hundredths; an unknown one is a dash.
func rounded(v null.Float, how func(float64) string) table.Cell { return table.Float(v, how) }
