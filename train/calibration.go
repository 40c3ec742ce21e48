package train

import "math"

// A Calibration measures how far a network's probabilities agree with its accuracy.
type Calibration struct {
	NLL float64 `json:"nll"` // mean of -log p(label), in nats
	// expected calibration error: Σ_b n_b/n · |acc_b - conf_b|, over bins of the confidence, the largest probability
	ECE  float64 `json:"ece"`
	Bins [15]Bin `json:"bins"` // of equal width, from 0 to 1
}

// A Bin is the predictions whose confidence lies in one interval of 0..1.
type Bin struct {
	N    int     `json:"n"`          // number of images
	Conf float64 `json:"confidence"` // mean probability of the predicted class
	Acc  float64 `json:"acc"`        // accuracy
}

// Calibration is that of softmax(logits / temperature). It ignores images whose logits are not finite.
// Source: Guo, Pleiss, Sun, Weinberger 2017 (arXiv:1706.04599), eq. 3, with their 15 bins.
func (o Outputs) Calibration(temperature float64) (c Calibration) {
	n := 0
	for i, label := range o.Labels {
		predicted := o.Predicted(i)
		if !finite(o.Row(i)) {
			continue
		}
		n++
		logs := logSoftmax(o.Row(i), 1/temperature)
		c.NLL -= logs[label]
		confidence := math.Exp(logs[predicted])
		b := &c.Bins[min(int(confidence*float64(len(c.Bins))), len(c.Bins)-1)]
		b.N++
		b.Conf += confidence
		if predicted == int(label) {
			b.Acc++
		}
	}
	c.NLL /= float64(max(1, n))
	for i := range c.Bins {
		b := &c.Bins[i]
		c.ECE += math.Abs(b.Acc-b.Conf) / float64(max(1, n))
		b.Acc /= float64(max(1, b.N))
		b.Conf /= float64(max(1, b.N))
	}
	return c
}

// The interval that Temperature searches.
const coldest, hottest = 0.01, 100

// Temperature is the T for which softmax(logits / T) gives the labels the largest likelihood, 0.01 to 100. The
// likelihood is a concave function of 1/T, so its slope has one zero, which bisection finds.
// Source: as of Calibration, section 4.2.
func (o Outputs) Temperature() float64 {
	low, high := math.Log(1.0/hottest), math.Log(1.0/coldest)
	for range 50 {
		middle := (low + high) / 2
		if o.slope(math.Exp(middle)) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Exp(-(low + high) / 2)
}

// slope is the derivative of the mean log-likelihood in β = 1/T: the mean of z[label] - Σ_c p_c z_c.
func (o Outputs) slope(beta float64) (sum float64) {
	for i, label := range o.Labels {
		row := o.Row(i)
		if !finite(row) {
			continue
		}
		sum += float64(row[label])
		for c, log := range logSoftmax(row, beta) {
			sum -= math.Exp(log) * float64(row[c])
		}
	}
	return sum / float64(max(1, o.Len()))
}

// logSoftmax is log softmax(β·row).
func logSoftmax(row []float32, beta float64) []float64 {
	top, sum := math.Inf(-1), 0.0
	for _, v := range row {
		top = max(top, beta*float64(v))
	}
	out := make([]float64, len(row))
	for i, v := range row {
		out[i] = beta*float64(v) - top
		sum += math.Exp(out[i])
	}
	for i := range out {
		out[i] -= math.Log(sum)
	}
	return out
}

func finite(row []float32) bool {
	for _, v := range row {
		if x := float64(v); math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}
