package train

import (
	"errors"
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/memory"
	"github.com/attnconv/attnconv/nn"
)

// Prepare checks that the options, the loaders and the network go together, and builds the graphs. Restore needs them.
func (t *Trainer) Prepare() error {
	if err := t.check(); err != nil {
		return err
	}
	t.team = newTeam(t.Group)
	if err := t.team.check(t.Options); err != nil {
		return err
	}
	if err := t.build(t.Net, t.Shape, t.Solver); err != nil {
		return err
	}
	for _, l := range []Batches{t.Train, t.Val} {
		if n := t.step.outputs(); l != nil && l.Labels() >= n {
			return fmt.Errorf("label %d among the images, and the network has %d classes: want 0 to %d", l.Labels(), n,
				n-1)
		}
	}
	if err := t.checkParams(); err != nil {
		return err
	}
	if err := t.checkResized(); err != nil {
		return err
	}
	t.prepareAverage()
	return memory.Check(t.Memory())
}

// Refreeze makes the solver and the average anew, for parameters that were changed or frozen since Prepare. It comes
// before Restore, and before the first step.
func (t *Trainer) Refreeze() error {
	if t.step == nil {
		return errUnprepared
	}
	t.prepareAverage()
	return t.rebuild(t.train.Shape()[1], t.Solver)
}

// build makes the graphs of net for images of that shape, and the batches that they take.
func (t *Trainer) build(net nn.Layer, image [3]int, solver func(Options, []*nn.Param) Solver) (err error) {
	shape := func(n int) Shape { return Shape{n, image[0], image[1], image[2]} }
	how := method{t.Loss, solver}
	if n := t.team.shards(t.Options); n > 1 {
		t.step, err = stepper(newShardedStep(net, shape(t.Options.Batch), t.Options, how, n, &t.team))
	} else {
		t.step, err = newStepper(net, shape(t.Options.Batch), t.Options, how)
	}
	if err != nil {
		return err
	}
	t.train = limitedBatches{resize(t.team.part(t.Train, t.Options), image[0]), t.EpochSteps()}
	if t.Val != nil {
		t.val = resize(t.Val, image[0])
		t.eval, err = NewEvaluator(net, shape(t.Options.EvalBatch), t.Options)
	}
	return err
}

// check returns the first way in which what the trainer was given does not go together.
func (t *Trainer) check() error {
	for _, b := range []*Batches{&t.Train, &t.Val} {
		if l, ok := (*b).(*data.Loader); ok && l == nil {
			*b = nil
		}
	}
	if t.Net == nil || t.Train == nil {
		return errors.New("a Trainer needs a network and a loader to train with: Net and Train")
	}
	if err := t.Options.Validate(); err != nil {
		return err
	}
	if t.Train.Batches() < 1 {
		return errors.New("Train has no batch: want 1 or more in an epoch")
	}
	if t.Shape == [3]int{} {
		shape := t.Train.Shape()
		t.Shape = [3]int(shape[1:])
	}
	for _, l := range []struct {
		name, key string
		loader    Batches
		batch     int
	}{{"Train", "Batch", t.Train, t.Options.Batch}, {"Val", "EvalBatch", t.Val, t.Options.EvalBatch}} {
		if l.loader == nil {
			continue
		}
		want := Shape{l.batch, t.Shape[0], t.Shape[1], t.Shape[2]}
		if got := Shape(l.loader.Shape()); got != want {
			return fmt.Errorf("the loader %s makes batches of %v, and Options.%s and Shape say %v", l.name, got, l.key,
				want)
		}
	}
	return nil
}

// checkParams reports a parameter of the network that Params lacks: it would be neither averaged nor shared with other
// ranks.
func (t *Trainer) checkParams() error {
	used := t.step.uses()
	if t.Params == nil {
		t.Params = used
	}
	for _, p := range used {
		if !slices.Contains(t.Params, p) {
			return fmt.Errorf("the parameters lack %s, which Net uses: want the parameters of this network, or nil "+
				"for all that it uses", p.Name)
		}
	}
	return nil
}

// Memory returns how many bytes both graphs use once they run: those for whole images, until a run with
// Options.Resolutions has others. Prepare comes first.
func (t *Trainer) Memory() (bytes int64) {
	if s, ok := t.step.(interface{ Memory() int }); ok { // a GPU has memory of its own
		bytes = int64(s.Memory())
	}
	if t.eval != nil {
		bytes += int64(t.eval.Memory())
	}
	return bytes + t.average.bytes()
}

var errUnprepared = errors.New("Prepare comes first")

// Close frees the graphs.
func (t *Trainer) Close() { t.closeGraphs() }

func (t *Trainer) closeGraphs() (err error) {
	if t.step != nil {
		err = t.step.Close()
	}
	if t.eval != nil {
		err = errors.Join(err, t.eval.Close())
	}
	t.step, t.eval = nil, nil
	return err
}
