package vec

import (
	"math"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
)

func TestCrossEntropy(t *testing.T) {
	l2, l3 := float32(math.Log(2)), float32(math.Log(3))
	for _, tt := range []struct {
		name      string
		logits    []float32
		labels    []int32
		smoothing float32
		loss      float64
		correct   int
	}{
		{"even odds", []float32{0, 0, 0}, []int32{1}, 0, math.Log(3), 0},
		{"the first of equals counts", []float32{0, 0, 0}, []int32{0}, 0, math.Log(3), 1},
		{"p = 1/6, 2/6, 3/6", []float32{0, l2, l3}, []int32{2}, 0, math.Log(2), 1},
		{"smoothed", []float32{0, l2, l3}, []int32{2}, 0.3,
			0.8*math.Log(2) + 0.1*math.Log(3) + 0.1*math.Log(6), 1},
		{"padding", []float32{0, l2, l3, 9, 9, 9, 0, l2, l3}, []int32{2, -1, 1}, 0, (math.Log(2) + math.Log(3)) / 2, 1},
		{"all padding", []float32{1, 2, 3}, []int32{-1}, 0.1, 0, 0},
		{"no rows", nil, nil, 0, 0, 0},
		{"far apart", []float32{1e4, 0, -1e4}, []int32{2}, 0, 2e4, 0},
		{"impossible class", []float32{0, float32(math.Inf(-1)), 0}, []int32{0}, 0, math.Log(2), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			grad := kerneltest.NewFence(len(tt.logits), 1)
			loss, correct := CrossEntropy(grad.In, tt.logits, tt.labels, 3, tt.smoothing, 1)
			if !kerneltest.Near(loss, tt.loss, 1e-7) || correct != tt.correct {
				t.Errorf("loss %v, correct %d; want %v, %d", loss, correct, tt.loss, tt.correct)
			}
			for i, label := range tt.labels {
				var sum float64
				for _, v := range grad.In[3*i : 3*i+3] {
					sum += math.Abs(float64(v))
				}
				if label < 0 && sum != 0 {
					t.Errorf("padding row %d has the gradient %v", i, grad.In[3*i:3*i+3])
				}
			}
			if again, _ := CrossEntropy(nil, tt.logits, tt.labels, 3, tt.smoothing, 1); again != loss {
				t.Errorf("without a gradient: loss %v, want %v", again, loss)
			}
			if grad.Broken() {
				t.Error("wrote outside the gradient")
			}
		})
	}
	if loss, _ := CrossEntropy(nil, []float32{0, float32(math.NaN()), 1}, []int32{0}, 3, 0, 1); loss == loss {
		t.Errorf("a NaN among the logits gives the loss %v", loss)
	}
}

func TestCrossEntropyGrad(t *testing.T) {
	const classes = 7
	labels := []int32{3, -1, 0, 6}
	logits, grad := kerneltest.Sample(len(labels)*classes, 1), make([]float32, len(labels)*classes)
	for _, smoothing := range []float32{0, 0.1} {
		CrossEntropy(grad, logits, labels, classes, smoothing, 2)
		slope(t, "logits", logits, grad, 1e-3, 1e-5, func() float64 {
			loss, _ := CrossEntropy(nil, logits, labels, classes, smoothing, 1)
			return 2 * loss
		})
	}
}

// A label that is shared with another is the mean of the cross entropies of both, and the gradient is that of the loss.
func TestCrossEntropyMixed(t *testing.T) {
	const classes = 5
	labels, others, shares := []int32{3, -1, 0, 2}, []int32{1, 0, 0, 4}, []float32{0.25, 0, 0.5, 0}
	logits, grad := kerneltest.Sample(len(labels)*classes, 1), make([]float32, len(labels)*classes)
	for _, smoothing := range []float32{0, 0.1} {
		got, _ := CrossEntropyMixed(grad, logits, labels, others, shares, classes, smoothing, 2)
		slope(t, "logits", logits, grad, 1e-3, 1e-5, func() float64 {
			loss, _ := CrossEntropyMixed(nil, logits, labels, others, shares, classes, smoothing, 1)
			return 2 * loss
		})
		want := 0.0
		for i, label := range labels {
			if label < 0 {
				continue
			}
			var sum float64
			row := logits[i*classes : (i+1)*classes]
			for _, v := range row {
				sum += math.Exp(float64(v))
			}
			for c, v := range row {
				q := float64(smoothing) / classes
				if int32(c) == label {
					q += (1 - float64(smoothing)) * (1 - float64(shares[i]))
				}
				if int32(c) == others[i] {
					q += (1 - float64(smoothing)) * float64(shares[i])
				}
				want -= q * math.Log(math.Exp(float64(v))/sum) / 3
			}
		}
		if !kerneltest.Near(got, want, 1e-6) {
			t.Errorf("smoothing %v: loss %v, want %v", smoothing, got, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("another class than there are is taken")
		}
	}()
	CrossEntropyMixed(nil, logits[:classes], []int32{0}, []int32{classes}, []float32{0.1}, classes, 0, 1)
}
