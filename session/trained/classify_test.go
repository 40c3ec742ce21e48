package trained_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/viz"
)

// A Go program evaluates a run's network, classifies with it and draws its heads. The test accuracy is that of the
// summary, and values are classified as the bytes that they are made of.
func TestEvaluateClassifyAndDraw(t *testing.T) {
	o := tiny(t, "train.limit_val_batches=0")
	summary, err := session.Train(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	m, err := trained.Open(filepath.Join(o.Root, "latest"))
	if err != nil {
		t.Fatal(err)
	}
	test := shapes().Test
	out, err := m.Evaluate(t.Context(), test, trained.EvaluateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := out.Score().Acc; math.Abs(got-summary.TestAcc) > 1e-12 {
		t.Errorf("accuracy %v, the summary has %v", got, summary.TestAcc)
	}
	first := test
	first.Pixels, first.Labels = test.Pixels[:3*test.Size()], test.Labels[:3]
	classified, err := m.Classify(t.Context(), first)
	if err != nil || classified.Len() != 3 {
		t.Fatalf("%d images, %v", classified.Len(), err)
	}
	for i := range 3 {
		if top := classified.Top(i, 2); len(top) != 2 || top[0] != out.Predicted(i) {
			t.Errorf("image %d: classes %v, want %d first", i, top, out.Predicted(i))
		}
	}
	if _, err := m.ClassifyValues(t.Context(), make([]float32, 7)); err == nil {
		t.Error("seven values are taken for images")
	}
	heads, _ := m.Net.Heads()
	figure, err := viz.Heads(viz.Layers(heads), viz.HeadsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if b, err := figure.Encode("heads.svg", viz.Output{}); err != nil || len(b) == 0 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}
