package session

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/train"
)

// A checkpoint of a run on smaller images is a network for whole ones: its heads are where they began, in tokens of the
// whole image, except for what they have learned, and it can be evaluated, drawn from and trained from like any other.
func TestCheckpointOfSmallerImages(t *testing.T) {
	o := tiny(t, "train.resolutions=[16,32]", "train.lr=0.001", "data.train_size=40", "train.batch=8")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o.Observe = func(e event.Event) error {
		if s, ok := e.(event.Step); ok && s.Step == 3 { // of 4 in the first epoch
			cancel()
		}
		return nil
	}
	if _, err := Train(ctx, o); !errors.Is(err, train.ErrStopped) {
		t.Fatal(err)
	}
	m, err := trained.Open(filepath.Join(o.Root, "latest"))
	if err != nil {
		t.Fatal(err)
	}
	now, _ := m.Net.Heads()
	start, err := m.InitialHeads()
	if err != nil {
		t.Fatal(err)
	}
	for h, head := range now[0] {
		for axis, at := range head.Center {
			if d := math.Abs(at - start[0][h].Center[axis]); d > 0.05 || at == start[0][h].Center[axis] {
				t.Errorf("head %d moved by %v tokens from %v: want a little", h, d, start[0][h].Center)
			}
		}
	}
	if m.Net.Spec.Image != [3]int{32, 32, 3} {
		t.Errorf("the network takes images of %v", m.Net.Spec.Image)
	}
	_, val, _, err := shapes().Split(m.Config.Data)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := m.Evaluate(t.Context(), val, trained.EvaluateOptions{}); err != nil || out.Len() != val.Len() {
		t.Errorf("%d of %d outputs: %v", out.Len(), val.Len(), err)
	}
	// the rest of the run, and what it says
	dir, err := filepath.EvalSymlinks(filepath.Join(o.Root, "latest"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Train(t.Context(), Options{Resume: dir, Set: shapes()}); err != nil {
		t.Fatal(err)
	}
	d, err := run.Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	records, err := d.Records()
	if err != nil {
		t.Fatal(err)
	}
	var sides []int
	for _, r := range records {
		if e, ok := r.Event.(event.Epoch); ok {
			sides = append(sides, e.Side)
		}
	}
	if len(sides) != 2 || sides[0] != 16 || sides[1] != 0 || d.Status().BestEpoch != 2 {
		t.Errorf("epochs have sides %v, the best is %d; want 16 and whole images, and the second", sides,
			d.Status().BestEpoch)
	}
	_, err = Train(t.Context(), Options{Resume: dir, Set: shapes(), Extend: 1})
	if err == nil || !strings.Contains(err.Error(), "train.resolutions") {
		t.Errorf("Extend: %v", err)
	}
}
