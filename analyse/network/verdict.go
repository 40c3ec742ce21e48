package network

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/study/stats"
)

// sentence says what the values of layer i say: analyse.Sentence, or what the regressions say where it has no operator.
func (m *measurement) sentence(i int) (string, error) {
	l := m.d.Layers[i]
	f := analyse.Finding{Mean: l.ByImage, TapScore: float64(l.TapScore), R2: float64(r2Of(l)), Content: math.NaN()}
	if each := r2Draws(l); len(each) > 0 {
		f.NullR2 = new(analyse.NewBand(each))
	}
	r := replacementOf(l)
	if l.Shares == nil {
		text := fmt.Sprintf("layer %d: %s", l.Layer, f.OnImages())
		if r != nil {
			text += "; " + r.String()
		}
		return text, nil
	}
	f.Shares = *l.Shares
	f.Null = new(sharesNull("", m.against.layers[i])) // the usual null needs no name
	f.Content = float64(contentOf(l))
	text, err := analyse.Sentence(l.Layer, f)
	v, words := analyse.Judge(pOf(l, m.d.Layers), r)
	m.d.Layers[i].Verdict = &v
	return text + l.words() + ". Verdict: " + words, err
}

// pOf is the corrected p-value of a layer's share; NaN if there are too few untrained networks for one below the level.
func pOf(l Layer, layers []Layer) float64 {
	compared := 0
	for _, other := range layers {
		if nullOf(other).P.Known() {
			compared++
		}
	}
	n := nullOf(l)
	if float64(compared)/float64(1+n.Draws) >= analyse.Level {
		return math.NaN()
	}
	return float64(n.PHolm)
}

// replacementOf is what it costs to replace a layer by a 3 × 3 convolution; nil: not measured.
func replacementOf(l Layer) *analyse.Replacement {
	if l.Function == nil || l.Function.K3 == nil {
		return nil
	}
	k3, constant := l.Function.K3, l.Function.Constant
	return &analyse.Replacement{Cost: -float64(k3.Diff), Lo: -k3.DiffCI.Hi, Hi: -k3.DiffCI.Lo,
		Needless: constant != nil && -constant.DiffCI.Lo < analyse.MaxCost}
}

// correct fills p_holm: for each null, over the layers.
func correct(layers []Layer) {
	of := map[string][]*NullShares{}
	for i := range layers {
		all := []*NullShares{layers[i].Null}
		for j := range layers[i].Nulls {
			all = append(all, &layers[i].Nulls[j])
		}
		for _, n := range all {
			if n != nil && n.P.Known() {
				of[n.Name] = append(of[n.Name], n)
			}
		}
	}
	for _, list := range of {
		p := make([]float64, len(list))
		for i, n := range list {
			p[i] = float64(n.P)
		}
		for i, v := range stats.Holm(p) {
			list[i].PHolm = null.Float(v)
		}
	}
}

// tooFew says of each null how many draws its corrected p-values want to be able to reach the level: with n draws and L
// layers none is below L/(1+n).
func tooFew(d Analysis) (notes []string) {
	for _, f := range []struct {
		nulls      []string
		what, flag string
	}{{[]string{initializerNull}, "untrained network", "--null-seeds"},
		{[]string{centersNull, mapsNull, tokensNull}, "draw", "--draws"}} {
		of, draws := map[string]int{}, 0 // layers with each null
		for _, l := range d.Layers {
			for _, n := range append(slices.Clone(l.Nulls), nullOf(l)) {
				if slices.Contains(f.nulls, n.Name) && n.P.Known() {
					of[n.Name]++
					draws = max(draws, n.Draws)
				}
			}
		}
		n := 0
		for _, layers := range of {
			n = max(n, layers)
		}
		if least := float64(n) / float64(1+draws); least > analyse.Level {
			takes := fmt.Sprintf("%s %d", f.flag, int(math.Ceil(float64(n)/analyse.Level))-1)
			if ofArrays(d) && f.flag == "--null-seeds" {
				takes = "arrays of " + table.Count(int(math.Ceil(float64(n)/analyse.Level))-1, f.what)
			}
			notes = append(notes, fmt.Sprintf("with %s, p corrected for %s (p_holm) is never below %.2g: %g takes %s",
				table.Count(draws, f.what), table.Count(n, "layer"), least, analyse.Level, takes))
		}
	}
	return notes
}

// verdict answers for a network: what is left if its layers are replaced, which layers act as convolutions, how much of
// their operators is one, how much depends on the image or is elsewhere and, of a network with heads, where these look.
// Arrays and networks of other programs are asked for no accuracy.
func verdict(d Analysis) []string {
	all := []string{howMuch(d), whatAnswersKeep(d), extremes(d, contentShareOf,
		"Of the squared norm on images, %s depends on the image."), extremes(d, elsewhereOf,
		"Of the attention, %s is on tokens that are not on the grid."), whereHeadsLook(d)}
	if !ofArrays(d) && d.Foreign == nil {
		all = append([]string{whatIsLeft(d), whichLayersAct(d)}, all...)
	}
	return slices.DeleteFunc(all, func(sentence string) bool { return sentence == "" })
}

// extremes puts the smallest and the largest percentage of the layers into words; "" if none has a value.
func extremes(d Analysis, of func(l Layer) null.Float, words string) string {
	layers := layersWith(d, func(l Layer) bool { return of(l).Known() })
	if len(layers) == 0 {
		return ""
	}
	slices.SortStableFunc(layers, func(a, b Layer) int { return cmp.Compare(of(a), of(b)) })
	percent := func(l Layer) string { return rounded(of(l), analyse.Percent).Text + " %" }
	text := percent(layers[0])
	if last := layers[len(layers)-1]; percent(last) != text {
		text = fmt.Sprintf("%s (layer %d) to %s (layer %d)", text, layers[0].Layer, percent(last), last.Layer)
	}
	return fmt.Sprintf(words, text)
}

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
	var layers []Layer
	for _, l := range d.Layers {
		if l.Shares != nil {
			layers = append(layers, l)
		}
	}
	if len(layers) == 0 {
		return "No layer is one linear map of its tokens, so there are no shares of its operator."
	}
	slices.SortStableFunc(layers, func(a, b Layer) int {
		return int(math.Copysign(1, float64(withinOf(b)-withinOf(a))))
	})
	quote := func(l Layer) string {
		share := float64(withinOf(l))
		text := fmt.Sprintf("%s %% of the squared norm of the operator of layer %d (relative error %s %%",
			analyse.Percent(share), l.Layer, analyse.Percent(math.Sqrt(max(0, 1-share))))
		if l.Null != nil {
			text += "; " + cmp.Or(d.baseline, "untrained") + " " + spread(*l.Null.Within, analyse.Percent).Text + " %"
		}
		if permuted := nullNamed(tokensNull)(l); permuted != nil && (d.Foreign != nil || ofArrays(d) && l.Null == nil) {
			text += "; with its tokens permuted " + spread(*permuted, analyse.Percent).Text + " %"
		}
		return text + ")"
	}
	text := "One 3 × 3 convolution is " + quote(layers[0])
	if last := layers[len(layers)-1]; len(layers) > 1 {
		text += " and " + quote(last)
	}
	return text + "."
}
