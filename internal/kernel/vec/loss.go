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
	return CrossEntropyMixed(dlogits, logits, labels, nil, nil, classes, smoothing, scale)
}

// CrossEntropyMixed is CrossEntropy with labels that are shared with a second class: in q, the one-hot vector of the
// label becomes (1-share)·onehot(label) + share·onehot(other). Nil others are none.
func CrossEntropyMixed(dlogits, logits []float32, labels, others []int32, shares []float32, classes int,
	smoothing, scale float32) (loss float64, correct int) {
	equal(len(labels)*classes, logits)
	if others != nil && (len(others) != len(labels) || len(shares) != len(labels)) {
		panic(fmt.Sprintf("vec: %d labels with %d others and %d shares", len(labels), len(others), len(shares)))
	}
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
		if others != nil && (others[i] >= int32(classes) || others[i] < 0) {
			panic(fmt.Sprintf("vec: row %d has other label %d; want one below %d classes", i, others[i], classes))
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
		wanted := target{label: int(label), other: -1, smoothing: float64(smoothing)}
		if others != nil {
			wanted.other, wanted.share = int(others[i]), float64(shares[i])
		}
		l, best := wanted.row(grad, row, float64(scale)/float64(n))
		loss += l
		if best == int(label) {
			correct++
		}
	}
	return loss / float64(max(n, 1)), correct
}

// A target is what a row should be classified as.
type target struct {
	label, other     int // other is -1 if there is none
	share, smoothing float64
}

// row returns a row's loss and its largest logit's class, and sets grad = scale·(p - q) unless it is nil.
func (t target) row(grad, logits []float32, scale float64) (loss float64, best int) {
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
	rest := t.smoothing / float64(len(logits))
	own, others := (1-t.smoothing)*(1-t.share), (1-t.smoothing)*t.share
	loss = own * (norm - float64(logits[t.label]))
	if t.other >= 0 {
		loss += others * (norm - float64(logits[t.other]))
	}
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
		if c == t.label {
			q += own
		}
		if c == t.other {
			q += others
		}
		grad[c] = float32(scale * (math.Exp(float64(v)-norm) - q))
	}
	return loss, best
}
