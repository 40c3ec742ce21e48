package session

import (
	"context"

	"github.com/attnconv/attnconv/train"
)

// A Plan says what a session trains.
type Plan struct {
	Train, Val, Test   int   // images
	Params             int   // learned parameters
	MACs               int   // multiply-adds of a forward pass of one image
	Memory             int64 // bytes of the graphs, once they run; those of whole images, which need the most
	Epochs, EpochSteps int
	Batches            int // of an epoch that train.limit_train_batches does not cut
	Steps              int // of all epochs
	PresetBatch        int // the batch of the preset, if it was too large for the data; else 0
}

// Plan returns what would be trained. It is known before the first step.
func (s *Session) Plan() Plan {
	r, t := s.config.Run, s.trainer
	return Plan{
		Train: t.Train.Len(), Val: s.val, Test: s.test.Len(), Params: r.Model.Params(), MACs: r.Model.MACs().Run,
		Memory: t.Memory(),
		Epochs: r.Train.Epochs, EpochSteps: t.EpochSteps(), Batches: t.Train.Batches(), Steps: t.Steps(),
		PresetBatch: s.batch,
	}
}

// A Forecast estimates how long a run takes, in seconds, from the median of some measured steps.
type Forecast struct {
	train.Pace
	Total, Left float64 // of the whole run, and of the remaining steps
}

// Estimate measures some steps, which change nothing, and extrapolates to the run.
func (s *Session) Estimate(ctx context.Context) (f Forecast, err error) {
	t := s.trainer
	f.Pace, err = t.Measure(ctx)
	f.Total, f.Left = t.Seconds(f.Pace, train.Cursor{}), t.Seconds(f.Pace, t.Cursor)
	return f, err
}
