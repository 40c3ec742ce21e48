package tfevents

import (
	"math"

	"github.com/attnconv/attnconv/run/event"
)

// Record writes the scalars of a run's event by step: training, epochs and evaluations, the test set's included. It
// leaves out values that are unknown or not finite.
func (w *Writer) Record(r event.Record) error {
	step, list := 0, []Scalar(nil)
	switch e := r.Event.(type) {
	case event.Step:
		step, list = e.Step, []Scalar{{"train/loss", e.Loss}, {"train/acc", e.Acc}, {"lr", e.LR},
			{"speed/img_s", e.ImgS}}
	case event.Epoch:
		step = e.Step
		list = []Scalar{{"epoch/train_loss", e.TrainLoss}, {"epoch/train_acc", e.TrainAcc},
			{"epoch/val_loss", e.ValLoss},
			{"epoch/val_acc", e.ValAcc}, {"epoch/wall_s", e.WallS}}
		for _, l := range e.Layers {
			list = append(list, Scalar{"weights/" + l.Name, float64(l.Weights)},
				Scalar{"gradients/" + l.Name, float64(l.Gradient)})
		}
	case event.Eval:
		step, list = e.Step, []Scalar{{e.Split + "/loss", e.Loss}, {e.Split + "/acc", e.Acc}}
	case event.End:
		return w.Ended(r.Time, e.State == event.Done)
	}
	finite := list[:0]
	for _, s := range list {
		if !math.IsNaN(s.Value) && !math.IsInf(s.Value, 0) {
			finite = append(finite, s)
		}
	}
	if len(finite) == 0 {
		return w.err
	}
	return w.Scalars(r.Time, step, finite...)
}
