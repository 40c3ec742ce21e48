package compare

import (
	"context"
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/run/event"
)

// A time that was measured again takes the epochs of the finished runs of the model that are nearest, and only of those
// within a part of theirs.
func TestTrainedEpochs(t *testing.T) {
	root := t.TempDir()
	had := put(t, root, "aaa0", "quadratic", event.Done, 0, 2).Train.Epochs
	o := &options{}
	for _, tt := range []struct {
		name   string
		wanted int
		off    float64
		want   int
	}{
		{"quadratic", had, 0.1, had},
		{"quadratic", had + 1, 0.2, had},
		{"quadratic", had - 1, 0.2, had},
		{"quadratic", had + 1, 0, had + 1},
		{"quadratic", 2 * had, 0.2, 2 * had},
		{"learned", had + 1, 0.2, had + 1},
	} {
		if n, err := o.trained(root, tt.name, tt.wanted, tt.off); n != tt.want || err != nil {
			t.Errorf("%d epochs of %s within %v: %d, %v, want %d", tt.wanted, tt.name, tt.off, n, err, tt.want)
		}
	}
}

// Settings that differ in their epochs only are measured once, and the time of a run is in proportion to its epochs.
func TestProbeOnce(t *testing.T) {
	calls := 0
	p := once(func(_ context.Context, r *configs.ResolvedRun, _ *data.Set) (estimate, error) {
		calls++
		return estimate{Config: r.Run, Seconds: 10 * float64(r.Run.Train.Epochs), StepS: 2, EpochSteps: 5}, nil
	})
	for _, tt := range []struct {
		epochs int
		batch  int
		calls  int // so far
	}{{4, 8, 1}, {6, 8, 1}, {4, 8, 1}, {6, 16, 2}, {1, 16, 2}} {
		r := &configs.ResolvedRun{Run: configs.Default()}
		r.Run.Train.Epochs, r.Run.Train.Batch = tt.epochs, tt.batch
		e, err := p(t.Context(), r, nil)
		if err != nil || calls != tt.calls || e.Seconds != 10*float64(tt.epochs) ||
			e.Config.Train.Epochs != tt.epochs ||
			e.StepS != 2 || e.Config.Train.Batch != tt.batch {
			t.Errorf("%+v: %+v after %d measurements (%v)", tt, e, calls, err)
		}
	}
}

// What an epoch costs: FLOPs count the images of all steps, time the seconds of all.
func TestBudgets(t *testing.T) {
	e := estimate{Config: configs.Default(), StepS: 0.5, EpochSteps: 10}
	e.Config.Train.Batch = 8
	for name, want := range map[string]float64{"steps": 10, "time": 5,
		"flops": 80 * float64(e.Config.Model.MACs().Definition)} {
		if got := budgets.Find(name).of(e); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
