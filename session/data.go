package session

import (
	"errors"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/option"
)

// Fit sets image size and classes of the network to those of the data, and shrinks a batch that the user did not give,
// if it is larger than the training set, to the largest power of two with four or more batches in an epoch. It returns
// the batch before, if it has changed, else 0. The error is a *configs.Error if the user gave another image size or
// number of classes.
func Fit(r *configs.ResolvedRun, set *data.Set) (batch int, err error) {
	if r == nil || set == nil {
		return 0, errors.New("Fit: settings or data are nil: want those of configs.Resolve and sets.Open")
	}
	m, image := &r.Run.Model, [3]int{set.Rows, set.Cols, set.Channels}
	for _, f := range []struct {
		key       string
		same      bool
		got, want any
	}{
		{"model.classes", m.Classes == len(set.Classes), m.Classes, len(set.Classes)},
		{"model.image", m.Image == image, m.Image, image},
	} {
		if origin, known := r.Origins[f.key]; !f.same && known && origin.Given() {
			return 0, r.Explain(option.Errorf(f.key, "%v: %s has %v", f.got, set.Name, f.want))
		}
	}
	m.Classes, m.Image = len(set.Classes), image
	origin, known := r.Origins["train.batch"]
	if n, b := set.TrainLen(r.Run.Data), &r.Run.Train.Batch; known && !origin.Given() && n < *b {
		batch = *b
		for *b = 1; 8**b <= n; {
			*b *= 2
		}
	}
	return batch, nil
}

// split splits the data for training, validation and test. To overfit some batches, all three are the same few training
// images, as many of each class.
func (s *Session) split() (trainOn, val, test data.Split, err error) {
	o, r := s.config.Run.Data, s.config.Run.Train
	trainOn, val, test, err = s.set.Split(o)
	if !s.Overfits() || err != nil {
		return trainOn, val, test, err
	}
	n, most := r.OverfitBatches, trainOn.Len()/r.Batch
	if n > most && most > 0 { // most == 0 is an error of the loader
		return trainOn, val, test, option.Errorf("train.overfit_batches",
			"%d: want 1 to %d, as there are %d images to "+
				"train on, and %d in a batch", n, most, trainOn.Len(), r.Batch)
	}
	o.TrainSize = min(n, most) * r.Batch
	trainOn, _, _, err = s.set.Split(o)
	return trainOn, trainOn, trainOn, err
}

// Overfits reports whether the run only checks that its model can overfit some batches: train.overfit_batches is set.
func (s *Session) Overfits() bool { return s.config.Run.Train.OverfitBatches > 0 }

// trainLoader returns the loader for training: shuffled and augmented, except to overfit.
func (s *Session) trainLoader(on data.Split) (*data.Loader, error) {
	if r := s.config.Run; s.Overfits() {
		return data.NewLoader(on, data.LoaderOptions{Batch: r.Train.Batch, Seed: r.Seed})
	}
	return s.config.Run.Loader(on)
}

// evalLoader returns a loader for evaluation: in order, not augmented, the last batch padded.
func (s *Session) evalLoader(on data.Split) (*data.Loader, error) {
	return data.NewLoader(on, data.LoaderOptions{Batch: s.config.Run.Train.EvalBatch, Pad: true})
}
