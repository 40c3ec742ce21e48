package claims

import (
	"math"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/theorem"
)

// What cannot run is an error that says why, whoever calls.
func TestExperimentsThatCannotRun(t *testing.T) {
	good := Experiment{Axes: 2, Kernel: 3, Size: 5, Stride: 1, Dilation: 1, In: 1, Out: 1, Trials: 1, Border: "zero",
		Type: "float32"}
	if _, err := good.Run(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Experiment){
		"axes: want 1 or more, got 0":      func(e *Experiment) { e.Axes = 0 },
		"trials: want 1 or more, got 0":    func(e *Experiment) { e.Trials = 0 },
		"heads: want 0 or more, got -1":    func(e *Experiment) { e.Heads = -1 },
		`border: want interior or one of`:  func(e *Experiment) { e.Border = "mirror" },
		`type: want one of`:                func(e *Experiment) { e.Type = "float16" },
		"a kernel that reads 9 pixels":     func(e *Experiment) { e.Border, e.Kernel = Interior, 9 },
		"at most 268435456 elements":       func(e *Experiment) { e.Axes, e.Size = 40, 50 },
		"α: want a number above 0":         func(e *Experiment) { e.Alpha = -1 },
		"α: want a number above 0 that fl": func(e *Experiment) { e.Alpha = math.NaN() },
		"float32 holds, got 1e+300":        func(e *Experiment) { e.Alpha = 1e300 },
	} {
		e := good
		change(&e)
		if _, err := e.Run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := Exercises(math.NaN()); err == nil {
		t.Error("an exercise with heads of sharpness NaN was solved")
	}
	c := &theorem.Conv[float64]{Geometry: theorem.Geometry{Kernel: []int{3, 3}}, In: 1, Out: 1,
		Weight: make([]float64, 9)}
	soft := []theorem.Head[float64]{theorem.Gaussian[float64]{Center: []float64{0, 0}, Alpha: 1}}
	if _, _, err := theorem.FromConvWith(c, soft, []int{5}); err == nil {
		t.Error("images of one axis were taken for a kernel of two")
	}
	if _, _, err := theorem.FromConvWith(c, append(soft, nil), []int{5, 5}); err == nil {
		t.Error("a head that is nil was taken")
	}
}
