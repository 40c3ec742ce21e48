package train

import (
	"context"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/memory"
	"github.com/attnconv/attnconv/nn"
)

// An Evaluator answers for batches of pictures, without dropout, by the weights of a network.
type Evaluator struct {
	answerer
	classes int
	fresh   bool // the weights have not moved since the last batch
}

// An answerer computes an Evaluator's logits, on the CPU or on a device.
type answerer interface {
	// logits returns those of pictures x. again says that the weights are as they were at the last call.
	logits(x []float32, again bool) ([]float32, error)
	// FirstBad names the first operation, for the last pictures, whose result is not finite, or "".
	FirstBad() (string, error)
	// Memory returns the bytes that an evaluation holds beside the parameters.
	Memory() int
	Close() error
}

// NewEvaluator returns one of net, on a device, for batches of shape. Its weights are net's own: after they have moved,
// call Refresh.
func NewEvaluator(net nn.Layer, shape Shape, on Device) (*Evaluator, error) {
	a, err := newAnswers(net, shape)
	if err != nil {
		return nil, err
	}
	e := &Evaluator{answerer: a, classes: a.out.Shape()[1]}
	if on.Backend != nil {
		e.answerer, err = newDeviceAnswers(a, on)
	} else {
		a.run = nn.Compile(a.graph)
	}
	return e, err
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
	logits, err := e.logits(b.X, e.fresh)
	e.fresh = err == nil
	return logits, err
}

// answers is the graph of an evaluation, and the CPU's answerer.
type answers struct {
	graph *nn.Graph
	x     []float32
	input *nn.Node // x
	out   *nn.Node
	run   *nn.Func
}

func newAnswers(net nn.Layer, shape Shape) (a *answers, err error) {
	a = &answers{}
	if a.x, err = memory.Floats(shape.size()); err != nil {
		return nil, err
	}
	a.graph, err = nn.Build(false, func(g *nn.Graph) {
		a.input = g.Input("x", a.x, shape[:]...)
		a.out = net.Forward(g, a.input)
	})
	return a, err
}

func (a *answers) logits(x []float32, again bool) ([]float32, error) {
	copy(a.x, x)
	run := a.run.Run
	if again {
		run = a.run.RunAgain
	}
	if err := run(0); err != nil {
		return nil, err
	}
	return nn.Value(a.out), nil
}

func (a *answers) FirstBad() (string, error) { return a.run.FirstBad(0) }
func (a *answers) Memory() int               { return a.run.Memory() + 4*len(a.x) }
func (a *answers) Close() error              { return a.run.Close() }
