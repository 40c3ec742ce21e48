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
	if l.Shares == nil {
		return fmt.Sprintf("layer %d: %s", l.Layer, f.OnImages()), nil
	}
	f.Shares = *l.Shares
	if i < len(m.against.shares) {
		f.Null = &analyse.Null{Draws: m.against.shares[i].Draws} // the usual null needs no name
	}
	f.Content = float64(contentOf(l))
	return analyse.Sentence(l.Layer, f)
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
