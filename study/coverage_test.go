package study

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/attnconv/attnconv/run"
)

// A world draws experiments whose truth is known. A run classifies an image correctly if
//
//	level + seed + image + chance > 0
//
// all three normal; chance has variance 1, so that the accuracy over all seeds and images is Φ(level/√(1+seed²+image²)).
type world struct {
	level       float64
	seed, image float64 // standard deviations
	shared      float64 // of a part of the seed's effect that a run of another model with that seed has, too
	images      int
}

func (w world) truth() float64 {
	return distuv.UnitNormal.CDF(w.level / math.Sqrt(1+w.seed*w.seed+w.shared*w.shared+w.image*w.image))
}

// draw is n runs of each model on the same images.
func draw(r *rand.Rand, n int, models ...world) []Measured {
	difficulty, shared := make([]float64, models[0].images), make([]float64, n)
	for i := range difficulty {
		difficulty[i] = r.NormFloat64()
	}
	for s := range shared {
		shared[s] = r.NormFloat64()
	}
	var all []Measured
	for _, w := range models {
		m := Measured{Images: w.images}
		for s := range n {
			level, correct := w.level+w.seed*r.NormFloat64()+w.shared*shared[s], 0
			right := run.NewBits(w.images, func(i int) bool {
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

// How many of the 95 % intervals hold the truth. With few seeds they are on the safe side; the interval of the seeds
// alone, by Student's t, is not: all its runs share their test images.
func TestCoverage(t *testing.T) {
	const experiments = 1500
	for _, tt := range []struct {
		n     int
		w     world
		most  float64
		alone bool // the interval of the seeds alone holds it too seldom
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
		truth, apart := tt.w.truth(), other.truth()-tt.w.truth()
		r := rand.New(rand.NewPCG(17, uint64(tt.n)))
		held := map[string]float64{}
		hold := func(name string, i Interval, truth float64) {
			if i.Lo <= truth && truth <= i.Hi {
				held[name] += 1. / experiments
			}
		}
		for range experiments {
			m := draw(r, tt.n, tt.w, other)
			x, y := m[0], m[1]
			hold("one model", Summarise(x).CI, truth)
			hold("difference", newGap(y, x, both, false).interval(confidence), apart)
			hold("difference, paired", newGap(y, x, both, true).interval(confidence), apart)
			hold("seeds alone", Summarise(of(0, x.Runs...)).CI, truth)
			hold("one model, images not one by one", Summarise(of(x.Images, x.Runs...)).CI, truth)
			hold("difference, images not one by one",
				newGap(of(y.Images, y.Runs...), of(x.Images, x.Runs...), both, false).interval(confidence), apart)
		}
		t.Logf("n %d %+v: %v", tt.n, tt.w, held)
		for name, part := range held {
			least, most := 0.93, 1.001 // a sum of 1/1500
			switch {
			case name == "one model":
				most = tt.most
			case name == "seeds alone" && tt.alone:
				least, most = 0, 0.93
			}
			if part < least || part > most {
				t.Errorf("n %d %+v: %s: %.3f of the intervals hold the truth, want %v to %v", tt.n, tt.w, name, part, least, most)
			}
		}
	}
}
