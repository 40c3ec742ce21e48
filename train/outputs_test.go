package train

import (
	"math"
	"slices"
	"testing"
)

// Of 7 classes the label's logit is the n-th largest for image n: five of the seven images count as correct among the
// top five, one as correct.
func TestTop5CountsFive(t *testing.T) {
	o := Outputs{Classes: 7}
	for rank := range 7 {
		o.Labels = append(o.Labels, int32(rank))
		o.Logits = append(o.Logits, 7, 6, 5, 4, 3, 2, 1)
	}
	if s := o.Score(); s.Top5 != 5./7 || s.Acc != 1./7 {
		t.Errorf("top-5 accuracy %v, accuracy %v; want 5/7, 1/7", s.Top5, s.Acc)
	}
}

// Of equal logits the first is the prediction, and a row with a NaN has none.
func TestFirstOfEqualLogits(t *testing.T) {
	nan := float32(math.NaN())
	o := Outputs{Classes: 3, Logits: []float32{2, 2, 1, 2, 2, 1, 0, 0, 0, 0, 0, 0, 2, 1, nan},
		Labels: []int32{0, 1, 0, 2, 0}}
	for i, want := range []bool{true, false, true, false, false} {
		if got := o.Right(i); got != want {
			t.Errorf("logits %v, label %d: right %t, want %t", o.Row(i), o.Labels[i], got, want)
		}
	}
	if s := o.Score(); s.Acc != 2./5 {
		t.Errorf("accuracy %v, want 2/5", s.Acc)
	}
}

// Images whose logits are not finite are left out of the calibration: its means are over the two others, whose labels
// have the probabilities 0.8 and 0.2 at a confidence of 0.8.
func TestCalibrationWithoutNumbers(t *testing.T) {
	four := math.Log(4)
	o := outputs([]float64{math.NaN(), four, math.Inf(1), four, math.Inf(-1)}, []int32{0, 1, 1, 0, 0})
	c := o.Calibration(1)
	if nll := -(math.Log(0.8) + math.Log(0.2)) / 2; math.Abs(c.NLL-nll) > 1e-7 || math.Abs(c.ECE-0.3) > 1e-7 {
		t.Errorf("NLL %v, ECE %v; want %v, 0.3", c.NLL, c.ECE, nll)
	}
	if b := c.Bins[12]; b.N != 2 {
		t.Errorf("bin of 0.8: %+v, want 2 predictions", b)
	}
}

// The images that are wrong are sorted by the probability of their own class, the least first.
func TestWorst(t *testing.T) {
	nan := float32(math.NaN())
	o := Outputs{Classes: 2, Labels: []int32{0, 1, 1, 0, 1, 0},
		Logits: []float32{0, 1, 0, 5, 3, 0, 0, 3, nan, 1, 0, 9}}
	for n, want := range map[int][]int{0: {}, 1: {5}, 3: {5, 2, 3}, 9: {5, 2, 3, 0}} {
		if got := o.Worst(n); !slices.Equal(got, want) {
			t.Errorf("the worst %d: %v, want %v", n, got, want)
		}
	}
}
