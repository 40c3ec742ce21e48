package study

import (
	"cmp"
	"math"
	"slices"
)

// A Contrast is the difference of two accuracies.
type Contrast struct {
	Diff   float64
	CI     Interval
	P      float64 // of so large a difference where there is none; NaN unless other seeds are allowed for
	Covers Covers
	Paired bool // run by run
}

// Compared returns how much larger the accuracy of x is than that of base. Paired takes the differences run by run:
// both then have as many, in the same order.
func Compared(x, base Measured, paired bool) Contrast {
	cx, cb := x.covers(), base.covers()
	c := Contrast{Diff: mean(x.Runs) - mean(base.Runs), CI: none, P: math.NaN(),
		Covers: Covers{cx.Seeds && cb.Seeds, cx.Images && cb.Images}}
	c.Paired = paired && c.Covers.Seeds && len(x.Runs) == len(base.Runs)
	if c.Covers == (Covers{}) {
		return c
	}
	d := newGap(x, base, c.Covers, c.Paired)
	c.CI = d.interval(confidence)
	if c.Covers.Seeds {
		c.P = d.p()
	}
	return c
}

// A gap is the difference of two estimates.
type gap struct {
	uncertainty
	x, base estimate
}

func newGap(x, base Measured, covers Covers, paired bool) gap {
	if !covers.Images {
		x.Images, base.Images = 0, 0
	}
	alike := x.Images > 1 && x.Images == base.Images && x.Right != nil && base.Right != nil
	if !alike {
		x.Right, base.Right = nil, nil
	}
	d := gap{x: x.estimate(covers.Seeds), base: base.estimate(covers.Seeds)}
	d.seeds = together(d.x.seeds, d.base.seeds)
	d.images.v = d.x.uncertainty.images.v + d.base.uncertainty.images.v
	twice := d.x.twice + d.base.twice
	if paired {
		perRun := minus(x.Runs, base.Runs)
		d.seeds = part{variance(perRun) / float64(len(perRun)), float64(len(perRun) - 1)}
		if alike {
			cell := func(r, i int) float64 { return x.cell(r, i) - base.cell(r, i) }
			twice = min(d.seeds.v, residual(cell, perRun, minus(x.perImage(), base.perImage())))
		}
	}
	if alike {
		d.images.v = max(0, variance(minus(x.perImage(), base.perImage()))/float64(x.Images)-twice)
	}
	return d
}

// together adds parts up, with the degrees of freedom of Welch and Satterthwaite.
func together(a, b part) part {
	v := a.v + b.v
	if v == 0 {
		return part{0, a.nu + b.nu}
	}
	sum := 0.0
	for _, p := range []part{a, b} {
		if p.v > 0 {
			sum += p.v * p.v / p.nu
		}
	}
	return part{v, v * v / sum}
}

// interval is Newcombe's: it puts the limits of the two accuracies together, so that it stays within -1 and 1,
//
//	diff - √(a² - 2ρab + b²),  a = x - lower limit of x,  b = upper limit of base - base
//
// with ρ the correlation of the two means, and above diff likewise with the other limits.
func (d gap) interval(level float64) Interval {
	t, diff := d.quantile(level), d.x.mean-d.base.mean
	x, base := d.x.interval(t), d.base.interval(t)
	a, b := d.x.variance(), d.base.variance()
	rho := 0.0
	if a*b > 0 {
		rho = min(1, max(-1, (a+b-d.variance())/(2*math.Sqrt(a*b))))
	}
	apart := func(a, b float64) float64 { return math.Sqrt(max(0, a*a-2*rho*a*b+b*b)) }
	return Interval{diff - apart(d.x.mean-x.Lo, base.Hi-d.base.mean), diff + apart(x.Hi-d.x.mean, d.base.mean-base.Lo)}
}

// p is the p-value of no difference: 1 - the level of the widest interval that does not hold 0.
func (d gap) p() float64 {
	holds := func(p float64) bool {
		i := d.interval(1 - p)
		return i.Lo <= 0 && i.Hi >= 0
	}
	if holds(1) {
		return 1
	}
	lo, hi := math.Log(1e-12), 0.0
	for range 50 {
		if half := (lo + hi) / 2; holds(math.Exp(half)) {
			lo = half
		} else {
			hi = half
		}
	}
	return math.Exp(lo)
}

// Holm corrects p-values of several comparisons for their number, so that the chance of one or more false ones stays
// below the level of each. What is NaN is no comparison.
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
	most := 0.0
	for rank, i := range order {
		most = max(most, min(1, float64(len(order)-rank)*p[i]))
		out[i] = most
	}
	return out
}
