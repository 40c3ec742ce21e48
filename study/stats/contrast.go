package stats

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// A Contrast is the difference of two accuracies.
type Contrast struct {
	Diff   float64
	CI     Interval
	P      float64 // p-value of no difference; NaN unless Coverage.Seeds
	Covers Coverage
	Paired bool // by run
}

// Compare returns the difference of the accuracies of x and base. paired takes differences run by run: run i of x and
// run i of base have the same seed; one run each has no spread over seeds, and is not paired. Images are compared one
// by one if both have results for as many images. The error is for runs to pair whose numbers differ, for models
// without runs, and for results by image that are not those of the runs.
func Compare(x, base Accuracies, paired bool) (Contrast, error) {
	if err := cmp.Or(x.check(), base.check()); err != nil {
		return Contrast{}, err
	}
	if paired && len(x.Runs) != len(base.Runs) {
		return Contrast{}, fmt.Errorf("runs to pair: %d and %d; want as many, run i of both with the same seed, or not "+
			"paired",
			len(x.Runs), len(base.Runs))
	}
	cx, cb := x.covers(), base.covers()
	c := Contrast{Diff: Average(x.Runs) - Average(base.Runs), CI: NoInterval, P: math.NaN(),
		Covers: Coverage{cx.Seeds && cb.Seeds, cx.Images && cb.Images}}
	c.Paired = paired && c.Covers.Seeds
	if c.Covers == (Coverage{}) {
		return c, nil
	}
	d := newDifference(x, base, c.Covers, c.Paired)
	c.CI = d.interval(confidence)
	if c.Covers.Seeds {
		c.P = d.p()
	}
	return c, nil
}

// check returns an error for no runs, and for results by image of other runs or of fewer images.
func (m Accuracies) check() error {
	if len(m.Runs) == 0 {
		return errors.New("no runs: want the accuracy of one or more")
	}
	if m.Right != nil && len(m.Right) != len(m.Runs) {
		return fmt.Errorf("%d runs, and results by image of %d", len(m.Runs), len(m.Right))
	}
	for i, right := range m.Right {
		if 8*len(right) < m.Images {
			return fmt.Errorf("run %d: results of at most %d images, not of %d", i, 8*len(right), m.Images)
		}
	}
	return nil
}

// A difference is that of two estimates.
type difference struct {
	uncertainty
	x, base estimate
}

func newDifference(x, base Accuracies, covers Coverage, paired bool) difference {
	if !covers.Images {
		x.Images, base.Images = 0, 0
	}
	byImage := x.Images > 1 && x.Images == base.Images && x.Right != nil && base.Right != nil
	if !byImage {
		x.Right, base.Right = nil, nil
	}
	d := difference{x: x.estimate(covers.Seeds), base: base.estimate(covers.Seeds)}
	d.seeds = sum(d.x.seeds, d.base.seeds)
	d.images.v = d.x.uncertainty.images.v + d.base.uncertainty.images.v
	overlap := d.x.overlap + d.base.overlap
	if paired {
		perRun := minus(x.Runs, base.Runs)
		d.seeds = component{variance(perRun) / float64(len(perRun)), float64(len(perRun) - 1)}
		if byImage {
			cell := func(r, i int) float64 { return x.cell(r, i) - base.cell(r, i) }
			overlap = min(d.seeds.v, residual(cell, perRun, minus(x.perImage(), base.perImage())))
		}
	}
	if byImage {
		d.images.v = max(0, variance(minus(x.perImage(), base.perImage()))/float64(x.Images)-overlap)
	}
	return d
}

// sum adds the variances of independent means, with the degrees of freedom of Welch and Satterthwaite,
//
//	ν = (v_a + v_b)² / (v_a²/ν_a + v_b²/ν_b)
func sum(a, b component) component {
	v := a.v + b.v
	if v == 0 {
		return component{0, a.nu + b.nu}
	}
	total := 0.0
	for _, p := range []component{a, b} {
		if p.v > 0 {
			total += p.v * p.v / p.nu
		}
	}
	return component{v, v * v / total}
}

// interval is Newcombe's: it combines the intervals of the two accuracies, so that it is within -1 and 1. The lower
// limit is
//
//	diff - √(a² - 2ρab + b²),  a = x - lower limit of x,  b = upper limit of base - base
//
// with ρ the correlation of the two means; the upper limit is the same with the other limits.
func (d difference) interval(level float64) Interval {
	t, diff := d.quantile(level), d.x.mean-d.base.mean
	x, base := d.x.interval(t), d.base.interval(t)
	a, b := d.x.variance(), d.base.variance()
	rho := 0.0
	if a*b > 0 {
		rho = min(1, max(-1, (a+b-d.variance())/(2*math.Sqrt(a*b))))
	}
	width := func(a, b float64) float64 { return math.Sqrt(max(0, a*a-2*rho*a*b+b*b)) }
	return Interval{diff - width(d.x.mean-x.Lo, base.Hi-d.base.mean), diff + width(x.Hi-d.x.mean, d.base.mean-base.Lo)}
}

// p is the p-value of no difference: 1 - the level of the widest interval without 0, found by bisection of log p.
func (d difference) p() float64 {
	containsZero := func(p float64) bool {
		i := d.interval(1 - p)
		return i.Lo <= 0 && i.Hi >= 0
	}
	if containsZero(1) {
		return 1
	}
	lo, hi := math.Log(1e-12), 0.0
	for range 50 {
		if middle := (lo + hi) / 2; containsZero(math.Exp(middle)) {
			lo = middle
		} else {
			hi = middle
		}
	}
	return math.Exp(lo)
}

// Holm corrects the p-values of several comparisons so that the probability of one or more false rejections stays below
// the level of each. NaN stands for no comparison.
//
//	p̃₍ᵢ₎ = max over j ≤ i of min(1, (m-j+1)·p₍ⱼ₎),  p₍₁₎ ≤ … ≤ p₍ₘ₎
//
// Source: Holm 1979.
func Holm(p []float64) []float64 {
	out := slices.Repeat([]float64{math.NaN()}, len(p))
	var order []int
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	largest := 0.0
	for rank, i := range order {
		largest = max(largest, min(1, float64(len(order)-rank)*p[i]))
		out[i] = largest
	}
	return out
}
