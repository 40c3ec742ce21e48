package cmd

import (
	"slices"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/invalid"
)

// fitData makes the network's ends those of the data, unless the user asked for others.
func (j *job) fitData() error {
	m := &j.run.Model
	image := [3]int{j.set.Rows, j.set.Cols, j.set.Channels}
	for _, f := range []struct {
		key  string
		same bool
		got  any
		want any
	}{
		{"model.classes", m.Classes == len(j.set.Classes), m.Classes, len(j.set.Classes)},
		{"model.image", m.Image == image, m.Image, image},
	} {
		if origin, known := j.o.Config.Origins[f.key]; !f.same && known && origin.Given() {
			return j.o.Config.Explain(invalid.Errorf(f.key, "%v: %s has %v", f.got, j.set.Name, f.want))
		}
	}
	m.Classes, m.Image = len(j.set.Classes), image
	j.fitBatch()
	return nil
}

// fitBatch makes a batch that nobody asked for, and that has more images than there are to train on, one of which four
// or more make an epoch.
func (j *job) fitBatch() {
	trainOn, _, _, err := j.set.Split(j.run.Data)
	origin, known := j.o.Config.Origins["train.batch"]
	if n := trainOn.Len(); err == nil && known && !origin.Given() && n < j.run.Train.Batch {
		j.batch = j.run.Train.Batch
		for j.run.Train.Batch = 1; 8*j.run.Train.Batch <= n; {
			j.run.Train.Batch *= 2
		}
	}
}

// split divides the data: to train on, to choose the best epoch by, to test that on. A check by overfitting trains on a
// few pictures, of all classes alike, chooses by the same, and tests nothing.
func (j *job) split() (trainOn, val, test data.Split, err error) {
	o := j.run.Data
	if !j.overfits() {
		return j.set.Split(o)
	}
	if trainOn, _, _, err = j.set.Split(o); err != nil {
		return trainOn, val, test, err
	}
	if slices.ContainsFunc(j.o.Require, func(r requirement) bool { return r.name == "test_acc" }) {
		return trainOn, val, test, usagef("val_acc is the accuracy on the pictures that are learnt by heart",
			"--require test_acc: --overfit-batches does not look at the test set")
	}
	n, most := j.run.Train.OverfitBatches, trainOn.Len()/j.run.Train.Batch
	if n > most && most > 0 { // where there is not even one, the loader says so
		return trainOn, val, test, invalid.Errorf("train.overfit_batches", "%d: want 1 to %d, as there are %d pictures to "+
			"train on, and %d in a batch", n, most, trainOn.Len(), j.run.Train.Batch)
	}
	o.TrainSize = min(n, most) * j.run.Train.Batch
	trainOn, _, _, err = j.set.Split(o)
	return trainOn, trainOn, trainOn, err
}

// overfits reports whether the run only checks that its model can learn some pictures by heart.
func (j *job) overfits() bool { return j.run.Train.OverfitBatches > 0 }

// varied is a loader for training: in an order of the epoch's own, augmented. A check by overfitting has neither.
func (j *job) varied(s data.Split) (*data.Loader, error) {
	if j.overfits() {
		return data.NewLoader(s, data.LoaderOptions{Batch: j.run.Train.Batch, Seed: j.run.Seed})
	}
	return trainingLoader(j.run, s)
}

// trainingLoader is the loader that a run trains with.
func trainingLoader(r configs.Run, s data.Split) (*data.Loader, error) {
	return data.NewLoader(s, data.LoaderOptions{
		Batch: r.Train.Batch, Seed: r.Seed, Augment: r.Data.Augment, Shuffle: true,
	})
}

// plain is a loader for evaluation: in order, not augmented, the last batch padded.
func (j *job) plain(s data.Split) (*data.Loader, error) {
	return data.NewLoader(s, data.LoaderOptions{Batch: j.run.Train.EvalBatch, Pad: true})
}
