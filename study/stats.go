// Package study is what several runs say together: statistics over seeds, which runs can be compared, and the tables.
package study

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// confidence is that of every interval.
const confidence = 0.95

// An Interval is a range of numbers; NaN where there is none.
type Interval struct{ Lo, Hi float64 }

var none = Interval{math.NaN(), math.NaN()}

// around is mean ± Student's quantile with nu degrees of freedom · se.
func around(mean, se, nu float64) Interval {
	if !(nu > 0) {
		return none
	}
	half := distuv.StudentsT{Sigma: 1, Nu: nu}.Quantile((1+confidence)/2) * se
	return Interval{mean - half, mean + half}
}

// A Sample is what is known of a number that was measured n times. Std has n-1 below the fraction; with n = 1 there is
// no Std and no CI (NaN).
type Sample struct {
	N         int
	Mean, Std float64
	CI        Interval // of the mean, by Student's t
}

// Summarise returns the statistics of x.
func Summarise(x []float64) Sample {
	s := Sample{len(x), math.NaN(), math.NaN(), none}
	if len(x) == 0 {
		return s
	}
	s.Mean = mean(x)
	if len(x) > 1 {
		n := float64(len(x))
		s.Std = math.Sqrt(variance(x))
		s.CI = around(s.Mean, s.Std/math.Sqrt(n), n-1)
	}
	return s
}

// Welch returns how much larger the mean of x is than that of base, and the interval of Welch: variances may differ.
//
//	ν = (a + b)² / (a²/(n_x-1) + b²/(n_base-1)),  a = s_x²/n_x,  b = s_base²/n_base
//
// Source: Welch 1947; the degrees of freedom are those of Satterthwaite 1946.
func Welch(x, base []float64) (diff float64, ci Interval) {
	diff = mean(x) - mean(base)
	if len(x) < 2 || len(base) < 2 {
		return diff, none
	}
	n, m := float64(len(x)), float64(len(base))
	a, b := variance(x)/n, variance(base)/m
	if a+b == 0 {
		return diff, Interval{diff, diff}
	}
	return diff, around(diff, math.Sqrt(a+b), (a+b)*(a+b)/(a*a/(n-1)+b*b/(m-1)))
}

// Paired returns the mean of x[i] - base[i] with its interval: for runs that share their seeds.
func Paired(x, base []float64) (diff float64, ci Interval) {
	d := make([]float64, len(x))
	for i := range x {
		d[i] = x[i] - base[i]
	}
	s := Summarise(d)
	return s.Mean, s.CI
}

func mean(x []float64) (m float64) {
	for _, v := range x {
		m += v / float64(len(x))
	}
	return m
}

func variance(x []float64) (v float64) {
	m := mean(x)
	for _, u := range x {
		v += (u - m) * (u - m) / float64(len(x)-1)
	}
	return v
}
