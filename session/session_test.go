package session

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/train"
)

// tiny returns a run of two epochs of four steps on shapes32, with further settings.
func tiny(t testing.TB, set ...string) Options {
	t.Helper()
	settings, err := Settings(append([]string{"data.name=shapes32", "model.layers=1", "model.heads=4",
		"model.dim=16", "model.ffn=16", "model.pool=4", "train.batch=8", "train.epochs=2",
		"train.limit_train_batches=4",
		"train.limit_val_batches=1"}, set...)...)
	if err != nil {
		t.Fatal(err)
	}
	return Options{Settings: settings, Set: shapes(), Root: t.TempDir()}
}

// shapes is shapes32, whose images take seconds to draw.
var shapes = sync.OnceValue(func() *data.Set {
	set, err := sets.Open(data.Options{Name: "shapes32"}, "")
	if err != nil {
		panic(err)
	}
	return set
})

// weights returns the tensors of a run's last checkpoint: weights and the solver's state, by name.
func weights(t testing.TB, dir string) map[string][]float32 {
	t.Helper()
	f, err := ckpt.Read(filepath.Join(dir, "checkpoints", "last.ckpt"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]float32{}
	for _, x := range f.Tensors {
		all[x.Name] = x.Data
	}
	return all
}

// same reports whether two sets of tensors have the same bits.
func same(a, b map[string][]float32) bool {
	if len(a) != len(b) {
		return false
	}
	for name, x := range a {
		y := b[name]
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			if math.Float32bits(x[i]) != math.Float32bits(y[i]) {
				return false
			}
		}
	}
	return true
}

// The folder has what the command line writes: settings, records, checkpoints, logs, event files.
func TestTrainWritesTheRunsFolder(t *testing.T) {
	var kinds []string
	o := tiny(t)
	o.Observe = func(e event.Event) error { kinds = append(kinds, event.Kind(e)); return nil }
	o.Figures = []Figure{{"mine.txt", AtEnd, func(t Training) ([]byte, error) { return []byte(t.Caption), nil }}}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	summary, err := s.Train(t.Context())
	if err != nil || summary.State != event.Done || summary.Steps != 8 {
		t.Fatalf("%s after %d steps, %v; want done after 8", summary.State, summary.Steps, err)
	}
	for _, name := range []string{"config.yaml", "run.json", "metrics.jsonl", "epochs.csv", "summary.json",
		"environment.json",
		"overrides.txt", "train.log", "log.jsonl", "run.ckpt", "tb", "heads/epoch-000.json", "figures/mine.txt",
		"checkpoints/epoch-002.ckpt"} {
		if _, err := os.Stat(filepath.Join(s.Dir().Path, name)); err != nil {
			t.Error(err)
		}
	}
	if first, last := kinds[0], kinds[len(kinds)-1]; first != "heads" || last != "end" || len(kinds) != 8+2+3+3 {
		t.Errorf("%d events, from %s to %s: %v", len(kinds), first, last, kinds)
	}
}

// A run that its context stops, and a run left in the middle of its events, end with the bits of a run that was not
// stopped.
func TestResumedRunHasTheSameBits(t *testing.T) {
	o := tiny(t)
	if _, err := Train(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	want := weights(t, filepath.Join(o.Root, "latest"))
	for name, stop := range map[string]func(t *testing.T, o Options){
		"canceled": func(t *testing.T, o Options) {
			ctx, cancel := context.WithCancel(t.Context())
			o.Observe = func(e event.Event) error {
				if step, ok := e.(event.Step); ok && step.Step == 6 {
					cancel()
				}
				return nil
			}
			if summary, err := Train(ctx, o); !errors.Is(err, train.ErrStopped) || summary.State != event.Stopped ||
				summary.Steps != 6 {
				t.Fatalf("%s after %d steps, %v; want stopped after 6", summary.State, summary.Steps, err)
			}
		},
		"left": func(t *testing.T, o Options) {
			s, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			for e, err := range s.Events(t.Context()) {
				if step, ok := e.(event.Step); err != nil || ok && step.Step == 3 {
					break
				}
			}
		},
		"out of time": func(t *testing.T, o Options) {
			o.Budget = 1
			if _, err := Train(t.Context(), o); !errors.Is(err, train.ErrStopped) {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := tiny(t)
			stop(t, o)
			path := filepath.Join(o.Root, "latest")
			if same(weights(t, path), want) {
				t.Fatal("nothing was left to train: the test shows nothing")
			}
			if _, err := Train(t.Context(), Options{Resume: path, Set: shapes()}); err != nil {
				t.Fatal(err)
			}
			if !same(weights(t, path), want) {
				t.Error("other weights than without a stop")
			}
			if _, err := Train(t.Context(), Options{Resume: path, Set: shapes()}); !isError[*FinishedError](err) {
				t.Errorf("resumed again: %v, want a *Finished", err)
			}
		})
	}
}

func isError[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// Four sessions side by side train the bits that each trains by itself.
func TestSessionsSideBySide(t *testing.T) {
	kinds := [][]string{{"seed=1"}, {"model.encoding=learned", "seed=2"},
		{"model.encoding=content", "model.attention_dropout=0.1"},
		{"model.kind=conv-twin", "train.optimizer=adamw"}}
	dirs := make([]string, len(kinds))
	var all sync.WaitGroup
	for i, set := range kinds {
		o := tiny(t, set...)
		dirs[i] = filepath.Join(o.Root, "latest")
		all.Go(func() {
			if _, err := Train(t.Context(), o); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i, set := range kinds {
		o := tiny(t, set...)
		if _, err := Train(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if !same(weights(t, dirs[i]), weights(t, filepath.Join(o.Root, "latest"))) {
			t.Errorf("%q: other weights than alone", set)
		}
	}
}

// The error of an observer ends the run, as failed.
func TestObserversErrorEndsTheRun(t *testing.T) {
	full := errors.New("no")
	o := tiny(t)
	o.Observe = func(e event.Event) error {
		if step, ok := e.(event.Step); ok && step.Step == 2 {
			return full
		}
		return nil
	}
	summary, err := Train(t.Context(), o)
	if !errors.Is(err, full) || summary.State != event.Failed || summary.Steps != 2 {
		t.Errorf("%s after %d steps, %v; want failed after 2", summary.State, summary.Steps, err)
	}
}

// Options that cannot be used are errors of their types, and leave no folder.
func TestBadOptions(t *testing.T) {
	empty, foreign := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "letter.txt"), []byte("dear"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		change func(*Options)
		is     func(error) bool
	}{
		"no settings": {func(o *Options) { o.Settings = configs.Run{} }, isError[error]},
		"negative rate": {func(o *Options) { o.Settings.Train.LR = -1 },
			func(err error) bool { return isError[*configs.Error](err) || isError[*option.Error](err) }},
		"batch": {func(o *Options) { o.Settings.Train.Batch = 1 << 20 },
			func(err error) bool { return isError[*configs.Error](err) || isError[*option.Error](err) }},
		"no such data": {func(o *Options) { o.Settings.Data.Name, o.DataDir, o.Set = "cifar10", empty, nil },
			isError[*data.MissingError]},
		"precision":      {func(o *Options) { o.Settings.Train.Precision = "tf32" }, isError[*configs.Error]},
		"resume and out": {func(o *Options) { o.Resume, o.Out = foreign, empty }, isError[error]},
		"not a run":      {func(o *Options) { o.Resume = foreign }, isError[*run.NotFoundError]},
		"extend":         {func(o *Options) { o.Extend = 1 }, isError[error]},
		"taken folder":   {func(o *Options) { o.Out = foreign }, isError[*run.NotEmptyError]},
		"no folder": {func(o *Options) { o.Root = filepath.Join(foreign, "letter.txt", "runs") },
			isError[*fs.PathError]},
	} {
		t.Run(name, func(t *testing.T) {
			o := tiny(t)
			tt.change(&o)
			s, err := New(o)
			if (err == nil) != (s != nil) {
				t.Fatalf("a session: %v, error %v", s != nil, err)
			}
			if err == nil {
				defer s.Close()
				err = s.Begin()
			}
			if err == nil || !tt.is(err) {
				t.Fatalf("error %T: %v", err, err)
			}
			if list, _ := os.ReadDir(o.Root); len(list) > 0 {
				t.Errorf("%v was written", list)
			}
		})
	}
}

// New writes nothing, for a new run and for one to resume. Begin makes one folder, however often it is called.
func TestNewWritesNothing(t *testing.T) {
	o := tiny(t, "train.epochs=1", "train.limit_train_batches=1")
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if list, _ := os.ReadDir(o.Root); len(list) > 0 || s.Dir() != nil {
		t.Fatalf("New wrote %v", list)
	}
	for range 2 {
		if err := s.Begin(); err != nil {
			t.Fatal(err)
		}
	}
	if list, _ := filepath.Glob(filepath.Join(o.Root, "*", "run.json")); len(list) != 2 { // the run, and latest
		t.Errorf("Begin wrote %v", list)
	}
	if _, err := s.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(s.Dir().Path, "run.json")
	before, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	again, err := New(Options{Resume: s.Dir().Path, Extend: 1, Set: shapes()})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if after, err := os.ReadFile(name); err != nil || !bytes.Equal(after, before) {
		t.Errorf("New changed run.json (%v):\n%s", err, after)
	}
}

// A run begins with the weights of another; weights of another network are refused.
func TestBranch(t *testing.T) {
	o := tiny(t)
	if _, err := Train(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	m, err := trained.Open(filepath.Join(o.Root, "latest"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{From: m, Set: shapes()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got, want := s.Net().Tensors()[0].Data, m.Net.Tensors()[0].Data; !bytes.Equal(bits(got), bits(want)) {
		t.Error("it does not begin with the weights")
	}
	if p := s.Plan(); p.Steps != 8 || p.Params == 0 || p.Memory == 0 || p.Train == 0 {
		t.Errorf("plan %+v", p)
	}
	if f, err := s.Estimate(t.Context()); err != nil || f.Total <= 0 {
		t.Errorf("forecast %+v, %v", f, err)
	}
	other := tiny(t, "model.dim=24")
	other.From = m
	if _, err := New(other); !isError[*trained.MisfitError](err) {
		t.Errorf("%v, want a *Misfit", err)
	}
}

func bits(x []float32) (b []byte) {
	for _, v := range x {
		u := math.Float32bits(v)
		b = append(b, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
	}
	return b
}

// A run with a folder of its own and no folder of runs writes only into that folder.
func TestOutAloneLeavesNoLink(t *testing.T) {
	t.Chdir(t.TempDir())
	o := tiny(t, "train.epochs=1", "train.limit_train_batches=1")
	o.Root, o.Out, o.NoBoard = "", "mine", true
	if _, err := Train(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadDir(".")
	if err != nil || len(list) != 1 || list[0].Name() != "mine" {
		t.Errorf("%v, %v; want mine alone", list, err)
	}
}

// A context that is done takes no step. Before the run has begun, nothing is written; after that it has stopped, and a
// resume starts it again to the same weights.
func TestTrainWithContextThatIsDone(t *testing.T) {
	whole := tiny(t)
	if _, err := Train(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	for name, done := range map[string]func() (context.Context, error){
		"canceled": func() (context.Context, error) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return ctx, context.Canceled
		},
		"late": func() (context.Context, error) {
			ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
			cancel()
			return ctx, context.DeadlineExceeded
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, want := done()
			o := tiny(t)
			if _, err := Train(ctx, o); !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
			if files, err := os.ReadDir(o.Root); err != nil || len(files) > 0 {
				t.Errorf("wrote %v, %v", files, err)
			}

			o.Observe = func(e event.Event) error {
				if step, ok := e.(event.Step); ok {
					t.Errorf("took step %d", step.Step)
				}
				return nil
			}
			s, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := s.Begin(); err != nil {
				t.Fatal(err)
			}
			summary, err := s.Train(ctx)
			if !errors.Is(err, train.ErrStopped) || summary.State != event.Stopped || summary.Steps != 0 {
				t.Errorf("%s after %d steps, %v; want stopped after 0", summary.State, summary.Steps, err)
			}
			status := run.At(s.Dir().Path).Status
			if status.State != event.Stopped || status.Step != 0 || status.Steps != 8 || status.Epochs != 2 {
				t.Errorf("run.json says %s at step %d of %d", status.State, status.Step, status.Steps)
			}
			s.Close()

			again := Options{Resume: s.Dir().Path, Set: shapes()}
			if _, err := Train(t.Context(), again); err != nil {
				t.Fatal(err)
			}
			if !same(weights(t, s.Dir().Path), weights(t, filepath.Join(whole.Root, "latest"))) {
				t.Error("started again: other weights than without a stop")
			}
		})
	}
}

// A set without validation images gets some of those to train on; one without test images is refused before anything
// is trained, as a run ends with a test.
func TestTrainOnSetWithoutImages(t *testing.T) {
	all := shapes()
	set := func(test data.Split) *data.Set {
		s, err := sets.New("mine", all.Classes, all.Train, data.Split{}, test)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	o := tiny(t)
	o.Set = set(all.Test)
	if summary, err := Train(t.Context(), o); err != nil || summary.State != event.Done || math.IsNaN(summary.TestAcc) {
		t.Errorf("%s with test accuracy %g, %v", summary.State, summary.TestAcc, err)
	}
	for _, protocol := range []string{"holdout", "paper"} {
		o := tiny(t, "data.protocol="+protocol)
		o.Set = set(data.Split{})
		if _, err := New(o); err == nil || err.Error() !=
			"mine has no test images, and a run ends with a test: want one or more" {
			t.Errorf("%s: %v", protocol, err)
		}
	}
	o = tiny(t, "train.overfit_batches=1") // is not tested
	o.Set = set(data.Split{})
	if summary, err := Train(t.Context(), o); err != nil || summary.State != event.Done {
		t.Errorf("overfit: %s, %v", summary.State, err)
	}
}
