package train

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/nn"
)

// Progressive resolution: early epochs train on smaller copies of the images, which cost less (Howard 2018, fastai's entry to
// DAWNBench; Tan, Le 2021, arXiv:2104.00298). Sides n share E epochs: epoch e, counted from 0, has side
//
//	Resolutions[⌊e·n/E⌋]
//
// Parameters, and with them the solver's slots, averages and checkpoints, are those of the whole images throughout: what
// differs is the graph that reads them (Resizable).

// A Resizable network has another layer for images that show the same in fewer pixels, over the same parameters: nn.Rebuild
// makes one. *model.Network is Resizable.
type Resizable interface {
	nn.Layer
	// Resized returns that layer, for images of rows × cols. The error says why there is none.
	Resized(rows, cols int) (nn.Layer, error)
}

const resolutionsKey = "train.resolutions"

// Side returns the side of the images that an epoch, counted from 0, trains on, in pixels; 0: the images as they are.
func (o Options) Side(epoch int) int {
	n := len(o.Resolutions)
	if n == 0 || o.Epochs < 1 {
		return 0
	}
	return o.Resolutions[min(max(0, epoch*n/o.Epochs), n-1)]
}

// Sides returns the different sides, in their order; none without Resolutions.
func (o Options) Sides() []int { return slices.Compact(slices.Clone(o.Resolutions)) }

// checkResolutions returns the rule that Resolutions break, whatever the images.
func (o Options) checkResolutions() error {
	for i, side := range o.Resolutions {
		if side < 1 || i > 0 && side < o.Resolutions[i-1] {
			return invalid.Errorf(resolutionsKey, "%v: want sides in pixels, 1 or more, that never fall", o.Resolutions)
		}
	}
	if n := len(o.Resolutions); n > o.Epochs {
		return invalid.Errorf(resolutionsKey, "%v: %d sides cannot share %d epochs; want an epoch or more for each", o.Resolutions, n, o.Epochs)
	}
	return nil
}

// checkResized returns the rule that Resolutions break with these images, this network or on this device. Prepare has built what
// trains on whole images.
func (t *Trainer) checkResized() error {
	sides := t.Options.Sides()
	if len(sides) == 0 {
		return nil
	}
	bad := func(format string, args ...any) error {
		return invalid.Errorf(resolutionsKey, "%v: %s", t.Options.Resolutions, fmt.Sprintf(format, args...))
	}
	switch last := sides[len(sides)-1]; {
	case t.Options.Device != nil:
		return bad("a GPU cannot change resolution yet; want none")
	case t.Shape[0] != t.Shape[1]:
		return bad("the images are %d × %d pixels; want square ones", t.Shape[0], t.Shape[1])
	case last != t.Shape[0]:
		return bad("the images are %d × %d pixels; want %d as the last side, and none above", t.Shape[0], t.Shape[1], t.Shape[0])
	}
	net, ok := t.Net.(Resizable)
	if !ok {
		return bad("the network cannot be made for smaller images: it is not Resizable")
	}
	for _, side := range sides[:len(sides)-1] {
		if _, err := net.Resized(side, side); err != nil {
			return bad("side %d: %s", side, err)
		}
	}
	return nil
}

// reduced returns the side of an epoch's images, counted from 0, where they are smaller than Shape, else 0.
func (t *Trainer) reduced(epoch int) int { return t.smallerThanWhole(t.Options.Side(epoch)) }

func (t *Trainer) smallerThanWhole(side int) int {
	if side == t.Shape[0] {
		return 0
	}
	return side
}

// enter makes the graphs of a side, 0 for whole images, unless they are there. The solver stays.
func (t *Trainer) enter(side int) error {
	if side == t.side {
		return nil
	}
	solver, params := t.step.learner()
	if err := errors.Join(t.step.Sync(), t.closeGraphs()); err != nil {
		return err
	}
	net, shape := t.Net, t.Shape
	if side > 0 {
		var err error
		if net, err = t.Net.(Resizable).Resized(side, side); err != nil {
			return fmt.Errorf("train: %s: side %d: %w", resolutionsKey, side, err)
		}
		shape[0], shape[1] = side, side
	}
	same := func(_ Options, now []*nn.Param) Solver {
		if !slices.EqualFunc(now, params, func(a, b *nn.Param) bool { return a.Name == b.Name }) {
			return nil
		}
		return solver
	}
	if err := t.build(net, shape, same); err != nil {
		return err
	}
	t.clock.resized(t.side, side, t.Shape[0])
	t.side = side
	return nil
}

// build makes the graphs of net for images of that shape.
func (t *Trainer) build(net nn.Layer, image [3]int, solver func(Options, []*nn.Param) Solver) (err error) {
	shape := func(n int) Shape { return Shape{n, image[0], image[1], image[2]} }
	how := method{t.Loss, solver}
	if n := t.shards(); n > 1 {
		t.step, err = stepper(newShardedStep(net, shape(t.Options.Batch), t.Options, how, n, t.link))
	} else {
		t.step, err = newStepper(net, shape(t.Options.Batch), t.Options, how)
	}
	if err != nil {
		return err
	}
	if t.Val != nil {
		t.eval, err = NewEvaluator(net, shape(t.Options.EvalBatch), t.Options)
	}
	return err
}

// at returns the batches of b at the side of the graphs.
func (t *Trainer) at(b Batches) Batches {
	if t.side == 0 {
		return b
	}
	return smaller{b, t.side}
}

// smaller are batches of images reduced to a side.
type smaller struct {
	of   Batches
	side int
}

func (s smaller) Batches() int { return s.of.Batches() }
func (s smaller) Len() int     { return s.of.Len() }
func (s smaller) Labels() int  { return s.of.Labels() }

func (s smaller) Shape() [4]int {
	shape := s.of.Shape()
	return [4]int{shape[0], s.side, s.side, shape[3]}
}

// Epoch reduces images behind augmentation and normalisation, where they are used: that takes far less time than a step.
func (s smaller) Epoch(ctx context.Context, epoch, from int) iter.Seq[*data.Batch] {
	shape := s.of.Shape()
	reduce, err := data.NewReduction(shape[1], shape[2], shape[3], s.side, s.side)
	if err != nil {
		panic(err) // checkResized has refused it
	}
	return func(yield func(*data.Batch) bool) {
		var own data.Batch
		for b := range s.of.Epoch(ctx, epoch, from) {
			large, small := reduce.Size()
			n := len(b.X) / large * small
			own.X, own.Labels, own.N = slices.Grow(own.X[:0], n)[:n], b.Labels, b.N
			reduce.Images(own.X, b.X)
			if !yield(&own) {
				return
			}
		}
	}
}
