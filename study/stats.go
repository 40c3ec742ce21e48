// Package study is what several runs say together: statistics over seeds and test images, which runs can be compared,
// and the tables. docs/statistics.md has the formulas, their assumptions and their sources.
package study

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/attnconv/attnconv/run"
)

// confidence is that of every interval.
const confidence = 0.95

// An Interval is a range of numbers; NaN where there is none.
type Interval struct{ Lo, Hi float64 }

var none = Interval{math.NaN(), math.NaN()}

// Measured is the accuracies of runs that differ in nothing but the seed, all on the same images.
type Measured struct {
	Runs   []float64  // in 0..1, one a run
	Images int        // how many; 0: not known
	Right  []run.Bits // of each run, image by image; nil: not known
}

// A Sample is what is known of an accuracy. Std is the standard deviation between runs, with n-1 below the fraction;
// with n = 1 there is none (NaN).
type Sample struct {
	N         int
	Mean, Std float64
	CI        Interval // of the mean
	Covers    Covers   // what the interval allows for
}

// Covers names the sources of chance that an interval allows for. The zero value belongs to no interval.
type Covers struct{ Seeds, Images bool }

// Words are those for a table's note and for programs.
func (c Covers) Words() []string {
	words := []string{}
	if c.Seeds {
		words = append(words, "seeds")
	}
	if c.Images {
		words = append(words, "images")
	}
	return words
}

// Summarise returns mean, deviation and interval of accuracies.
func Summarise(m Measured) Sample {
	s := Sample{N: len(m.Runs), Mean: mean(m.Runs), Std: math.NaN(), CI: none, Covers: m.covers()}
	if s.N > 1 {
		s.Std = math.Sqrt(variance(m.Runs))
	}
	if s.Covers != (Covers{}) {
		e := m.estimate(true)
		s.CI = e.interval(e.quantile(confidence))
	}
	return s
}

func (m Measured) covers() Covers { return Covers{len(m.Runs) > 1, len(m.Runs) > 0 && m.Images > 1} }

// A part of the variance of a mean. Its degrees of freedom are 0 where they are so many that the normal distribution
// does, as for images.
type part struct{ v, nu float64 }

// uncertainty is the variance of an estimate: what other seeds would change, and what other images would.
type uncertainty struct{ seeds, images part }

func (u uncertainty) variance() float64 { return u.seeds.v + u.images.v }

// quantile is Cochran's: that of Student's t for either part, weighted by the parts.
func (u uncertainty) quantile(level float64) float64 {
	seeds, images := u.seeds.quantile(level), u.images.quantile(level)
	if u.variance() == 0 {
		return images
	}
	return (seeds*u.seeds.v + images*u.images.v) / u.variance()
}

func (p part) quantile(level float64) float64 {
	if p.nu > 0 {
		return distuv.StudentsT{Sigma: 1, Nu: p.nu}.Quantile((1 + level) / 2)
	}
	return distuv.UnitNormal.Quantile((1 + level) / 2)
}

// An estimate is an accuracy with its uncertainty.
type estimate struct {
	uncertainty
	mean   float64
	images float64 // how many it was measured on; 0: not known
	twice  float64 // see estimate
}

// estimate takes the variance of the mean of n runs apart. The part of the seeds is that between runs; single images
// have a share in it, since each run errs on some that others do not. The part of the images is at most that of the
// binomial distribution, p(1-p)/N. Where they are known one by one, runs and images are two crossed random factors,
//
//	Var = (MS_runs + MS_images - MS_residual) / (n·N)
//
// and twice is what is in both of the first two terms, MS_residual, but for chance no more than MS_runs.
func (m Measured) estimate(seeds bool) estimate {
	n, images := float64(len(m.Runs)), float64(m.Images)
	e := estimate{mean: mean(m.Runs), images: images}
	if seeds && n > 1 {
		e.seeds = part{variance(m.Runs) / n, n - 1}
	}
	switch {
	case m.Images < 2:
	case m.Right != nil && n > 1:
		perImage := m.perImage()
		e.twice = min(e.seeds.v, residual(m.cell, m.Runs, perImage))
		e.uncertainty.images.v = max(0, variance(perImage)/images-e.twice)
	default:
		e.uncertainty.images.v = e.mean * (1 - e.mean) / images
	}
	return e
}

// cell is 1 where run r classified image i correctly.
func (m Measured) cell(r, i int) float64 {
	if m.Right[r].At(i) {
		return 1
	}
	return 0
}

// perImage is the part of the runs that classified each image correctly.
func (m Measured) perImage() []float64 {
	x := make([]float64, m.Images)
	for r := range m.Right {
		for i := range x {
			x[i] += m.cell(r, i) / float64(len(m.Right))
		}
	}
	return x
}

// residual is MS_residual / (n·N): of cells what neither the mean of their run nor that of their image says.
func residual(cell func(r, i int) float64, perRun, perImage []float64) float64 {
	n, images := float64(len(perRun)), float64(len(perImage))
	whole, sum := mean(perRun), 0.0
	for r, run := range perRun {
		for i, image := range perImage {
			d := cell(r, i) - run - image + whole
			sum += d * d
		}
	}
	return sum / ((n - 1) * (images - 1)) / (n * images)
}

// interval is Wilson's, for as many images as would give a binomial variance of that size; t is the quantile.
func (e estimate) interval(t float64) Interval {
	p, v := e.mean, e.variance()
	size := p * (1 - p) / v
	switch {
	case v == 0 && e.images == 0:
		return Interval{p, p}
	case v == 0:
		size = e.images
	case size == 0: // all wrong or all right in the mean, and yet not alike: rounding
		return Interval{p, p}
	}
	w := t * t / size
	middle, half := (p+w/2)/(1+w), t/(1+w)*math.Sqrt(v+w/(4*size))
	return Interval{max(0, middle-half), min(1, middle+half)} // rounding may pass the ends
}

func mean(x []float64) float64 { return stat.Mean(x, nil) }

// variance has n-1 below the fraction.
func variance(x []float64) float64 { return stat.Variance(x, nil) }

func minus(a, b []float64) []float64 { return floats.SubTo(make([]float64, len(a)), a, b) }
