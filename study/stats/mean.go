package stats

import "math"

// A Mean is a mean over runs with its interval. It is none, NaN, unless all runs have a value.
type Mean struct {
	Mean float64
	// over seeds; none for one run, and if all took as many epochs: an epoch is the unit, so this is not certainty
	CI Interval
}

// NoMean is the Mean of values of which some are missing.
var NoMean = Mean{math.NaN(), NoInterval}

// NewMean returns the mean of n values that are not negative, with Student's interval, limited to 0. Fewer than n have
// none.
func NewMean(values []float64, n int) Mean {
	m := NoMean
	if len(values) < n || n == 0 {
		return m
	}
	m.Mean = Average(values)
	if n > 1 && variance(values) > 0 {
		m.CI = Student(values)
		m.CI.Lo = max(0, m.CI.Lo)
	}
	return m
}

// Student returns the 95 % interval of the mean of two values or more, that of Student's t.
func Student(values []float64) Interval {
	n := float64(len(values))
	c := component{variance(values) / n, n - 1}
	half := c.quantile(confidence) * math.Sqrt(c.v)
	return Interval{Average(values) - half, Average(values) + half}
}
