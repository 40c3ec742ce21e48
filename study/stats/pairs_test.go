package stats

import (
	"math/rand/v2"
	"testing"
)

// Of one network before and after a change, tested on the same images, the interval of the difference covers the truth
// with probability 0.95 or, where few images change, more; and so does its upper end by itself, with 0.975.
func TestPairedCoverage(t *testing.T) {
	const experiments = 1000
	r := rand.New(rand.NewPCG(11, 12))
	for _, tt := range []struct {
		images              int
		both, first, second float64 // probabilities that an image is right in both, or in only one
	}{
		{5000, 0.85, 0.0001, 0.0001}, {5000, 0.85, 0.002, 0.001}, {5000, 0.84, 0.012, 0.004}, {5000, 0.3, 0.5, 0.02},
		{5000, 0.985, 0.004, 0.001}, {1000, 0.85, 0.01, 0.005}, {500, 0.95, 0.02, 0.002}, {200, 0.6, 0.2, 0.1},
	} {
		covered, below := 0, 0
		truth := tt.second - tt.first
		for range experiments {
			var a, b []bool
			for range tt.images {
				u := r.Float64()
				a = append(a, u < tt.both+tt.first)
				b = append(b, u < tt.both || u >= tt.both+tt.first && u < tt.both+tt.first+tt.second)
			}
			c, err := Compare(oneRun(b), oneRun(a), false)
			if err != nil {
				t.Fatal(err)
			}
			ci := c.CI
			if ci.Lo <= truth && truth <= ci.Hi {
				covered++
			}
			if ci.Lo <= truth {
				below++
			}
		}
		c, l := float64(covered)/experiments, float64(below)/experiments
		t.Logf("%+v: %.3f, lower end %.3f", tt, c, l)
		if c < 0.93 || l < 0.955 {
			t.Errorf("%+v: %.3f of the intervals cover the truth, and %.3f of the lower ends are below it", tt, c, l)
		}
	}
}

func oneRun(right []bool) Accuracies {
	n := 0
	for _, is := range right {
		if is {
			n++
		}
	}
	return Accuracies{Runs: []float64{float64(n) / float64(len(right))}, Images: len(right),
		Right: []Bits{NewBits(len(right), func(i int) bool { return right[i] })}}
}
