package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/train"
)

// operations returns what a run has recorded of its surgery, in metrics.jsonl and in its last checkpoint.
func operations(t *testing.T, dir string) (events []event.Surgery, text string) {
	t.Helper()
	records, err := (&run.Dir{Path: dir}).Records(event.Kind(event.Surgery{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		events = append(events, r.Event.(event.Surgery))
	}
	_, meta, err := ckpt.ReadWithMeta(filepath.Join(dir, "checkpoints", "last.ckpt"))
	if err != nil {
		t.Fatal(err)
	}
	return events, meta.Surgery
}

// bare is tiny without event files.
func bare(t *testing.T, set ...string) Options {
	t.Helper()
	o := tiny(t, set...)
	o.NoBoard = true
	return o
}

// Operations are done before the first step. What they fix stays fixed, with every solver and in averages, and a run
// that is stopped after any step has the same bits and the same record once it is done.
func TestSurgery(t *testing.T) {
	for _, solver := range []string{"sgd", "adamw", "muon"} {
		set := []string{"train.epochs=3", "train.limit_train_batches=2", "train.optimizer=" + solver,
			"train.surgery=[freeze heads:1.4, prune heads:1.2, reset heads:1.1, prune heads:least*1]"}
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
			events[0].Operation != "freeze" || events[3].Epoch != 0 || events[3].Step != 0 {
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
			o.Observe = func(e event.Event) error {
				if step, ok := e.(event.Step); ok && step.Step == stop {
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
			if _, err := Train(t.Context(), Options{Resume: path, Set: shapes(),
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

// A run of an earlier version, with operations after an epoch, goes on to the same bits once all are done. Before that
// it is refused, also if it has no checkpoint, and takes no step.
func TestSurgeryOfEarlierVersions(t *testing.T) {
	o := bare(t, "train.surgery=[prune heads:1.2]", "train.limit_train_batches=2")
	if _, err := Train(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	want := weights(t, filepath.Join(o.Root, "latest"))
	for _, tt := range []struct {
		name        string
		done, saved bool
	}{{"done", true, true}, {"ahead", false, true}, {"without a checkpoint", false, false}} {
		o.Root, o.Until = t.TempDir(), 1
		if _, err := Train(t.Context(), o); !errors.Is(err, train.ErrStopped) {
			t.Fatal(err)
		}
		dir := filepath.Join(o.Root, "latest")
		asEarlier(t, dir, tt.done)
		if !tt.saved {
			if err := os.RemoveAll(filepath.Join(dir, "checkpoints")); err != nil {
				t.Fatal(err)
			}
		}
		status, _ := os.ReadFile(filepath.Join(dir, "run.json"))
		_, err := Train(t.Context(), Options{Resume: dir, Set: shapes(), NoBoard: true,
			Observe: func(e event.Event) error {
				if _, step := e.(event.Step); step && !tt.done {
					t.Errorf("%s: takes a step", tt.name)
				}
				return nil
			}})
		switch {
		case tt.done && (err != nil || !same(weights(t, dir), want)):
			t.Errorf("%s: %v, or other weights", tt.name, err)
		case !tt.done && (err == nil || !strings.Contains(err.Error(), "resume it with the version that began it")):
			t.Errorf("%s: %v", tt.name, err)
		}
		if now, _ := os.ReadFile(filepath.Join(dir, "run.json")); !tt.done && !bytes.Equal(now, status) {
			t.Errorf("%s: run.json was\n%s and is\n%s", tt.name, status, now)
		}
	}
}

// asEarlier gives a run the setting of one of an earlier version, whose operation is done or ahead.
func asEarlier(t *testing.T, dir string, done bool) {
	t.Helper()
	earlier := func(text string) string {
		return strings.Replace(text, "surgery: ['prune heads:1.2']", "surgery: ['prune heads:1.2 after 1']", 1)
	}
	digest := func(b []byte) []byte { return fmt.Appendf(nil, "%x", sha256.Sum256(b)) }
	config, info := filepath.Join(dir, "config.yaml"), filepath.Join(dir, "run.json")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	about, err := os.ReadFile(info)
	if err != nil {
		t.Fatal(err)
	}
	now := []byte(earlier(string(text)))
	about = bytes.Replace(about, digest(text), digest(now), 1)
	if err := errors.Join(os.WriteFile(config, now, 0o644), os.WriteFile(info, about, 0o644)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "checkpoints", "step-000002.ckpt")
	f, meta, err := ckpt.ReadWithMeta(path)
	if err != nil {
		t.Fatal(err)
	}
	if meta.Config = earlier(meta.Config); !done {
		meta.Surgery = ""
	}
	f.Meta = meta.Strings()
	if err := ckpt.Write(path, f); err != nil {
		t.Fatal(err)
	}
}

// errOperated ends a session when the network has been operated on.
var errOperated = errors.New("operated")

// A head that is reset has the weights with which the run began, those of its seed.
func TestResetIsToTheStartOfTheRun(t *testing.T) {
	o := tiny(t, "train.surgery=[reset heads:1.2]", "seed=7")
	o.Observe = func(event.Event) error { return errOperated }
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, p := range s.net.Params {
		for i := range p.Data {
			p.Data[i] += 2
		}
	}
	if err := s.trainer.Operate(); !errors.Is(err, errOperated) {
		t.Fatal(err)
	}
	start, err := model.New(o.Settings.Model, 7)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range s.net.Params {
		name := strings.TrimPrefix(p.Name, "model.encoder.layer.0.attention.self.")
		per := map[string]int{"attention_centers": 2, "attention_spreads": 1, "value.weight": 16}[name] // of a head
		for j, v := range p.Data {
			want := start.Params[i].Data[j]
			if per == 0 || j/per%4 != 1 {
				want += 2
			}
			if v != want {
				t.Fatalf("%s[%d] is %v, want %v", p.Name, j, v, want)
			}
		}
	}
}

// Rules choose by training images: the head without which the loss on them is least, whatever it is on others.
func TestRulesLookAtTrainingImages(t *testing.T) {
	some := func(from data.Split) data.Split { return from.Subset([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) }
	set, err := sets.New("flowers", shapes().Classes, some(shapes().Train), some(shapes().Test), some(shapes().Test))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range 30 {
		o := tiny(t, "data.name=flowers", "train.surgery=[prune heads:least*1]", fmt.Sprintf("seed=%d", seed))
		o.Set, o.Observe = set, func(event.Event) error { return errOperated }
		s, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		onTrain, onVal := leastHead(t, s, set.Train), leastHead(t, s, set.Val)
		if onTrain == onVal {
			continue
		}
		if err := s.trainer.Operate(); !errors.Is(err, errOperated) {
			t.Fatal(err)
		}
		if got := s.surgery[0].Heads; len(got) != 1 || got[0] != [2]int{1, onTrain} {
			t.Errorf("seed %d: pruned %v; without head %d the loss on training images is least, without %d on others", seed,
				got, onTrain, onVal)
		}
		return
	}
	t.Error("no seed tells training images from others")
}

// leastHead returns the head, from 1 on, without which the loss on images is least.
func leastHead(t *testing.T, s *Session, on data.Split) (best int) {
	t.Helper()
	least := math.Inf(1)
	for h := range 4 {
		net, err := model.New(s.config.Run.Model, s.config.Run.Seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range net.Params {
			for i := range p.Data {
				if strings.HasSuffix(p.Name, "self.value.weight") && i/16%4 == h {
					p.Data[i] = 0
				}
			}
		}
		m := trained.Model{Net: net, Config: s.config.Run}
		out, err := m.Evaluate(t.Context(), on, trained.EvaluateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if loss := out.Score().Loss; loss < least {
			best, least = h+1, loss
		}
	}
	return best
}
