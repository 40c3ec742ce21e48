// Package stats has the statistics of comparisons, on plain slices: Summarize for the accuracies of one model, Compare
// for a difference of two, Holm for several p-values. docs/statistics.md has the formulas, their assumptions and their
// sources.
//
// Stable: Accuracies, Summarize, Compare, Holm.
package stats

import (
	"encoding/json"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// confidence is the level of every interval.
const confidence = 0.95

// An Interval is a confidence interval: in JSON a list of its limits, and null if they are unknown.
type Interval struct{ Lo, Hi float64 }

// NoInterval is the Interval of what has none.
var NoInterval = Interval{math.NaN(), math.NaN()}

// Known reports whether there is an interval.
func (i Interval) Known() bool { return !math.IsNaN(i.Lo) && !math.IsNaN(i.Hi) }

// MarshalJSON implements json.Marshaler.
func (i Interval) MarshalJSON() ([]byte, error) {
	if !i.Known() {
		return []byte("null"), nil
	}
	return json.Marshal([2]float64{i.Lo, i.Hi})
}

// UnmarshalJSON implements json.Unmarshaler.
func (i *Interval) UnmarshalJSON(b []byte) error {
	limits := [2]float64{math.NaN(), math.NaN()}
	err := json.Unmarshal(b, &limits)
	*i = Interval{limits[0], limits[1]}
	return err
}

// Accuracies is the accuracies of runs that differ in the seed only, all on the same images. Other values than 0..1,
// such as losses or accuracies in percent, have Student's intervals over seeds: their images are not taken into
// account.
type Accuracies struct {
	Runs   []float64 // accuracy of each run, in 0..1
	Images int       // number of images; 0: unknown
	Right  []Bits    // results of each run by image; nil: unknown
}

// A Sample summarizes the accuracies of runs. Std is the standard deviation between runs (divisor n-1); NaN for n = 1.
type Sample struct {
	N         int
	Mean, Std float64
	CI        Interval // of the mean
	Covers    Coverage // of CI
}

// Coverage are the sources of randomness that an interval accounts for. The zero value is that of no interval.
type Coverage struct{ Seeds, Images bool }

// Words returns the names of the sources.
func (c Coverage) Words() []string {
	words := []string{}
	if c.Seeds {
		words = append(words, "seeds")
	}
	if c.Images {
		words = append(words, "images")
	}
	return words
}

// Summarize returns mean, standard deviation and interval of accuracies.
func Summarize(m Accuracies) Sample {
	s := Sample{N: len(m.Runs), Mean: Average(m.Runs), Std: math.NaN(), CI: NoInterval, Covers: m.covers()}
	if s.N > 1 {
		s.Std = math.Sqrt(variance(m.Runs))
	}
	if s.Covers != (Coverage{}) {
		e := m.estimate(true)
		s.CI = e.interval(e.quantile(confidence))
	}
	return s
}

func (m Accuracies) covers() Coverage {
	return Coverage{len(m.Runs) > 1, len(m.Runs) > 0 && m.Images > 1 && m.fractions()}
}

// fractions reports whether no value is outside 0..1.
func (m Accuracies) fractions() bool {
	return !slices.ContainsFunc(m.Runs, func(v float64) bool { return v < 0 || v > 1 })
}

// A component of the variance of a mean, v, has nu degrees of freedom. nu = 0 stands for infinitely many: a normal
// distribution, as for images.
type component struct{ v, nu float64 }

// uncertainty is the variance of an estimate over seeds and over images.
type uncertainty struct{ seeds, images component }

func (u uncertainty) variance() float64 { return u.seeds.v + u.images.v }

// quantile is Cochran's: the mean of the quantiles of Student's t of the components, weighted by their variances.
func (u uncertainty) quantile(level float64) float64 {
	seeds, images := u.seeds.quantile(level), u.images.quantile(level)
	if u.variance() == 0 {
		return images
	}
	return (seeds*u.seeds.v + images*u.images.v) / u.variance()
}

func (c component) quantile(level float64) float64 {
	if c.nu > 0 {
		return distuv.StudentsT{Sigma: 1, Nu: c.nu}.Quantile((1 + level) / 2)
	}
	return distuv.UnitNormal.Quantile((1 + level) / 2)
}

// An estimate is an accuracy with its uncertainty.
type estimate struct {
	uncertainty
	mean    float64
	images  float64 // number of images; 0: unknown
	overlap float64 // in both components; see Accuracies.estimate
	wide    bool    // the values are not limited to 0..1
}

// estimate decomposes the variance of the mean accuracy p of n runs on N images. The component of the seeds is the
// variance between runs. The component of the images is at most that of the binomial distribution, p(1-p)/N. If the
// results are known by image, runs and images are crossed random factors,
//
//	Var = (MS_runs + MS_images - MS_residual) / (n·N)
//
// and overlap is the third term: MS_runs and MS_images both contain it. Its estimate is limited to that of MS_runs.
func (m Accuracies) estimate(seeds bool) estimate {
	n, images := float64(len(m.Runs)), float64(m.Images)
	e := estimate{mean: Average(m.Runs), images: images, wide: !m.fractions()}
	if seeds && n > 1 {
		e.seeds = component{variance(m.Runs) / n, n - 1}
	}
	switch {
	case m.Images < 2 || e.wide:
	case m.Right != nil && n > 1:
		perImage := m.perImage()
		e.overlap = min(e.seeds.v, residual(m.cell, m.Runs, perImage))
		e.uncertainty.images.v = max(0, variance(perImage)/images-e.overlap)
	default:
		e.uncertainty.images.v = e.mean * (1 - e.mean) / images
	}
	return e
}

// cell returns 1 if run r classified image i correctly, else 0.
func (m Accuracies) cell(r, i int) float64 {
	if m.Right[r].At(i) {
		return 1
	}
	return 0
}

// perImage returns for each image the fraction of runs that classified it correctly.
func (m Accuracies) perImage() []float64 {
	x := make([]float64, m.Images)
	for r := range m.Right {
		for i := range x {
			x[i] += m.cell(r, i) / float64(len(m.Right))
		}
	}
	return x
}

// residual returns MS_residual / (n·N), of the cells minus the effects of their run and image,
//
//	MS_residual = Σ_ri (x_ri - x̄_r - x̄_i + x̄)² / ((n-1)·(N-1))
func residual(cell func(r, i int) float64, perRun, perImage []float64) float64 {
	n, images := float64(len(perRun)), float64(len(perImage))
	whole, sum := Average(perRun), 0.0
	for r, run := range perRun {
		for i, image := range perImage {
			d := cell(r, i) - run - image + whole
			sum += d * d
		}
	}
	return sum / ((n - 1) * (images - 1)) / (n * images)
}

// interval is Wilson's for the effective sample size p(1-p)/Var, the number of images with that binomial variance; t is
// the quantile. Of values outside 0..1 it is mean ± t·√Var.
func (e estimate) interval(t float64) Interval {
	p, v := e.mean, e.variance()
	if e.wide {
		half := t * math.Sqrt(v)
		return Interval{p - half, p + half}
	}
	size := p * (1 - p) / v
	switch {
	case v == 0 && e.images == 0:
		return Interval{p, p}
	case v == 0:
		size = e.images
	case size == 0: // p is 0 or 1, and the variance positive by rounding
		return Interval{p, p}
	}
	w := t * t / size
	middle, half := (p+w/2)/(1+w), t/(1+w)*math.Sqrt(v+w/(4*size))
	return Interval{max(0, middle-half), min(1, middle+half)} // within 0 and 1 despite rounding
}

// Average returns the mean.
func Average(x []float64) float64 { return stat.Mean(x, nil) }

// variance has the divisor n-1.
func variance(x []float64) float64 { return stat.Variance(x, nil) }

func minus(a, b []float64) []float64 { return floats.SubTo(make([]float64, len(a)), a, b) }
