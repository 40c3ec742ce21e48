package network

import (
	"fmt"
	"math"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/null"
)

// sentence says what the values of layer i say: analyse.Sentence, or what the regressions say where it has no operator.
func (m *measuring) sentence(i int) (string, error) {
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
	if i < len(m.against.shares) {
		f.Null = &analyse.Null{Draws: m.against.shares[i].Draws} // the usual null needs no name
	}
	f.Content = float64(contentOf(l))
	text, err := analyse.Sentence(l.Layer, f)
	v, words := analyse.Judge(pOf(l, m.d.Layers), r)
	m.d.Layers[i].Verdict = &v
	return text + ". Verdict: " + words, err
}

// pOf is the corrected p-value of a layer's share; NaN if there are too few untrained networks for one below the level.
func pOf(l AnalysedLayer, layers []AnalysedLayer) float64 {
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
func replacementOf(l AnalysedLayer) *analyse.Replacement {
	if l.Function == nil || l.Function.K3 == nil {
		return nil
	}
	k3, constant := l.Function.K3, l.Function.Constant
	return &analyse.Replacement{Cost: -float64(k3.Diff), Lo: -k3.DiffCI.Hi, Hi: -k3.DiffCI.Lo,
		Needless: constant != nil && -constant.DiffCI.Lo < analyse.MaxCost}
}

// contentOf returns the content bits of a layer, a mean over its heads.
func contentOf(l AnalysedLayer) null.Float {
	if len(l.Heads) == 0 {
		return null.Unknown
	}
	return null.Float(mean(l.Heads, func(h AnalysedHead) float64 { return float64(h.Content) }))
}

func mean[T any](list []T, of func(T) float64) (m float64) {
	for _, v := range list {
		m += of(v) / float64(len(list))
	}
	return m
}
