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
		50: 0.09634537, 100: 0.07970033, 150: 0.05429340, 200: 0.02761987, 250: 0.00754870, 290: 3.395738e-4,
		299: 7.745391e-6,
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

// A schedule knows where the run is, and how long its warm-up was: in all, and with one rate an epoch.
func TestMoment(t *testing.T) {
	var got Moment
	Schedules = append(Schedules, Schedule{Name: "spy", Reads: []string{perEpoch},
		Rate: func(_ Options, at Moment) float64 { got = at; return 0 }})
	defer func() { Schedules = Schedules[:len(Schedules)-1] }()
	for _, tt := range []struct {
		o    Options
		want Moment
	}{
		{Options{Epochs: 10, Warmup: 0.1}, Moment{Epoch: 5, Step: 450, Steps: 900, Warmup: 100}},
		{Options{Epochs: 10}, Moment{Epoch: 5, Step: 550, Steps: 1000}},
		{Options{Epochs: 10, Warmup: 0.1, PerEpoch: true}, Moment{Epoch: 5, Step: 399, Steps: 909, Warmup: 101}},
	} {
		tt.o.Schedule = "spy"
		if tt.o.Rate(550, 100); got != tt.want {
			t.Errorf("%+v: %+v, want %+v", tt.o, got, tt.want)
		}
	}
}
