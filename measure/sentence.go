package measure

import (
	"fmt"
	"math"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/report"
)

// sentence says what the values of layer i say: analyse.Sentence, or what the regressions say where it has no operator.
func (m *measuring) sentence(i int) (string, error) {
	l := m.d.Layers[i]
	f := analyse.Finding{Mean: l.ByImage, TapScore: orNaN(l.TapScore), R2: math.NaN(), Content: math.NaN()}
	if l.Spectrum != nil {
		f.R2 = orNaN(l.Spectrum.K3)
	}
	if each := r2Draws(l); len(each) > 0 {
		f.NullR2 = new(analyse.NewBand(each))
	}
	if l.Shares == nil {
		return fmt.Sprintf("layer %d: %s", l.Layer, f.OnImages()), nil
	}
	f.Shares = analyse.Shares(*l.Shares)
	if i < len(m.against.shares) {
		f.Null = &analyse.Null{Draws: m.against.shares[i].Draws} // the usual null needs no name
	}
	f.Content = orNaN(contentOf(l))
	return analyse.Sentence(l.Layer, f)
}

// contentOf returns the content bits of a layer, a mean over its heads; nil: unknown.
func contentOf(l report.AnalysedLayer) *float64 {
	if len(l.Heads) == 0 || l.Heads[0].Content == nil {
		return nil
	}
	return new(mean(l.Heads, func(h report.AnalysedHead) float64 { return *h.Content }))
}

func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

func mean[T any](list []T, of func(T) float64) (m float64) {
	for _, v := range list {
		m += of(v) / float64(len(list))
	}
	return m
}
