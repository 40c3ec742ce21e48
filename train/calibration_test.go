package train

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outputs makes Outputs of two classes from the log-odds of class 1.
func outputs(odds []float64, labels []int32) Outputs {
	o := Outputs{Classes: 2, Labels: labels}
	for _, z := range odds {
		o.Logits = append(o.Logits, 0, float32(z))
	}
	return o
}

// Four predictions at confidence 0.8, two of them correct, and one at 0.6, correct. By hand: NLL = -(2 log 0.8 + 2 log
// 0.2 + log 0.6)/5 and ECE = 4/5·|0.5 - 0.8| + 1/5·|1 - 0.6| = 0.32.
func TestCalibrationByHand(t *testing.T) {
	four, six := math.Log(4), math.Log(1.5) // odds of 0.8 and of 0.6
	o := outputs([]float64{four, four, -four, -four, six}, []int32{1, 0, 0, 1, 1})
	c := o.Calibration(1)
	nll := -(2*math.Log(0.8) + 2*math.Log(0.2) + math.Log(0.6)) / 5
	if math.Abs(c.NLL-nll) > 1e-7 || math.Abs(c.ECE-0.32) > 1e-7 {
		t.Errorf("NLL %v, ECE %v; want %v, 0.32", c.NLL, c.ECE, nll)
	}
	if b := c.Bins[12]; b.N != 4 || math.Abs(b.Conf-0.8) > 1e-7 || b.Acc != 0.5 { // 0.8 of 15
		t.Errorf("bin of 0.8: %+v, want 4 predictions, half of them correct", b)
	}
	if got, want := o.Score().Loss, c.NLL; math.Abs(got-want) > 1e-7 {
		t.Errorf("loss %v, NLL %v: want the same", got, want)
	}
}

// Labels are drawn from softmax(z), and the network says three times z: the temperature is 3, and with it the
// probabilities can be believed.
func TestTemperatureCorrectsOverconfidence(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var odds []float64
	var labels []int32
	for range 20_000 {
		z, label := 2*r.NormFloat64(), int32(0)
		if r.Float64() < 1/(1+math.Exp(-z)) {
			label = 1
		}
		odds, labels = append(odds, 3*z), append(labels, label)
	}
	o := outputs(odds, labels)
	temperature := o.Temperature()
	if math.Abs(temperature-3) > 0.15 {
		t.Errorf("temperature %v, want 3", temperature)
	}
	before, after := o.Calibration(1), o.Calibration(temperature)
	if after.ECE > 0.02 || before.ECE < 0.05 || after.NLL >= before.NLL {
		t.Errorf("ECE %v, then %v; NLL %v, then %v: want far less, and less", before.ECE, after.ECE, before.NLL,
			after.NLL)
	}
	if s, u := o.Calibration(temperature*0.99).NLL, o.Calibration(temperature*1.01).NLL; min(s, u) < after.NLL {
		t.Errorf("NLL %v near the temperature, %v at it", min(s, u), after.NLL)
	}
}

func TestTemperatureStaysInItsBounds(t *testing.T) {
	for name, tt := range map[string]struct {
		o    Outputs
		want float64
	}{
		"all correct": {outputs([]float64{1, -1}, []int32{1, 0}), coldest},
		"all wrong":   {outputs([]float64{1, -1}, []int32{0, 1}), hottest},
		"not finite":  {outputs([]float64{math.NaN(), math.Inf(1)}, []int32{0, 1}), hottest},
		"nothing":     {Outputs{Classes: 2}, hottest},
	} {
		if got := tt.o.Temperature(); math.Abs(got/tt.want-1) > 1e-6 {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
		if c := tt.o.Calibration(1); math.IsNaN(c.NLL) || math.IsNaN(c.ECE) {
			t.Errorf("%s: %+v, want finite values", name, c)
		}
	}
}

func TestConfusionCountsWhatWasTakenForWhat(t *testing.T) {
	nan := float32(math.NaN())
	o := Outputs{Classes: 3, Labels: []int32{0, 0, 1, 2, 2}, Logits: []float32{
		5, 1, 1, // right
		1, 5, 5, // the first of two
		1, 5, 1, // right
		9, 1, 1, // wrong
		nan, 1, 1, // nothing
	}}
	if diff := cmp.Diff([][]int{{1, 1, 0}, {0, 1, 0}, {1, 0, 0}}, o.Confusion()); diff != "" {
		t.Error(diff)
	}
	if got := o.Agreement(o); got != 0.8 { // a NaN predicts nothing
		t.Errorf("agrees with itself on %v, want 0.8", got)
	}
	if s := o.Score(); s.Acc != 0.4 || s.N != 5 {
		t.Errorf("accuracy %v of %d, want 0.4 of 5", s.Acc, s.N)
	}
}
