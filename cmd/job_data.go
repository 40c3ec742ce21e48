package cmd

import (
	"errors"
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/run"
)

// fitData sets image size and classes of the network to those of the data. It is an error if the user set others.
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

// fitBatch shrinks a default batch that is larger than the training set to the largest power of two with four or more
// batches per epoch.
func (j *job) fitBatch() {
	origin, known := j.o.Config.Origins["train.batch"]
	if n := j.set.TrainLen(j.run.Data); known && !origin.Given() && n < j.run.Train.Batch {
		j.batch = j.run.Train.Batch
		for j.run.Train.Batch = 1; 8*j.run.Train.Batch <= n; {
			j.run.Train.Batch *= 2
		}
	}
}

// split splits the data for training, validation and test. With --overfit-batches all three are the same few training
// images, as many of each class.
func (j *job) split() (trainOn, val, test data.Split, err error) {
	o := j.run.Data
	if !j.overfits() {
		return j.set.Split(o)
	}
	if trainOn, _, _, err = j.set.Split(o); err != nil {
		return trainOn, val, test, err
	}
	if slices.ContainsFunc(j.o.Require, func(r cli.Requirement) bool { return r.Name == "test_acc" }) {
		return trainOn, val, test, cli.Usagef("val_acc is the accuracy on the training images",
			"--require test_acc: --overfit-batches does not use the test set")
	}
	n, most := j.run.Train.OverfitBatches, trainOn.Len()/j.run.Train.Batch
	if n > most && most > 0 { // most == 0 is an error of the loader
		return trainOn, val, test, invalid.Errorf("train.overfit_batches", "%d: want 1 to %d, as there are %d images to "+
			"train on, and %d in a batch", n, most, trainOn.Len(), j.run.Train.Batch)
	}
	o.TrainSize = min(n, most) * j.run.Train.Batch
	trainOn, _, _, err = j.set.Split(o)
	return trainOn, trainOn, trainOn, err
}

// overfits reports whether the run only checks that its model can overfit some batches.
func (j *job) overfits() bool { return j.run.Train.OverfitBatches > 0 }

// trainLoader returns the loader for training: shuffled and augmented, except with --overfit-batches.
func (j *job) trainLoader(s data.Split) (*data.Loader, error) {
	if j.overfits() {
		return data.NewLoader(s, data.LoaderOptions{Batch: j.run.Train.Batch, Seed: j.run.Seed})
	}
	return trainingLoader(j.run, s)
}

func trainingLoader(r configs.Run, s data.Split) (*data.Loader, error) {
	return data.NewLoader(s, data.LoaderOptions{
		Batch: r.Train.Batch, Seed: r.Seed, Augment: r.Data.Augment, Shuffle: true,
	})
}

// evalLoader returns a loader for evaluation: in order, not augmented, the last batch padded.
func (j *job) evalLoader(s data.Split) (*data.Loader, error) {
	return data.NewLoader(s, data.LoaderOptions{Batch: j.run.Train.EvalBatch, Pad: true})
}

// dataPath returns the folder of images if data.name is a path, else "".
func (j *job) dataPath() string {
	name := j.run.Data.Name
	if data.Kinds.Has(name) || cli.Absolute(name) != cli.Absolute(j.set.Path) {
		return ""
	}
	return cli.Absolute(name)
}

// A movedError reports that the data of a run have been moved or removed.
type movedError struct {
	name, path string // of the data
	ref        string // of the run
}

func (e *movedError) Error() string {
	return fmt.Sprintf("run %s: its data, %s, is no longer in %s\n  if it was moved: %s train --resume %s "+
		"--data-dir DIR", e.ref, e.name, e.path, cli.Program(), e.ref)
}

func (e *movedError) Unwrap() error { return &data.Missing{Name: e.name, Dir: e.path} }

// openAgain opens the data of a resumed run: in --data-dir, else in the folder that the run recorded, else in the
// default data folder. The caller compares digests.
func openAgain(c *cli.Console, name string, s run.Status) (*data.Set, error) {
	type place struct{ name, dir string }
	usual := place{name, c.DataDir}
	places, before := []place{usual}, s.DataDir
	asked := c.DataDir != data.Dir()
	switch {
	case s.DataPath != "" && asked:
		places, before = []place{{c.DataDir, c.DataDir}}, s.DataPath
	case s.DataPath != "":
		places, before = []place{{s.DataPath, c.DataDir}, usual}, s.DataPath
	case s.DataDir != "" && !asked:
		places = []place{{name, s.DataDir}, usual}
	}
	var err error
	for _, p := range places {
		var set *data.Set
		if set, err = data.Open(data.Options{Name: p.name}, p.dir); err == nil {
			if p.name != name {
				set.Name = name
			}
			return set, nil
		}
		if missing := (*data.Missing)(nil); !errors.As(err, &missing) {
			return nil, err
		}
	}
	if before != "" && !asked {
		err = &movedError{name, before, s.ID}
	}
	return nil, err
}
