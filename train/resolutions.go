package train

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
)

// Progressive resolution: early epochs train on smaller copies of the images, which cost less (Howard 2018, fastai's
// entry to DAWNBench; Tan, Le 2021, arXiv:2104.00298). Sides n share E epochs: epoch e, counted from 0, has side
//
//	Resolutions[⌊e·n/E⌋]
//
// Parameters, and with them the solver's slots, averages and checkpoints, are those of the whole images throughout:
// what differs is the graph that reads them (Resizable).

// A Resizable network has another layer for images that show the same in fewer pixels, over the same parameters:
// nn.Rebuild makes one. *model.Network is Resizable.
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

// sides returns the different sides, in their order; none without Resolutions.
func (o Options) sides() []int { return slices.Compact(slices.Clone(o.Resolutions)) }

// checkResolutions returns the rule that Resolutions break, whatever the images.
func (o Options) checkResolutions() error {
	for i, side := range o.Resolutions {
		if side < 1 || i > 0 && side < o.Resolutions[i-1] {
			return option.Errorf(resolutionsKey, "%v: want sides in pixels, 1 or more, that never fall", o.Resolutions)
		}
	}
	if n := len(o.Resolutions); n > o.Epochs {
		return option.Errorf(resolutionsKey, "%v: %d sides cannot share %d epochs; want an epoch or more for each",
			o.Resolutions, n, o.Epochs)
	}
	return nil
}

// checkResized returns the rule that Resolutions break with these images, this network or on this device. Prepare has
// built what trains on whole images.
func (t *Trainer) checkResized() error {
	sides := t.Options.sides()
	if len(sides) == 0 {
		return nil
	}
	bad := func(format string, args ...any) error {
		return option.Errorf(resolutionsKey, "%v: %s", t.Options.Resolutions, fmt.Sprintf(format, args...))
	}
	switch last := sides[len(sides)-1]; {
	case t.Options.Device != nil:
		return bad("a GPU cannot change resolution yet; want none")
	case t.Shape[0] != t.Shape[1]:
		return bad("the images are %d × %d pixels; want square ones", t.Shape[0], t.Shape[1])
	case last != t.Shape[0]:
		return bad("the images are %d × %d pixels; want %d as the last side, and none above", t.Shape[0], t.Shape[1],
			t.Shape[0])
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

// side returns the side of an epoch's images, counted from 0.
func (t *Trainer) side(epoch int) int { return cmp.Or(t.Options.Side(epoch), t.Shape[0]) }

// enter makes what trains and evaluates at a side, unless it is there. The solver stays.
func (t *Trainer) enter(side int) error {
	now := t.train.Shape()[1]
	if side == now {
		return nil
	}
	solver, params := t.step.learner()
	same := func(_ Options, now []*nn.Param) Solver {
		if !slices.EqualFunc(now, params, func(a, b *nn.Param) bool { return a.Name == b.Name }) {
			return nil
		}
		return solver
	}
	if err := t.rebuild(side, same); err != nil {
		return err
	}
	t.Cursor.resized(pixelRatio(now, side))
	return nil
}

// rebuild makes what trains and evaluates at a side anew, with another solver.
func (t *Trainer) rebuild(side int, solver func(Options, []*nn.Param) Solver) error {
	if err := errors.Join(t.step.Sync(), t.closeGraphs()); err != nil {
		return err
	}
	net, shape := t.Net, t.Shape
	if side != shape[0] {
		var err error
		if net, err = t.Net.(Resizable).Resized(side, side); err != nil {
			return fmt.Errorf("%s: side %d: %w", resolutionsKey, side, err)
		}
		shape[0], shape[1] = side, side
	}
	return t.build(net, shape, solver)
}
