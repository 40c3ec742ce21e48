package measure

import (
	"math"

	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/study"
)

// Means summarises runs of one model for a comparison: means over the layers of each run, and then over runs. untrained are
// analyses of untrained networks. It is nil if no run has a layer with an operator.
func Means(runs, untrained []report.Analysis) *report.LayerMeans {
	d := &report.LayerMeans{Draws: len(untrained)}
	for _, l := range runs[0].Layers {
		if l.Shares != nil {
			d.Layers++
		}
	}
	if d.Layers == 0 {
		return nil
	}
	for _, of := range []struct {
		to  *report.LayerMean
		get func(report.AnalysedLayer) *float64
	}{
		{&d.Within3, withinOf}, {&d.Place, placeOf}, {&d.Tap, func(l report.AnalysedLayer) *float64 { return l.TapScore }},
		{&d.Rank, func(l report.AnalysedLayer) *float64 {
			if l.Rank == nil {
				return nil
			}
			return &l.Rank.Effective
		}},
	} {
		all := study.Summarise(study.Measured{Runs: overLayers(runs, of.get)})
		null := study.Summarise(study.Measured{Runs: overLayers(untrained, of.get)})
		*of.to = report.LayerMean{Mean: report.Finite(all.Mean), Std: report.Finite(all.Std), Null: report.Finite(null.Mean)}
	}
	return d
}

// overLayers returns the mean over the layers of each run that have the value.
func overLayers(runs []report.Analysis, get func(report.AnalysedLayer) *float64) (means []float64) {
	for _, d := range runs {
		sum, n := 0.0, 0.0
		for _, l := range d.Layers {
			if v := get(l); v != nil {
				sum, n = sum+*v, n+1
			}
		}
		if m := sum / n; !math.IsNaN(m) {
			means = append(means, m)
		}
	}
	return means
}
