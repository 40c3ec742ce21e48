package session

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/train"
	"github.com/attnconv/attnconv/viz/figures"
)

// operations returns what a run has recorded of its surgery, in metrics.jsonl and in its last checkpoint.
func operations(t *testing.T, dir string) (events []run.Surgery, text string) {
	t.Helper()
	records, err := (&run.Dir{Path: dir}).Records(run.Kind(run.Surgery{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		events = append(events, r.Event.(run.Surgery))
	}
	_, meta, err := ckpt.ReadWithMeta(filepath.Join(dir, "checkpoints", "last.ckpt"))
	if err != nil {
		t.Fatal(err)
	}
	return events, meta.Surgery
}

// bare is tiny without figures and event files.
func bare(t *testing.T, set ...string) Options {
	t.Helper()
	o := tiny(t, set...)
	o.Figures, o.NoBoard = []figures.RunFigure{}, true
	return o
}

// Operations are done before the first step of their epoch. What they fix stays fixed, with every solver and in
// averages, and a run that is stopped after any step has the same bits and the same record once it is done.
func TestSurgery(t *testing.T) {
	for _, solver := range []string{"sgd", "adamw", "muon"} {
		set := []string{"train.epochs=3", "train.limit_train_batches=2", "train.optimizer=" + solver,
			"train.surgery=[prune heads:1.2 after 1, prune heads:least*1 after 2, reset heads:1.1 after 1, " +
				"freeze heads:1.4]"}
		if solver == "adamw" {
			set = append(set, "train.average=0.9")
		}
		o := bare(t, set...)
		if _, err := Train(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(o.Root, "latest")
		want := weights(t, path)
		events, text := operations(t, path)
		if len(events) != 4 || !strings.Contains(text, `"which":"heads:least*1"`) || len(events[3].Heads) != 1 ||
			events[0].Operation != "freeze" || events[1].Epoch != 1 || events[1].Step != 2 || events[3].Step != 4 {
			t.Fatalf("%s: %+v, %s", solver, events, text)
		}
		for name, w := range want {
			if !strings.HasSuffix(name, "self.value.weight") || strings.HasPrefix(name, "optim") {
				continue
			}
			for h := range 4 {
				zero := true
				for i, v := range w {
					zero = zero && (v == 0 || i%(4*16)/16 != h)
				}
				if gone := h == 1 || h == events[3].Heads[0][1]-1; zero != gone {
					t.Errorf("%s: head %d is silent: %t", solver, h+1, zero)
				}
			}
		}
		for stop := 1; stop <= 5; stop++ {
			o := bare(t, set...)
			ctx, cancel := context.WithCancel(t.Context())
			o.Observe = func(e run.Event) error {
				if step, ok := e.(run.Step); ok && step.Step == stop {
					cancel()
				}
				return nil
			}
			if stop%2 == 0 { // behind an epoch, too
				o.Observe, o.Until = nil, min(2, stop/2)
			}
			if _, err := Train(ctx, o); !errors.Is(err, train.ErrStopped) {
				t.Fatal(err)
			}
			cancel()
			path := filepath.Join(o.Root, "latest")
			if _, err := Train(t.Context(), Options{Resume: path, Set: shapes(), Figures: o.Figures,
				NoBoard: true}); err != nil {
				t.Fatal(err)
			}
			again, text2 := operations(t, path)
			if !same(weights(t, path), want) || !reflect.DeepEqual(again, events) || text2 != text {
				t.Errorf("%s, stopped after step %d: other weights, or another record: %+v", solver, stop, again)
			}
		}
	}
}
