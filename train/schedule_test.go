package train

import (
	"math"
	"testing"
)

// The reference's learning rates over its 300 epochs of 500 steps, and of the re-training of pruned models.
func TestReferenceRates(t *testing.T) {
	o := Default()
	for epoch, want := range map[int]float64{
		0: 0, 1: 0.00665336, 2: 0.01330672, 5: 0.03326680, 10: 0.06653360, 15: 0.09980040, 16: 0.09999715,
		50: 0.09634537, 100: 0.07970033, 150: 0.05429340, 200: 0.02761987, 250: 0.00754870, 290: 3.395738e-4, 299: 7.745391e-6,
	} {
		for _, step := range []int{epoch * 500, epoch*500 + 499} {
			if got := o.Rate(step, 500); math.Abs(got-want) > 5e-9 {
				t.Errorf("epoch %d, step %d: rate %.9g, the reference has %.9g", epoch, step, got, want)
			}
		}
	}
}

func TestRate(t *testing.T) {
	cosine := Options{Epochs: 10, LR: 1, Schedule: "cosine", Warmup: 0.1}
	steps := Options{Epochs: 300, LR: 0.1, Schedule: "steps", Milestones: []int{80, 150, 250}, Factor: 10}
	early := steps
	early.Early = true
	for _, tt := range []struct {
		name           string
		o              Options
		step, perEpoch int
		want           float64
	}{
		{"warm-up starts above zero", cosine, 0, 100, 0.01},
		{"warm-up ends at the peak", cosine, 99, 100, 1},
		{"cosine starts at the peak", cosine, 100, 100, 1},
		{"cosine's middle", cosine, 550, 100, 0.5},
		{"before the milestone", steps, 79, 1, 0.1},
		{"after the milestone", steps, 80, 1, 0.01},
		{"one epoch early", early, 79, 1, 0.01},
		{"before that", early, 78, 1, 0.1},
		{"all milestones", early, 249, 1, 0.0001},
		{"constant", Options{Epochs: 2, LR: 0.3, Schedule: "constant"}, 5, 10, 0.3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.o.Rate(tt.step, tt.perEpoch); math.Abs(got-tt.want) > 1e-12 {
				t.Errorf("Rate(%d, %d) = %v, want %v", tt.step, tt.perEpoch, got, tt.want)
			}
		})
	}
}
