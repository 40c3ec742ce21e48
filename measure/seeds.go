package measure

import (
	"fmt"
	"math"
	"strings"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/study"
)

// Seeds summarises the layers of runs that differ in the seed: means, intervals over seeds, and differences from untrained
// layers, corrected for the number of layers. It is empty for fewer than two runs, and if their layers differ.
func Seeds(runs []report.Analysis) []report.SeedLayer {
	all := []report.SeedLayer{}
	if len(runs) < 2 || !alike(runs) {
		return all
	}
	for i := range runs[0].Layers {
		of := func(get func(report.AnalysedLayer) *float64) (values []float64) {
			for _, d := range runs {
				if v := get(d.Layers[i]); v != nil {
					values = append(values, *v)
				}
			}
			return values
		}
		l := report.SeedLayer{Layer: i + 1, N: len(runs)}
		l.Within3 = seeded(of(withinOf), len(runs), nullOf(runs[0].Layers[i]).Each)
		l.Place = seeded(of(placeOf), len(runs), nil)
		l.R2K3 = seeded(of(r2Of), len(runs), r2Draws(runs[0].Layers[i]))
		l.Tap = seeded(of(func(l report.AnalysedLayer) *float64 { return l.TapScore }), len(runs), nil)
		l.Content = seeded(of(contentOf), len(runs), nil)
		l.Shares = meanShares(runs, i)
		all = append(all, l)
	}
	correctSeeds(all)
	for i := range all {
		all[i].Sentence = seedSentence(all[i])
	}
	return all
}

// withinOf is k1 + k3 of a layer, nil without an operator.
func withinOf(l report.AnalysedLayer) *float64 {
	if l.Shares == nil {
		return nil
	}
	return new(l.Shares.K1 + l.Shares.K3)
}

func placeOf(l report.AnalysedLayer) *float64 {
	if l.Shares == nil {
		return nil
	}
	return &l.Shares.Place
}

func r2Of(l report.AnalysedLayer) *float64 {
	if l.Spectrum == nil {
		return nil
	}
	return l.Spectrum.K3
}

// r2Null is the R² of untrained networks; empty if it is unknown.
func r2Null(l report.AnalysedLayer) *report.NullBand {
	if len(r2Draws(l)) == 0 {
		return &report.NullBand{}
	}
	return l.Spectrum.Null.K3
}

// r2Draws are those of untrained networks.
func r2Draws(l report.AnalysedLayer) []float64 {
	if l.Spectrum == nil || l.Spectrum.Null == nil {
		return nil
	}
	return l.Spectrum.Null.Each
}

func alike(runs []report.Analysis) bool {
	for _, d := range runs[1:] {
		if len(d.Layers) != len(runs[0].Layers) {
			return false
		}
		for i, l := range d.Layers {
			if o := runs[0].Layers[i]; l.Kind != o.Kind || l.Channels != o.Channels || l.Grid != o.Grid {
				return false
			}
		}
	}
	return true
}

func meanShares(runs []report.Analysis, layer int) *report.Shares {
	var m report.Shares
	n := float64(len(runs))
	for _, d := range runs {
		s := d.Layers[layer].Shares
		if s == nil {
			return nil
		}
		m.K1, m.K3, m.K5 = m.K1+s.K1/n, m.K3+s.K3/n, m.K5+s.K5/n
		m.K7, m.Larger, m.Place = m.K7+s.K7/n, m.Larger+s.Larger/n, m.Place+s.Place/n
	}
	return &m
}

// seeded summarises the values of n runs, nil if some lack them. The difference from the draws of a null is Welch's, over seeds
// of the runs and of the initialiser.
func seeded(values []float64, n int, draws []float64) *report.Seeded {
	if len(values) < n {
		return nil
	}
	s := study.Summarise(study.Measured{Runs: values})
	d := &report.Seeded{Mean: report.Finite(s.Mean), Std: report.Finite(s.Std), CI: interval(s.CI)}
	if len(draws) > 0 {
		c := study.Compared(study.Measured{Runs: values}, study.Measured{Runs: draws}, false)
		d.Diff, d.DiffCI, d.P = report.Finite(c.Diff), interval(c.CI), report.Finite(c.P)
	}
	return d
}

func interval(i study.Interval) *[2]float64 {
	if math.IsNaN(i.Lo) || math.IsNaN(i.Hi) {
		return nil
	}
	return &[2]float64{i.Lo, i.Hi}
}

// correctSeeds corrects the p-values of each measure over the layers.
func correctSeeds(all []report.SeedLayer) {
	for _, of := range []func(report.SeedLayer) *report.Seeded{
		func(l report.SeedLayer) *report.Seeded { return l.Within3 }, func(l report.SeedLayer) *report.Seeded { return l.R2K3 },
	} {
		p := make([]float64, len(all))
		for i, l := range all {
			if p[i] = math.NaN(); of(l) != nil && of(l).P != nil {
				p[i] = *of(l).P
			}
		}
		for i, v := range study.Holm(p) {
			if s := of(all[i]); s != nil {
				s.PHolm = report.Finite(v)
			}
		}
	}
}

// seedSentence says what the values say, rounded as in the table.
func seedSentence(l report.SeedLayer) string {
	head := fmt.Sprintf("layer %d, %d runs: ", l.Layer, l.N)
	w := l.Within3
	if w == nil || w.Mean == nil {
		return head + "not measured"
	}
	text := analyse.Percent(*w.Mean) + " % of the operator is one 3 × 3 convolution"
	if w.CI != nil {
		text += fmt.Sprintf(" [%s, %s]", analyse.Percent(w.CI[0]), analyse.Percent(w.CI[1]))
	}
	if w.Diff != nil && w.DiffCI != nil && w.PHolm != nil {
		verdict := "no difference from untrained layers is shown"
		if *w.PHolm < 0.05 {
			word := "more"
			if *w.Diff < 0 {
				word = "less"
			}
			verdict = fmt.Sprintf("%.0f points %s than untrained layers", 100*math.Abs(*w.Diff), word)
		}
		text += fmt.Sprintf("; %s [%+.0f, %+.0f], p %s", verdict, 100*w.DiffCI[0], 100*w.DiffCI[1], pValue(*w.PHolm))
	}
	return head + text
}

func pValue(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return strings.TrimRight(fmt.Sprintf("%.3f", p), "0")
}

func seedTable(seeds []report.SeedLayer) *table.Table {
	t := &table.Table{Title: fmt.Sprintf("over %d runs   percent; means, and 95 %% intervals over seeds", seeds[0].N),
		Columns: []table.Column{{Head: "layer", Right: true, Name: true}}}
	for _, head := range []string{"1×1", "3×3", "5×5", "7×7", "larger", "place", "to 3×3", "interval", "R² 3×3", "p (Holm)"} {
		t.Columns = append(t.Columns, table.Column{Head: head, Right: true})
	}
	for _, l := range seeds {
		row := []table.Cell{table.Words(fmt.Sprint(l.Layer))}
		shares := make([]*float64, 6)
		if s := l.Shares; s != nil {
			shares = []*float64{&s.K1, &s.K3, &s.K5, &s.K7, &s.Larger, &s.Place}
		}
		for _, v := range shares {
			row = append(row, rounded(v, analyse.Percent))
		}
		var within, r2, p *float64
		span := table.Words("–")
		if w := l.Within3; w != nil {
			within, p = w.Mean, w.PHolm
			if w.CI != nil {
				span = table.Words(analyse.Percent(w.CI[0]) + "–" + analyse.Percent(w.CI[1]))
			}
		}
		if l.R2K3 != nil {
			r2 = l.R2K3.Mean
		}
		pCell := table.Words("–")
		if p != nil {
			pCell = table.Words(pValue(*p))
		}
		t.Add(append(row, rounded(within, analyse.Percent), span, rounded(r2, analyse.Hundredths), pCell)...)
		t.Notes = append(t.Notes, l.Sentence)
	}
	return t
}
