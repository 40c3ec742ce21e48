package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/train"
)

// planned makes the folder of a sweep with n seeds.
func planned(t *testing.T, n int) *Plan {
	t.Helper()
	p := &Plan{Format: Format, Axes: []Axis{{Key: Seed}}}
	var texts [][]byte
	for i := range n {
		p.Trials = append(p.Trials, Trial{Name: fmt.Sprintf("%03d", i), Values: []string{fmt.Sprint(i)}, ETA: 1})
		texts = append(texts, fmt.Appendf(nil, "seed: %d\n", i))
	}
	if err := p.Create(filepath.Join(t.TempDir(), "mine"), texts); err != nil {
		t.Fatal(err)
	}
	return p
}

// end writes the run.json of a trial.
func end(t *testing.T, p *Plan, i int, state string) {
	t.Helper()
	text := fmt.Sprintf(`{"format":1,"id":"k%03d","state":%q,"val_acc":0.5,"test_acc":0.5}`, i, state)
	writeRun(t, p, i, text)
}

func writeRun(t *testing.T, p *Plan, i int, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(p.Dir(i), 0o777), os.WriteFile(filepath.Join(p.Dir(i), "run.json"), []byte(text),
		0o666)); err != nil {
		t.Error(err)
	}
}

// A worker trains each unfinished trial once, resumes what was stopped, starts what is broken again, goes on after a
// failure, and does not touch what others train.
func TestWorker(t *testing.T) {
	p := planned(t, 6)
	end(t, p, 0, event.Done)
	end(t, p, 1, event.Stopped)
	writeRun(t, p, 2, "{")
	var mu sync.Mutex
	resumed, kinds := map[int]bool{}, map[int][]Kind{}
	w := Worker{Plan: p, Jobs: 2, Observe: func(e Event) { kinds[e.Trial] = append(kinds[e.Trial], e.Kind) },
		Train: func(_ context.Context, i int, resume bool, _ int) error {
			mu.Lock()
			_, twice := resumed[i]
			resumed[i] = resume
			mu.Unlock()
			switch {
			case twice:
				t.Errorf("trial %d is trained twice", i)
			case i == 3:
				return errors.New("disk full")
			case i == 4:
				return fmt.Errorf("run: %w", &run.BusyError{})
			}
			end(t, p, i, event.Done)
			return nil
		}}
	o, err := w.Run(t.Context())
	if bad := (*FailedError)(nil); !errors.As(err, &bad) || bad.Trials != 1 || o.Done != 4 || o.Taken != 1 ||
		!slices.Equal(o.Failed, []int{3}) {
		t.Errorf("%+v, %v", o, err)
	}
	for i, want := range map[int]bool{1: true, 2: false, 3: false, 4: false, 5: false} {
		if got, ok := resumed[i]; got != want || !ok {
			t.Errorf("trial %d: resumed %v, trained %v", i, got, ok)
		}
	}
	for i, want := range map[int][]Kind{0: nil, 1: {Begun, Ended}, 2: {Begun, Moved, Ended}, 3: {Begun, Failed},
		4: {Begun, Taken}} {
		if !slices.Equal(kinds[i], want) {
			t.Errorf("trial %d: events %v, want %v", i, kinds[i], want)
		}
	}
}

// A worker that is stopped begins no other trial.
func TestWorkerStops(t *testing.T) {
	p := planned(t, 3)
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	w := Worker{Plan: p, Train: func(ctx context.Context, i int, _ bool, _ int) error {
		calls++
		cancel()
		return train.ErrStopped
	}}
	if o, err := w.Run(ctx); !errors.Is(err, train.ErrStopped) || calls != 1 || o.Done != 0 || o.Failed != nil {
		t.Errorf("%d calls, %+v, %v", calls, o, err)
	}
}

// Until every run is finished no point is chosen, and none shows a test accuracy.
func TestCollect(t *testing.T) {
	p := planned(t, 2)
	end(t, p, 0, event.Done)
	for _, want := range []bool{false, true} {
		c, err := Collect(p)
		if err != nil || len(c.Points) != 1 || c.Points[0].Chosen != want || (c.Points[0].TestAcc != nil) != want {
			t.Fatalf("%+v, %v; want chosen %v", c, err, want)
		}
		end(t, p, 1, event.Done)
	}
}
