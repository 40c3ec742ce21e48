package train

import (
	"context"
	"math"
	"slices"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/nn"
)

// An Evaluator is a graph without dropout over the weights of a network.
type Evaluator struct {
	classes int
	x       []float32
	logits  *nn.Node
	run     *nn.Func
	fresh   bool // the weights have not moved since the last batch
}

// NewEvaluator builds the graph of net for batches of shape. Its weights are net's own: after they have moved, call
// Refresh.
func NewEvaluator(net nn.Layer, shape Shape) (*Evaluator, error) {
	e := &Evaluator{x: make([]float32, shape.size())}
	g, err := nn.Build(false, func(g *nn.Graph) { e.logits = net.Forward(g, g.Input("x", e.x, shape[:]...)) })
	if err != nil {
		return nil, err
	}
	e.classes, e.run = e.logits.Shape()[1], nn.Compile(g)
	return e, nil
}

// A Score is how well a network does on a set of pictures.
type Score struct {
	N        int
	Loss     float64 // mean cross-entropy, without smoothing
	Acc      float64
	Top5     float64
	PerClass []ClassScore
}

// A ClassScore counts the pictures of one class and how many of them were right.
type ClassScore struct{ N, Correct int }

// Refresh says that the weights have moved: what Logits keeps of them from batch to batch is computed anew.
func (e *Evaluator) Refresh() { e.fresh = false }

// Score runs through the first limit batches of l, or all of them if limit is 0, with the weights as they are now.
func (e *Evaluator) Score(ctx context.Context, l *data.Loader, limit int) (Score, error) {
	s := Score{PerClass: make([]ClassScore, e.classes)}
	var loss float64
	var correct, top5, batches int
	e.Refresh()
	for b := range l.Epoch(ctx, 0, 0) {
		if batches++; limit > 0 && batches > limit {
			break
		}
		logits, err := e.Logits(b)
		if err != nil {
			return s, err
		}
		s.N += b.N
		for i, label := range b.Labels[:b.N] {
			row := logits[i*e.classes : (i+1)*e.classes]
			class := &s.PerClass[label]
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
	}
	if err := ctx.Err(); err != nil {
		return s, err
	}
	n := float64(max(1, s.N))
	s.Loss, s.Acc, s.Top5 = loss/n, float64(correct)/n, float64(top5)/n
	return s, nil
}

// Logits returns the network's outputs for a batch, (batch, classes). They are overwritten by the next call.
func (e *Evaluator) Logits(b *data.Batch) ([]float32, error) {
	copy(e.x, b.X)
	run := e.run.Run
	if e.fresh {
		run = e.run.RunAgain
	}
	if err := run(0); err != nil {
		return nil, err
	}
	e.fresh = true
	return nn.Value(e.logits), nil
}

// Memory returns the bytes that an evaluation holds beside the parameters: the graph's results and scratch, the batch.
func (e *Evaluator) Memory() int { return e.run.Memory() + 4*len(e.x) }

// Close frees the graph.
func (e *Evaluator) Close() error { return e.run.Close() }

// crossEntropy returns -log softmax(row)[label], in float64: picture by picture, so that the batch does not matter.
func crossEntropy(row []float32, label int) float64 {
	top, sum := float64(slices.Max(row)), 0.0
	for _, v := range row {
		sum += math.Exp(float64(v) - top)
	}
	return math.Log(sum) + top - float64(row[label])
}

// rankOf counts the classes that come before label: larger logits, and equal ones with a smaller index.
func rankOf(row []float32, label int) (rank int) {
	for c, v := range row {
		if v > row[label] || v == row[label] && c < label {
			rank++
		}
	}
	if slices.ContainsFunc(row, func(v float32) bool { return v != v }) {
		return len(row) // a row with a NaN is never right
	}
	return rank
}
