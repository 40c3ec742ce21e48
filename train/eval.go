package train

import (
	"context"
	"errors"
	"fmt"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/memory"
	"github.com/attnconv/attnconv/nn"
)

// An Evaluator computes the logits of batches of images, without dropout.
type Evaluator struct {
	answerer
	shape   Shape
	classes int
	current bool      // the weights have not moved since the last batch
	padded  []float32 // a short batch, padded with zeros
}

// An answerer computes an Evaluator's logits, on the CPU or on a device.
type answerer interface {
	// logits returns those of images x. unchanged says that the weights are those of the last call.
	logits(x []float32, unchanged bool) ([]float32, error)
	// FirstBad names the first operation, for the last images, whose result is not finite, or "".
	FirstBad() (string, error)
	// Memory returns the bytes that an evaluation uses besides the parameters.
	Memory() int
	Close() error
}

// NewEvaluator returns an evaluator of net for batches of shape, on the device and in the precision of o. Its weights
// are net's own: after they have moved, call Refresh.
func NewEvaluator(net nn.Layer, shape Shape, o Options) (*Evaluator, error) {
	a, err := newAnswers(net, shape)
	if err != nil {
		return nil, err
	}
	if a.graph.BFloat16, err = o.roundsFactors(); err != nil {
		return nil, err
	}
	e := &Evaluator{answerer: a, shape: shape, classes: a.out.Shape()[1]}
	if o.Device == nil {
		a.run, err = nn.Compile(a.graph, nil, a.out)
		return e, err
	}
	if e.answerer, err = newDeviceAnswers(a, o.Device); err != nil {
		return nil, err
	}
	return e, nil
}

// Refresh says that the weights have moved: values that Logits caches from batch to batch are recomputed.
func (e *Evaluator) Refresh() { e.current = false }

// Score evaluates the first limit batches of l, or all of them if limit is 0, with the current weights.
func (e *Evaluator) Score(ctx context.Context, l Batches, limit int) (Score, error) {
	o, err := e.Outputs(ctx, l, limit)
	return o.Score(), err
}

// Outputs returns the logits and labels of the first limit batches of l, or of all of them if limit is 0, with the
// current weights.
func (e *Evaluator) Outputs(ctx context.Context, l Batches, limit int) (Outputs, error) {
	return e.outputs(ctx, l, 0, limit)
}

// outputs is Outputs of the batches from to to-1; 0 is the end of all.
func (e *Evaluator) outputs(ctx context.Context, l Batches, from, to int) (Outputs, error) {
	o := Outputs{Classes: e.classes}
	if l == nil {
		return o, errors.New("the batches are nil: want those of data.NewLoader, or your own")
	}
	if got := Shape(l.Shape()); [3]int(got[1:]) != [3]int(e.shape[1:]) || got[0] > e.shape[0] {
		return o, fmt.Errorf("the loader makes batches of %v, and the evaluation takes %v", got, e.shape)
	}
	batch := from
	e.Refresh()
	for b := range l.Epoch(ctx, 0, from) {
		if batch++; to > 0 && batch > to {
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

// Logits returns the network's outputs for the images of a batch, (images, classes): as many as the evaluator's shape
// says, or fewer. They are overwritten by the next call.
func (e *Evaluator) Logits(b *data.Batch) ([]float32, error) {
	if b == nil {
		return nil, errors.New("the batch is nil: want one of Batches.Epoch")
	}
	size := e.shape.size() / e.shape[0]
	images := len(b.X) / size
	if images < 1 || images*size != len(b.X) || images > e.shape[0] {
		return nil, fmt.Errorf("a batch of %d values; want 1 to %v, which are %d values each",
			len(b.X), e.shape, size)
	}
	x := b.X
	if images < e.shape[0] {
		e.padded = append(append(e.padded[:0], x...), make([]float32, e.shape.size()-len(x))...)
		x = e.padded
	}
	logits, err := e.logits(x, e.current)
	if e.current = err == nil; err != nil {
		return nil, err
	}
	return logits[:images*e.classes], nil
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
	if err := checkNet(net, shape); err != nil {
		return nil, err
	}
	a = &answers{}
	if a.x, err = memory.Floats(shape.size()); err != nil {
		return nil, err
	}
	a.graph, err = nn.Build(false, func(g *nn.Graph) {
		a.input = g.Input("x", a.x, shape[:]...)
		a.out = net.Forward(g, a.input)
	})
	if err != nil {
		return nil, err
	}
	if got := a.out.Shape(); len(got) != 2 || got[0] != shape[0] {
		return nil, fmt.Errorf("the network makes %v of %v; want logits (images, classes)", got, shape)
	}
	return a, nil
}

func (a *answers) logits(x []float32, unchanged bool) ([]float32, error) {
	copy(a.x, x)
	run := a.run.Run
	if unchanged {
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
