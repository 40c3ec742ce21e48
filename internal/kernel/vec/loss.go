package vec

import (
	"fmt"
	"math"
)

// CrossEntropy returns the mean, over the rows that count, of the cross entropy between softmax(logits) and the
// label-smoothed target q = (1-smoothing)·onehot + smoothing/classes, and in how many of them the largest logit (the
// first of equals) is the label's:
//
//	loss = -1/n·Σ_i Σ_c q[i,c]·log softmax(logits)[i,c],  dlogits = scale·(softmax(logits) - q)/n
//
// logits, dlogits (rows, classes), labels (rows). A row labeled -1 is padding: it does not count and gets no gradient.
// A nil dlogits is not computed. Without any row that counts the loss is 0.
func CrossEntropy(dlogits, logits []float32, labels []int32, classes int, smoothing, scale float32) (loss float64,
	correct int) {
	equal(len(labels)*classes, logits)
	if dlogits != nil {
		equal(len(logits), dlogits)
	}
	n := 0
	for i, label := range labels {
		if label >= int32(classes) || label < -1 {
			panic(fmt.Sprintf("vec: row %d has label %d; want one below %d classes, or -1", i, label, classes))
		}
		if label >= 0 {
			n++
		}
	}
	for i, label := range labels {
		row := logits[i*classes : (i+1)*classes]
		var grad []float32
		if dlogits != nil {
			grad = dlogits[i*classes : (i+1)*classes]
		}
		if label < 0 {
			clear(grad)
			continue
		}
		l, best := crossEntropyRow(grad, row, int(label), float64(smoothing), float64(scale)/float64(n))
		loss += l
		if best == int(label) {
			correct++
		}
	}
	return loss / float64(max(n, 1)), correct
}

// crossEntropyRow returns a row's loss and its largest logit's class, and sets grad = scale·(p - q) unless it is nil.
func crossEntropyRow(grad, logits []float32, label int, smoothing, scale float64) (loss float64, best int) {
	for c, v := range logits {
		if v > logits[best] {
			best = c
		}
	}
	high := float64(logits[best])
	var sum float64
	for _, v := range logits {
		sum += math.Exp(float64(v) - high)
	}
	norm := high + math.Log(sum) // log softmax = logit - norm
	rest := smoothing / float64(len(logits))
	loss = (1 - smoothing) * (norm - float64(logits[label]))
	if rest > 0 {
		for _, v := range logits {
			loss += rest * (norm - float64(v))
		}
	}
	if grad == nil {
		return loss, best
	}
	for c, v := range logits {
		q := rest
		if c == label {
			q += 1 - smoothing
		}
		grad[c] = float32(scale * (math.Exp(float64(v)-norm) - q))
	}
	return loss, best
}
