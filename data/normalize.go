package data

import (
	"math"

	"github.com/attnconv/attnconv/internal/option"
)

// checkNormalization returns an *option.Error unless Mean and Std are empty, or as many finite numbers, those of Std
// above 0.
func (o Options) checkNormalization() error {
	if len(o.Mean) != len(o.Std) {
		return option.Errorf("data.mean", "%d means and %d deviations (data.std): want one of each for each channel, "+
			"or none", len(o.Mean), len(o.Std))
	}
	for i, std := range o.Std {
		if mean := o.Mean[i]; math.IsNaN(mean) || math.IsInf(mean, 0) {
			return option.Errorf("data.mean", "%v: want finite numbers", o.Mean)
		}
		if !(float32(std) > 0) || math.IsInf(float64(float32(std)), 0) {
			return option.Errorf("data.std", "%v: want numbers above 0", o.Std)
		}
	}
	return nil
}

// With returns f with the means and deviations of o, which has as many as f has channels, or none.
func (f Format) With(o Options) Format {
	if len(o.Mean) > 0 {
		f.Mean, f.Std = floats32(o.Mean), floats32(o.Std)
	}
	return f
}

// With returns s with the means and deviations of o, or s where o has none. The images stay where they are.
func (s *Set) With(o Options) (*Set, error) {
	if len(o.Mean) == 0 {
		return s, nil
	}
	if len(o.Mean) != s.Channels {
		return nil, option.Errorf("data.mean", "%v: want one for each of the %d channels of %s", o.Mean, s.Channels,
			s.Name)
	}
	other := *s
	for _, f := range []*Format{&other.Format, &other.Train.Format, &other.Val.Format, &other.Test.Format} {
		*f = f.With(o)
	}
	return &other, nil
}

func floats32(values []float64) (all []float32) {
	for _, v := range values {
		all = append(all, float32(v))
	}
	return all
}
