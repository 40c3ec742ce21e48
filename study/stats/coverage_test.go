package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// A world is a random experiment with a known accuracy. A run classifies an image correctly if
//
//	level + seed + shared + image + noise > 0
//
// with independent normal effects. noise has variance 1, so that the accuracy over all seeds and images is
// Φ(level/√(1+seed²+shared²+image²)).
type world struct {
	level       float64
	seed, image float64 // standard deviations
	shared      float64 // standard deviation of the effect that a seed has on all models
	images      int
}

func (w world) truth() float64 {
	return distuv.UnitNormal.CDF(w.level / math.Sqrt(1+w.seed*w.seed+w.shared*w.shared+w.image*w.image))
}

// draw draws n runs of each model on the same images.
func draw(r *rand.Rand, n int, models ...world) []Accuracies {
	difficulty, shared := make([]float64, models[0].images), make([]float64, n)
	for i := range difficulty {
		difficulty[i] = r.NormFloat64()
	}
	for s := range shared {
		shared[s] = r.NormFloat64()
	}
	var all []Accuracies
	for _, w := range models {
		m := Accuracies{Images: w.images}
		for s := range n {
			level, correct := w.level+w.seed*r.NormFloat64()+w.shared*shared[s], 0
			right := NewBits(w.images, func(i int) bool {
				is := level+w.image*difficulty[i]+r.NormFloat64() > 0
				if is {
					correct++
				}
				return is
			})
			m.Runs, m.Right = append(m.Runs, float64(correct)/float64(w.images)), append(m.Right, right)
		}
		all = append(all, m)
	}
	return all
}

// The 95 % intervals cover the truth with probability 0.95 or, with few seeds, more. Student's interval of the seeds
// only covers it less often: all runs share the test images.
func TestCoverage(t *testing.T) {
	const experiments = 1500
	for _, tt := range []struct {
		n     int
		w     world
		most  float64
		alone bool // the interval of only the seeds covers the truth less often than 95 %
	}{
		{2, world{level: 2, seed: 0.05, image: 2}, 0.99, true},
		{2, world{level: 1, seed: 0.3, image: 1}, 0.99, false},
		{3, world{level: 2, seed: 0, image: 2}, 0.98, true},
		{3, world{level: 2, seed: 0.1, image: 2}, 0.98, true},
		{3, world{level: 1, seed: 0.3, image: 1}, 0.97, false},
		{5, world{level: 2, seed: 0.1, image: 2}, 0.97, true},
		{5, world{level: 2, seed: 0.05, image: 2, shared: 0.1}, 0.97, true},
		{10, world{level: -1, seed: 0.1, image: 1}, 0.97, true},
	} {
		tt.w.images = 400
		other := tt.w
		other.level += 0.2
		truth, diff := tt.w.truth(), other.truth()-tt.w.truth()
		r := rand.New(rand.NewPCG(17, uint64(tt.n)))
		coverage := map[string]float64{}
		count := func(name string, i Interval, truth float64) {
			if i.Lo <= truth && truth <= i.Hi {
				coverage[name] += 1. / experiments
			}
		}
		for range experiments {
			m := draw(r, tt.n, tt.w, other)
			x, y := m[0], m[1]
			count("one model", Summarize(x).CI, truth)
			count("difference", newDifference(y, x, both, false).interval(confidence), diff)
			count("difference, paired", newDifference(y, x, both, true).interval(confidence), diff)
			count("seeds alone", Summarize(of(0, x.Runs...)).CI, truth)
			count("one model, not by image", Summarize(of(x.Images, x.Runs...)).CI, truth)
			count("difference, not by image",
				newDifference(of(y.Images, y.Runs...), of(x.Images, x.Runs...), both, false).interval(confidence), diff)
		}
		t.Logf("n %d %+v: %v", tt.n, tt.w, coverage)
		for name, got := range coverage {
			least, most := 0.93, 1.001 // above 1 by the rounding of a sum of 1/1500
			switch {
			case name == "one model":
				most = tt.most
			case name == "seeds alone" && tt.alone:
				least, most = 0, 0.93
			}
			if got < least || got > most {
				t.Errorf("n %d %+v: %s: %.3f of the intervals cover the truth, want %v to %v", tt.n, tt.w, name, got,
					least, most)
			}
		}
	}
}
