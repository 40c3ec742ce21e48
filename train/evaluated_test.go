package train_test

import (
	"math"
	"testing"

	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/train"
)

// An epoch that eval_every leaves out has no accuracy: 0 would be a point of the curve. The last is always evaluated.
func TestEpochsWithoutEvaluation(t *testing.T) {
	tr, _ := trainer(t, func(o *train.Options) { o.EvalEvery = 2 })
	var epochs []event.Epoch
	tr.Observe = func(e event.Event) error {
		if e, ok := e.(event.Epoch); ok {
			epochs = append(epochs, e)
		}
		return nil
	}
	tr.Save = func(bool) error { tr.CursorText(); return nil } // JSON, which has no NaN: it would panic
	if err := tr.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, evaluated := range []bool{false, true, true} {
		e := epochs[i]
		if (e.ValN > 0) != evaluated || math.IsNaN(e.ValAcc) == evaluated || math.IsNaN(e.ValLoss) == evaluated {
			t.Errorf("epoch %d: %d images, loss %v, accuracy %v", i+1, e.ValN, e.ValLoss, e.ValAcc)
		}
		if e.Best && !evaluated {
			t.Errorf("epoch %d was not evaluated, and is the best", i+1)
		}
	}
}
