package network

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/null"
	"github.com/attnconv/attnconv/internal/table"
)

// Screen returns analyses in short: the verdict on each network and one table of its layers, for a terminal of so many
// columns, 0 for any width. Text has the rest.
func Screen(runs []Analysis, seeds []SeedLayer, width int) (text string) {
	for i, d := range runs {
		if i > 0 {
			text += "\n"
		}
		text += d.Source + "\n\n"
		for _, sentence := range d.Verdict {
			text += strings.Join(table.Wrap(sentence, width), "\n") + "\n"
		}
		text += "\n" + screenTable(d).Text(width)
	}
	if len(seeds) > 0 {
		text += "\n" + seedTable(seeds).Text(width)
	}
	return text
}

// verdict answers for a network, in three sentences: what is left if its layers are replaced, which layers act as
// convolutions, and how much of their operators is one.
func verdict(d Analysis) []string { return []string{whatIsLeft(d), whichLayersAct(d), howMuch(d)} }

func whatIsLeft(d Analysis) string {
	all := d.FunctionAll
	if d.Unchanged == nil || all == nil || all.K3 == nil {
		return "What accuracy is left with convolutions instead of the layers was not measured."
	}
	text := fmt.Sprintf("With every layer replaced by a 3 × 3 convolution, one after the other and without training, the "+
		"network keeps %s of %s %% accuracy", accuracyCell(all.K3).Text, accuracyCell(d.Unchanged).Text)
	var others []string
	for _, o := range []struct {
		what string
		of   *TestedAccuracy
	}{{"5 × 5", all.K5}, {"heads on all tokens alike", all.Uniform}, {"mean outputs", all.Constant}} {
		if o.of != nil {
			others = append(others, o.what+" "+accuracyCell(o.of).Text)
		}
	}
	if len(others) > 0 {
		text += " (" + strings.Join(others, "; ") + ")"
	}
	return text + "."
}

// whichLayersAct groups the layers by their verdicts.
func whichLayersAct(d Analysis) string {
	of := map[analyse.Verdict][]int{}
	tested, compared := false, false
	for _, l := range d.Layers {
		if l.Verdict != nil {
			of[*l.Verdict] = append(of[*l.Verdict], l.Layer)
			tested = tested || replacementOf(l) != nil
			compared = compared || !math.IsNaN(pOf(l, d.Layers))
		}
	}
	margin := fmt.Sprintf("%.0f point of accuracy", 100*analyse.MaxCost)
	words := []struct {
		verdict   analyse.Verdict
		one, many string
	}{
		{analyse.Verdict{Share: true, Function: true}, "acts as a 3 × 3 convolution", "act as 3 × 3 convolutions"},
		{analyse.Verdict{Share: true}, "has a larger share of one than untrained layers, but replacing it may cost more " +
			"than " + margin, "have a larger share of one than untrained layers, but replacing them may cost more than " +
			margin},
		{analyse.Verdict{Function: true}, "can be replaced by one for less than " + margin +
			", but its share does not exceed that of untrained layers", "can be replaced by one for less than " + margin +
			", but their shares do not exceed those of untrained layers"},
		{analyse.Verdict{}, "meets neither condition", "meet neither condition"},
	}
	switch {
	case len(of) == 0:
		return "No layer was judged: a verdict needs the operator of a layer in a network."
	case !compared && !tested:
		return "No layer was judged: there are too few untrained networks to compare with, and no layer was replaced."
	case !compared:
		words[2].one = "can be replaced by a 3 × 3 convolution for less than " + margin
		words[2].many = words[2].one
		words[3].one, words[3].many = "may lose more", "may lose more"
	case !tested:
		words[1].one, words[1].many = "has a larger share of a 3 × 3 convolution than untrained layers",
			"have a larger share of a 3 × 3 convolution than untrained layers"
		words[3].one, words[3].many = "has not", "have not"
	}
	var parts []string
	for _, w := range words {
		if layers := of[w.verdict]; len(layers) == 1 {
			parts = append(parts, layersWords(layers)+" "+w.one)
		} else if len(layers) > 1 {
			parts = append(parts, layersWords(layers)+" "+w.many)
		}
	}
	if only := of[analyse.Verdict{}]; len(parts) == 1 && len(only) > 0 {
		return "No layer acts as a 3 × 3 convolution."
	}
	text := strings.Join(parts, "; ")
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// howMuch quotes the layers with the largest and the smallest share.
func howMuch(d Analysis) string {
	var layers []AnalysedLayer
	for _, l := range d.Layers {
		if l.Shares != nil {
			layers = append(layers, l)
		}
	}
	if len(layers) == 0 {
		return "No layer is one linear map of its tokens, so there are no shares of its operator."
	}
	slices.SortStableFunc(layers, func(a, b AnalysedLayer) int {
		return int(math.Copysign(1, float64(withinOf(b)-withinOf(a))))
	})
	quote := func(l AnalysedLayer) string {
		share := float64(withinOf(l))
		text := fmt.Sprintf("%s %% of the squared norm of the operator of layer %d (relative error %s %%",
			analyse.Percent(share), l.Layer, analyse.Percent(math.Sqrt(max(0, 1-share))))
		if l.Null != nil {
			text += "; untrained " + spread(*l.Null.Within, analyse.Percent).Text + " %"
		}
		return text + ")"
	}
	text := "One 3 × 3 convolution is " + quote(layers[0])
	if last := layers[len(layers)-1]; len(layers) > 1 {
		text += " and " + quote(last)
	}
	return text + "."
}

// layersWords is "layer 3" or "layers 1–2, 5".
func layersWords(layers []int) string {
	if len(layers) > 1 {
		return "layers " + ranges(layers)
	}
	return "layer " + ranges(layers)
}

// profileCell is how many profiles a layer has and, in brackets, untrained ones have.
func profileCell(l layerRow) table.Cell {
	if l.Profiles == nil {
		return table.Words("–")
	}
	text := fmt.Sprint(l.Profiles.Count)
	if u := l.Profiles.Untrained; u != nil {
		text += fmt.Sprintf(" (%.3g)", float64(u.Count.Mean))
	}
	return table.Words(text)
}

// A screenColumn is a column of screenTable with its line of the legend; "": none.
type screenColumn struct {
	field
	legend string
	has    func(l AnalysedLayer) bool // a layer has a value
}

// screenTable lists the layers with the measures that the verdict rests on, each next to its baseline.
func screenTable(d Analysis) *table.Table {
	draws, fits := 0, 0
	for _, l := range d.Layers {
		draws, fits = max(draws, nullOf(l).Draws), max(fits, len(r2Draws(l)))
	}
	start := "at init   the same of " + table.Count(draws, "untrained network")
	if fits > 0 {
		start += fmt.Sprintf("; of R²: of %d", fits)
	}
	operator := func(l AnalysedLayer) bool { return l.Shares != nil }
	initial := func(l AnalysedLayer) bool { return l.Null != nil }
	fitted := func(l AnalysedLayer) bool { return r2Of(l).Known() }
	columns := []screenColumn{
		{numbered, "", func(AnalysedLayer) bool { return true }},
		{share("≤3×3", "", func(l layerRow) null.Float { return withinOf(l.AnalysedLayer) }),
			"≤3×3      percent of the squared norm of the layer's operator that is one 3 × 3 convolution", operator},
		{nullShare("at init", "", func(l layerRow) *analyse.Band { return nullOf(l.AnalysedLayer).Within }),
			start, initial},
		{share("place", "", func(l layerRow) null.Float { return placeOf(l.AnalysedLayer) }),
			"place     percent that depends on the place, which no convolution has", operator},
		{nullShare("at init", "", func(l layerRow) *analyse.Band { return nullOf(l.AnalysedLayer).Place }), "",
			initial},
		{measured("R²", "", func(l layerRow) null.Float { return r2Of(l.AnalysedLayer) }),
			"R²        of the best 3 × 3 convolution of the layer's input, on images", fitted},
		{measured("at init", "", func(l layerRow) null.Float { return bandOr(r2Null(l.AnalysedLayer)).Mean }), "",
			func(l AnalysedLayer) bool { return len(r2Draws(l)) > 0 }},
		{measured("size", "", func(l layerRow) null.Float { return l.Size }),
			"size      variance of what the layer adds over that of the tokens it is added to",
			func(l AnalysedLayer) bool { return l.Size.Known() }},
		{right("acc", "", func(l layerRow) table.Cell {
			if l.Function == nil {
				return table.Words("–")
			}
			return accuracyCell(l.Function.K3)
		}), "", func(l AnalysedLayer) bool { return replacementOf(l) != nil }},
		{right("profiles", "", profileCell), "profiles  of its heads, so many convolutions it is a mixture of; in " +
			"brackets at init", func(l AnalysedLayer) bool { return l.Profiles != nil }},
	}
	if d.Unchanged != nil {
		columns[len(columns)-2].legend = "acc       accuracy, %, with the layer replaced by the best 3 × 3 convolution; " +
			accuracyCell(d.Unchanged).Text + " as it is"
	}
	t := &table.Table{}
	var fields []field
	for _, c := range columns {
		if slices.ContainsFunc(d.Layers, c.has) {
			fields = append(fields, c.field)
			if c.legend != "" {
				t.Notes = append(t.Notes, c.legend)
			}
		}
	}
	return table.Fill(t, fields, rowsOf(d))
}
