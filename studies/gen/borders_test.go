package main

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/study/stats"
)

// Shares of one convolution, in percent, that a reviewer computed from the same files by a program that shares no code
// with this one: means over seeds 0 to 4, and 95 % intervals. 0 was not reported.
func TestBorderSharesOfTheStudies(t *testing.T) {
	all, err := read(filepath.Join(repository, "studies"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		study, arm      string
		layer           int
		zeros, repeated [5]float64 // 1 × 1, 3 × 3, 5 × 5, 7 × 7, any size
		interval        [2]float64 // of repeated edges, any size
	}{
		{"half", "quadratic-tuned", 1, [5]float64{0, 96.7, 97.1, 97.2, 97.3}, [5]float64{75.4, 99.3, 99.6, 99.6, 99.6},
			[2]float64{99.4, 99.8}},
		{"half", "quadratic-tuned", 2, [5]float64{0, 84.9, 87.8, 88.2, 88.5}, [5]float64{12.3, 95.6, 99.0, 99.2, 99.3},
			[2]float64{98.9, 99.6}},
		{"half", "quadratic-tuned", 3, [5]float64{0, 68.4, 80.6, 81.3, 81.5}, [5]float64{13.2, 82.2, 98.7, 99.5, 99.5},
			[2]float64{99.1, 100}},
		{"half", "quadratic-tuned", 4, [5]float64{0, 33.1, 56.8, 68.5, 69.2}, [5]float64{2.0, 43.1, 81.1, 98.8, 99.9},
			[2]float64{99.8, 100}},
		{"half", "quadratic-tuned", 5, [5]float64{0, 8.6, 36.7, 48.6, 58.2}, [5]float64{1.2, 13.1, 61.4, 83.8, 99.9},
			[2]float64{99.8, 100}},
		{"half", "quadratic-tuned", 6, [5]float64{0, 22.6, 31.9, 38.9, 52.7}, [5]float64{4.5, 30.1, 49.2, 67.4, 99.6},
			[2]float64{98.9, 100.3}},
		{"half", "quadratic", 5, [5]float64{4: 55.7}, [5]float64{4: 92.4}, [2]float64{}},
		{"half", "quadratic", 6, [5]float64{4: 58.3}, [5]float64{4: 79.7}, [2]float64{}},
		{"control", "quadratic", 2, [5]float64{4: 96.7}, [5]float64{4: 52.4}, [2]float64{}},
		{"control", "quadratic", 6, [5]float64{4: 82.3}, [5]float64{4: 69.1}, [2]float64{}},
	} {
		var layers []*analyse.Operator
		for _, r := range all.of[tt.study] {
			if r.arm == tt.arm && r.size == 0 && r.seed >= 0 && r.seed < 5 {
				last := r.Heads[fmt.Sprintf("%03d", len(r.Epochs))].Layers
				o, err := last[tt.layer-1].operator(r.Operator.Gram[tt.layer-1])
				if err != nil {
					t.Fatal(err)
				}
				layers = append(layers, o)
			}
		}
		if want := map[string]int{"half": 5, "control": 1}[tt.study]; len(layers) != want {
			t.Fatalf("%s/%s: %d runs, want %d", tt.study, tt.arm, len(layers), want)
		}
		for border, printed := range [][5]float64{analyse.Zeros: tt.zeros, analyse.Replicate: tt.repeated} {
			border := analyse.Border(border)
			for i, want := range printed {
				var shares []float64
				for _, o := range layers {
					shares = append(shares, 100*o.BorderShares(border).Within([]int{1, 3, 5, 7, 99}[i]))
				}
				s := stats.Summarize(stats.Accuracies{Runs: shares})
				what := fmt.Sprintf("%s/%s, layer %d, border %d, size %d", tt.study, tt.arm, tt.layer, border, i)
				if want > 0 && math.Abs(s.Mean-want) > 0.1 {
					t.Errorf("%s: %.2f, want %.1f", what, s.Mean, want)
				}
				if ci := tt.interval; border == analyse.Replicate && i == 4 && ci[0] > 0 &&
					max(math.Abs(s.CI.Lo-ci[0]), math.Abs(s.CI.Hi-ci[1])) > 0.1 {
					t.Errorf("%s: [%.2f, %.2f], want %v", what, s.CI.Lo, s.CI.Hi, ci)
				}
			}
		}
	}
}
