package train

import (
	"context"

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

// Refresh says that the weights have moved: what Logits keeps of them from batch to batch is computed anew.
func (e *Evaluator) Refresh() { e.fresh = false }

// Score runs through the first limit batches of l, or all of them if limit is 0, with the weights as they are now.
func (e *Evaluator) Score(ctx context.Context, l *data.Loader, limit int) (Score, error) {
	o, err := e.Outputs(ctx, l, limit)
	return o.Score(), err
}

// Outputs is Score, picture by picture.
func (e *Evaluator) Outputs(ctx context.Context, l *data.Loader, limit int) (Outputs, error) {
	o := Outputs{Classes: e.classes}
	batches := 0
	e.Refresh()
	for b := range l.Epoch(ctx, 0, 0) {
		if batches++; limit > 0 && batches > limit {
			break
		}
		logits, err := e.Logits(b)
		if err != nil {
			return o, err
		}
		o.Logits = append(o.Logits, logits[:b.N*e.classes]...)
		o.Labels = append(o.Labels, b.Labels[:b.N]...)
	}
	return o, ctx.Err()
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
