package train

import (
	"math"
	"slices"
)

// Outputs are the logits of a set of images, in their order, with the labels.
type Outputs struct {
	Classes int
	Logits  []float32 // (n, classes)
	Labels  []int32   // (n)
}

// Len is the number of images.
func (o Outputs) Len() int { return len(o.Labels) }

// Row is the logits of image i, (classes).
func (o Outputs) Row(i int) []float32 { return o.Logits[i*o.Classes : (i+1)*o.Classes] }

// Predicted is the class with the largest logit of image i, the first of several.
func (o Outputs) Predicted(i int) int {
	row := o.Row(i)
	return slices.Index(row, slices.Max(row)) // -1 for a row with a NaN
}

// Right reports whether image i was classified correctly.
func (o Outputs) Right(i int) bool { return rankOf(o.Row(i), int(o.Labels[i])) == 0 }

// Agreement is the fraction of the images for which other predicts the same class.
func (o Outputs) Agreement(other Outputs) float64 {
	same := 0
	for i := range o.Labels {
		if p := o.Predicted(i); p >= 0 && p == other.Predicted(i) {
			same++
		}
	}
	return float64(same) / float64(max(1, o.Len()))
}

// Probability is softmax(logits)[class] of image i.
func (o Outputs) Probability(i, class int) float64 { return math.Exp(logSoftmax(o.Row(i), 1)[class]) }

// Confusion is the confusion matrix, (class, predicted).
func (o Outputs) Confusion() [][]int {
	counts := make([][]int, o.Classes)
	for c := range counts {
		counts[c] = make([]int, o.Classes)
	}
	for i, label := range o.Labels {
		if p := o.Predicted(i); p >= 0 {
			counts[label][p]++
		}
	}
	return counts
}

// A Score is the accuracy and the loss of a network on a set of images.
type Score struct {
	N        int
	Loss     float64 // mean cross-entropy, without smoothing
	Acc      float64
	Top5     float64
	PerClass []ClassScore
}

// A ClassScore counts the images of one class and the correct predictions among them.
type ClassScore struct{ N, Correct int }

// Score summarizes the outputs.
func (o Outputs) Score() Score {
	s := Score{N: o.Len(), PerClass: make([]ClassScore, o.Classes)}
	var loss float64
	var correct, top5 int
	for i, label := range o.Labels {
		row, class := o.Row(i), &s.PerClass[label]
		class.N++
		loss += crossEntropy(row, int(label))
		switch rank := rankOf(row, int(label)); {
		case rank == 0:
			class.Correct++
			correct++
			fallthrough
		case rank < 5:
			top5++
		}
	}
	n := float64(max(1, s.N))
	s.Loss, s.Acc, s.Top5 = loss/n, float64(correct)/n, float64(top5)/n
	return s
}

// crossEntropy returns -log softmax(row)[label], in float64 and image by image, so that it does not depend on the
// batch.
func crossEntropy(row []float32, label int) float64 {
	top, sum := float64(slices.Max(row)), 0.0
	for _, v := range row {
		sum += math.Exp(float64(v) - top)
	}
	return math.Log(sum) + top - float64(row[label])
}

// rankOf counts the classes that rank above label: those with larger logits, and with equal ones and a smaller index.
func rankOf(row []float32, label int) (rank int) {
	for c, v := range row {
		if v > row[label] || v == row[label] && c < label {
			rank++
		}
	}
	if slices.ContainsFunc(row, func(v float32) bool { return v != v }) {
		return len(row) // a row with a NaN is never correct
	}
	return rank
}
