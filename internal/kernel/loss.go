package kernel

import "math"

// CrossEntropy returns the mean of -Σ_c q[c]·log softmax(logits)[c] over the rows whose label is not negative, and how
// many of them have their largest logit at their label. q is 1-smoothing at the label and smoothing spread evenly over
// all classes. dlogits gets (softmax(logits) - q)/n, zero in rows that do not count.
func CrossEntropy(dlogits, logits []float32, labels []int32, classes int, smoothing float32) (loss float64, correct int) {
	n := 0
	for _, l := range labels {
		if l >= 0 {
			n++
		}
	}
	clear(dlogits)
	rest := float64(smoothing) / float64(classes)
	for i, label := range labels {
		if label < 0 {
			continue
		}
		row, d := logits[i*classes:(i+1)*classes], dlogits[i*classes:(i+1)*classes]
		top := 0
		for c, v := range row {
			if v > row[top] {
				top = c
			}
		}
		if top == int(label) {
			correct++
		}
		shift, sum := float64(row[top]), 0.0
		for _, v := range row {
			sum += math.Exp(float64(v) - shift)
		}
		for c, v := range row {
			q := rest
			if c == int(label) {
				q += 1 - float64(smoothing)
			}
			logp := float64(v) - shift - math.Log(sum)
			if q > 0 {
				loss -= q * logp / float64(n)
			}
			d[c] = float32((math.Exp(logp) - q) / float64(n))
		}
	}
	return loss, correct
}
