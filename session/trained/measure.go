package trained

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/run"
)

// Measurable returns the network for network.Measure, with images of set: so many training images to fit on, and the
// validation images, or the test images if it was trained on all others. A nil set has none. The error is an
// *option.Error for "data", as OpenData's.
func (m *Model) Measurable(set *data.Set, fit int) (network.Subject, error) {
	s := network.Subject{Name: m.ID(), Net: m.Net, Seed: m.Config.Seed}
	var train data.Split
	if set != nil {
		if err := m.fits(set); err != nil {
			return s, err
		}
		of, val, test, err := set.Split(m.Config.Data)
		if err != nil {
			return s, err
		}
		if m.Net.Spec.Whitens() { // else the images would stay in memory
			train = of
		}
		s.Train, s.Held, s.Data, s.Split = of.Sample(fit), val, set.Name, "val"
		if m.Config.Data.OnTest() {
			s.Held, s.Split = test, "test"
		}
	}
	var first *model.Network // whose stem is whitened by the images; they are the same for the others
	s.Fresh = func(seed uint64) (*model.Network, error) {
		net, err := model.New(m.Net.Spec, seed)
		switch {
		case err != nil || train.Len() == 0:
			return net, err
		case first != nil:
			return net, net.WhitenAs(first)
		}
		if err = net.WhitenOn(train, min(m.Config.Train.EvalBatch, train.Len())); err == nil {
			first = net
		}
		return net, err
	}
	_, err := m.started()
	if err == nil && m.Net.Spec.Whitens() {
		s.Start, err = s.Fresh(m.Config.Seed)
	} else {
		s.Start, err = m.Untrained()
	}
	if errors.As(err, new(*UnknownStartError)) {
		return s, nil
	}
	return s, err
}

// Summarize says in a sentence each how convolutional the layers are and where their heads look, next to the start of
// the run, as network.Summarize does.
func (m *Model) Summarize(ctx context.Context) (layers, heads string, err error) {
	s, err := m.Measurable(nil, 0)
	if err != nil {
		return "", "", err
	}
	return network.Summarize(ctx, s)
}

// Snapshots returns the networks that the run of m kept after its epochs, for network.Over. The error is a
// *run.NotFoundError if m is in no run, or if its run has none; that of a snapshot is a *ckpt.CorruptError, also for
// another network than m's.
func (m *Model) Snapshots() (all []network.Snapshot, err error) {
	dir := m.Run()
	if dir == nil {
		return nil, fmt.Errorf("%w\n  %s is in no run: want a run, whose folder has weights after each epoch",
			&run.NotFoundError{What: "snapshots of epochs"}, m.Path)
	}
	epochs, err := dir.Snapshots()
	if err != nil {
		return nil, err
	}
	if len(epochs) == 0 {
		return nil, fmt.Errorf("%w\n  it has finished no epoch, or runs gc --snapshots has removed them; the same "+
			"train command with another --out makes them anew",
			&run.NotFoundError{What: "snapshots of epochs (checkpoints/epoch-NNN.ckpt)", Root: dir.Path})
	}
	for _, epoch := range epochs {
		path := dir.Snapshot(epoch)
		all = append(all, network.Snapshot{Epoch: epoch, Load: func() (*model.Network, error) {
			s, err := Open(path)
			if err != nil {
				return nil, err
			}
			if !reflect.DeepEqual(s.Net.Spec, m.Net.Spec) {
				return nil, &ckpt.CorruptError{Path: path, Reason: "it holds another network than " + m.Path}
			}
			return s.Net, nil
		}})
	}
	return all, nil
}
