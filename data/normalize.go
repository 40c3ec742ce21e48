package data

import "github.com/attnconv/attnconv/option"

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
