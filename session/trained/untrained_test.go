package trained_test

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/session/trained"
)

// A run without epochs has the weights that it begins with, to the bit, running means of batch norms included. It is
// done and tested, and more epochs can follow.
func TestRunWithoutATrainingStep(t *testing.T) {
	for _, kind := range []string{"mhsa", "resnet10"} {
		o := tiny(t, "model.kind="+kind, "model.width=4", "train.limit_val_batches=0")
		if _, err := session.Train(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		theirs, err := trained.Open(filepath.Join(o.Root, "latest"))
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "imported.ckpt")
		if err := theirs.Save(file); err != nil {
			t.Fatal(err)
		}
		from, err := trained.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		adopted := o
		adopted.From, adopted.Root = from, t.TempDir()
		adopted.Settings.Train.Epochs = 0
		summary, err := session.Train(t.Context(), adopted)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(adopted.Root, "latest")
		m, err := trained.Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range theirs.Net.Tensors() {
			if y := m.Net.Tensors()[i]; y.Name != x.Name || !slices.Equal(y.Data, x.Data) {
				t.Errorf("%s: %s differs", kind, x.Name)
			}
		}
		out, err := theirs.Evaluate(t.Context(), shapes().Test, trained.EvaluateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := out.Score().Acc; math.Abs(got-summary.TestAcc) > 1e-12 || math.IsNaN(summary.ValAcc) {
			t.Errorf("%s: test accuracy %v of %v, validation %v", kind, summary.TestAcc, got, summary.ValAcc)
		}
		d, err := run.Open(folder, "")
		if err != nil {
			t.Fatal(err)
		}
		if s := d.Status(); s.State != event.Done || s.Epoch != 0 || s.Step != 0 || s.BestEpoch != 0 {
			t.Errorf("%s: %+v", kind, s)
		}
		longer := session.Options{Resume: folder, Extend: 1, Set: shapes()}
		summary, err = session.Train(t.Context(), longer)
		if err != nil || summary.Epochs != 1 || summary.BestEpoch != 1 {
			t.Errorf("%s: extended to %+v, %v", kind, summary, err)
		}
	}
}

// A context that is done while the start is evaluated leaves a run that a resume ends.
func TestRunWithoutATrainingStepStops(t *testing.T) {
	o := tiny(t, "train.epochs=0")
	ctx, stop := context.WithCancel(t.Context())
	o.Observe = func(e event.Event) error {
		if _, starts := e.(event.Start); starts {
			stop()
		}
		return nil
	}
	if _, err := session.Train(ctx, o); err == nil {
		t.Fatal("not stopped")
	}
	summary, err := session.Train(t.Context(), session.Options{Resume: filepath.Join(o.Root, "latest"), Set: shapes()})
	if err != nil || summary.State != event.Done {
		t.Errorf("%+v, %v", summary, err)
	}
}
