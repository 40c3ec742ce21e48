package network

import (
	"context"
	"fmt"
	"math"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/study/stats"
)

// MeansOf measures the n trained networks of one model, without images, and draws untrained ones. open returns the
// network of run i.
func MeansOf(ctx context.Context, n, draws int, open func(i int) (Subject, error)) (*analyse.LayerMeans, error) {
	var after, before []Analysis
	for i := range n {
		s, err := open(i)
		if err != nil {
			return nil, err
		}
		s.Start = nil
		d, err := Measure(ctx, s, Options{})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		after = append(after, *d)
		for seed := uint64(0); seed < uint64(draws) && len(before) < draws; seed++ {
			if s.Net, err = s.Untrained(seed); err != nil {
				return nil, err
			}
			if d, err = Measure(ctx, s, Options{}); err != nil {
				return nil, err
			}
			before = append(before, *d)
		}
	}
	return layerMeans(after, before), nil
}

// layerMeans summarizes runs of one model for a comparison: means over the layers of each run, and then over runs.
// untrained are analyses of untrained networks. It is nil if no run has a layer with an operator.
func layerMeans(runs, untrained []Analysis) *analyse.LayerMeans {
	d := &analyse.LayerMeans{Draws: len(untrained)}
	for _, l := range runs[0].Layers {
		if l.Shares != nil {
			d.Layers++
		}
	}
	if d.Layers == 0 {
		return nil
	}
	for _, of := range []struct {
		to  *analyse.LayerMean
		get func([]Analysis) []float64 // a value of each run that has it
	}{{&d.Within3, overLayers(withinOf)}, {&d.Place, overLayers(placeOf)}, {&d.Zeros, overLayers(zerosOf)},
		{&d.Repeated, overLayers(repeatedOf)}, {&d.Tap, overLayers(tapOf)}, {&d.Rank, overLayers(rankOf)},
		{&d.Profiles, overLayers(profilesOf)}, {&d.MeanShift, overLayers(shiftOf)}, {&d.Taps, overLayers(tapsOf)},
		{&d.Clamped, overLayers(clampedOf)}, {&d.Trend, trends}} {
		all := stats.Summarize(stats.Accuracies{Runs: of.get(runs)})
		none := stats.Summarize(stats.Accuracies{Runs: of.get(untrained)})
		*of.to = analyse.LayerMean{Mean: null.Float(all.Mean), Std: null.Float(all.Std), Null: null.Float(none.Mean)}
	}
	return d
}

// overLayers returns what gives the mean over the layers of each run that have the value.
func overLayers(get func(Layer) null.Float) func(runs []Analysis) []float64 {
	return func(runs []Analysis) (means []float64) {
		for _, d := range runs {
			sum, n := 0.0, 0.0
			for _, l := range d.Layers {
				if v := get(l); v.Known() {
					sum, n = sum+float64(v), n+1
				}
			}
			if m := sum / n; !math.IsNaN(m) {
				means = append(means, m)
			}
		}
		return means
	}
}

// trends returns the trend of each run that has one.
func trends(runs []Analysis) (all []float64) {
	for _, d := range runs {
		if d.Trend != nil {
			all = append(all, float64(d.Trend.Value))
		}
	}
	return all
}
