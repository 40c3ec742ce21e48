package eval

import (
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/session/trained"
)

// shortRun returns the network of a short run, and its data with few test images.
func shortRun(t *testing.T) (*trained.Model, *data.Set) {
	settings, err := session.Settings("data.name=shapes32", "data.val_size=50", "model.layers=1", "model.heads=4",
		"model.dim=16", "model.ffn=16", "model.pool=4", "train.batch=8", "train.epochs=1",
		"train.limit_train_batches=4", "train.limit_val_batches=1")
	if err != nil {
		t.Fatal(err)
	}
	shapes, err := sets.Open(settings.Data, "")
	if err != nil {
		t.Fatal(err)
	}
	o := session.Options{Settings: settings, Set: shapes, Root: t.TempDir()}
	if _, err := session.Train(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	m, err := trained.Open(filepath.Join(o.Root, "latest"))
	if err != nil {
		t.Fatal(err)
	}
	set := *shapes
	set.Test.Pixels, set.Test.Labels = set.Test.Pixels[:100*set.Test.Size()], set.Test.Labels[:100]
	return m, &set
}

// The parts of an evaluation agree with each other, and with an evaluation of the images as they are.
func TestEvaluation(t *testing.T) {
	m, set := shortRun(t)
	plain, err := measure(t.Context(), m, set, EvaluationOptions{})
	if err != nil || plain.Split != "test" || plain.N != 100 || plain.Shift != nil || plain.Confusion != nil ||
		plain.Calibration != nil {
		t.Fatalf("%+v, %v", plain, err)
	}
	o := EvaluationOptions{Confusion: true, Calibrate: true}
	o.Shift = [2]int{5, -3}
	e, err := measure(t.Context(), m, set, o)
	if err != nil {
		t.Fatal(err)
	}
	if s := e.Shift; s == nil || s.Down != 5 || s.Right != -3 || s.Unshifted != plain.Acc ||
		s.Same != e.Outputs.Agreement(plain.Outputs) {
		t.Errorf("shift %+v; unshifted it is %v", s, plain.Acc)
	}
	permuted, err := measure(t.Context(), m, set, EvaluationOptions{Permute: 3})
	if err != nil {
		t.Fatal(err)
	}
	same := *m
	same.Config.Data.Permute = 3
	if as, err := measure(t.Context(), &same, set, EvaluationOptions{}); err != nil || permuted.Permute != 3 ||
		as.Loss != permuted.Loss || as.Loss == plain.Loss || as.Permute != 0 {
		t.Errorf("permuted the loss is %v, with that setting %v, and else %v: %v", permuted.Loss, as.Loss, plain.Loss, err)
	}
	right, all := 0, 0
	for class, row := range e.Confusion {
		sum := 0
		for _, n := range row {
			sum += n
		}
		if c := e.PerClass[class]; c.N != sum || c.Class != set.Classes[class] ||
			math.Abs(float64(c.Acc)*float64(sum)-float64(row[class])) > 1e-9 {
			t.Errorf("class %+v, counted %v", c, row)
		}
		right, all = right+row[class], all+sum
	}
	if all != e.N || math.Abs(float64(right)-e.Acc*float64(all)) > 1e-9 {
		t.Errorf("%d of %d are right, and the accuracy is %v", right, all, e.Acc)
	}
	k := e.Calibration
	if k.FittedN != 50 || k.Before.NLL != e.Metrics()["test_nll"] || math.Abs(k.Before.NLL-e.Loss) > 1e-6 ||
		meanConfidence(k.Before) == meanConfidence(k.After) {
		t.Errorf("calibration %+v, loss %v", k, e.Loss)
	}
	if plain.Views != nil || e.Views != nil {
		t.Errorf("views of each image: %v and %v, want one", plain.Views, e.Views)
	}
	m.Config.Data.Protocol = "paper"
	for key, o := range map[string]EvaluationOptions{"calibrate": {Calibrate: true}, "split": {Split: "val"}} {
		wrong := (*option.Error)(nil)
		if _, err := measure(t.Context(), m, set, o); !errors.As(err, &wrong) || wrong.Key != key {
			t.Errorf("without validation images, %s: %v", key, err)
		}
	}
}

// Views count for the unshifted images too.
func TestViewsOfShiftedImages(t *testing.T) {
	m, set := shortRun(t)
	e, err := measure(t.Context(), m, set, EvaluationOptions{
		EvaluateOptions: trained.EvaluateOptions{Views: "shifts", Shift: [2]int{2, 0}}})
	if err != nil || e.Views == nil || e.Views.Name != "shifts" || e.Views.N != 6 {
		t.Fatalf("%+v, %v", e, err)
	}
	unshifted, err := measure(t.Context(), m, set,
		EvaluationOptions{EvaluateOptions: trained.EvaluateOptions{Views: "shifts"}})
	if err != nil || e.Shift.Unshifted != unshifted.Acc {
		t.Errorf("the unshifted accuracy is %v, but the accuracy of the same views is %v: %v", e.Shift.Unshifted, unshifted.Acc,
			err)
	}
}

// An array of CIFAR-10-C has the same labels five times, and the name of a corruption.
func TestSeverities(t *testing.T) {
	for _, c := range []struct {
		path   string
		labels []int32
		want   int
	}{
		{"c/fog.npy", []int32{3, 1, 3, 1, 3, 1, 3, 1, 3, 1}, 5},
		{"c/fog.npy", []int32{3, 1, 3, 1, 3, 1, 3, 1, 1, 3}, 0},
		{"c/fog.npy", []int32{3, 3, 3, 3, 3, 3}, 0},
		{"c/fog", []int32{3, 3, 3, 3, 3}, 0},
		{"c/frog.npy", []int32{3, 3, 3, 3, 3}, 0},
	} {
		if got := severities(&data.Set{Path: c.path, Test: data.Split{Labels: c.labels}}); got != c.want {
			t.Errorf("%s with labels %v: %d severities, want %d", c.path, c.labels, got, c.want)
		}
	}
}
