package session

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/mpi"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/train"
)

// onRanks trains one run on n ranks, which are goroutines, and returns the error of each.
func onRanks(ctx context.Context, n int, o Options) []error {
	return onEach(ctx, n, func(int) Options { return o })
}

// onEach is onRanks for ranks that are given options of their own.
func onEach(ctx context.Context, n int, options func(rank int) Options) []error {
	errs := make([]error, n)
	var running sync.WaitGroup
	for i, rank := range mpi.Local(n) {
		running.Go(func() {
			own := options(i)
			own.Group = rank
			if i > 0 {
				own.Observe = func(event.Event) error { return errors.New("a rank that does not lead tells of events") }
			}
			if _, errs[i] = Train(ctx, own); errs[i] != nil {
				rank.Leave()
			}
		})
	}
	running.Wait()
	return errs
}

// A run of two ranks that stops goes on with one, with four, and with the bytes of one that did not stop; it records
// how many shards its batches have, and nobody else writes to its folder.
func TestRanks(t *testing.T) {
	whole := tiny(t, "train.shards=4", "model.dropout=0.1")
	if _, err := Train(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	want := weights(t, filepath.Join(whole.Root, "latest"))
	for _, ranks := range []int{1, 4} {
		o := tiny(t, "train.shards=4", "model.dropout=0.1")
		ctx, cancel := context.WithCancel(t.Context())
		o.Observe = func(e event.Event) error {
			if s, ok := e.(event.Step); ok && s.Step == 3 {
				cancel()
			}
			return nil
		}
		for rank, err := range onRanks(ctx, 2, o) {
			if !errors.Is(err, train.ErrStopped) {
				t.Fatalf("rank %d: %v, want ErrStopped", rank, err)
			}
		}
		dir, err := filepath.EvalSymlinks(filepath.Join(o.Root, "latest"))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(onRanks(t.Context(), ranks, Options{Resume: dir, Set: shapes()})...); err != nil {
			t.Fatal(err)
		}
		if !same(weights(t, dir), want) {
			t.Errorf("stopped on 2 ranks and resumed on %d: other bytes than without a stop", ranks)
		}
		if all, err := os.ReadDir(o.Root); err != nil || len(all) != 2 {
			t.Errorf("%v: %v; want the run and the link latest", err, all)
		}
	}
}

// Whatever rank 1 is given that rank 0 is not, both refuse, name it, and write nothing.
func TestRanksThatWereGivenOtherThings(t *testing.T) {
	changed := *shapes()
	changed.Digest.Test = strings.Repeat("0", 64) // as of other images under the same name
	for _, tt := range []struct {
		set  string
		data *data.Set
		want string
	}{
		{"seed=2", nil, "seed (2, and on rank 0 0)"},
		{"model.dropout=0.25", nil, "model.dropout (0.25, and on rank 0 "},
		{"data.augment=crop", nil, "data.augment ([crop], and on rank 0 "},
		{"data.permute=3", nil, "data.permute (3, and on rank 0 0)"},
		{"data.subset_seed=3", nil, "data.subset_seed (3, and on rank 0 0)"},
		{"train.lr=0.125", nil, "train.lr (0.125, and on rank 0 "},
		{"train.epochs=2", &changed, "the images (digests "},
	} {
		o := tiny(t)
		for rank, err := range onEach(t.Context(), 2, func(rank int) Options {
			own := o
			if rank == 1 {
				own = tiny(t, tt.set)
				own.Root, own.Set = o.Root, cmp.Or(tt.data, own.Set)
			}
			return own
		}) {
			if d := (*train.DisagreementError)(nil); !errors.As(err, &d) || d.Rank != 1 ||
				!strings.HasPrefix(d.What, tt.want) {
				t.Errorf("%s: rank %d: %v, want that %s", tt.set, rank, err, tt.want)
			}
		}
		if all, err := os.ReadDir(o.Root); err != nil || len(all) > 0 {
			t.Errorf("%s: %v was written, %v", tt.set, all, err)
		}
	}
}

// Without a number of shards, a new run has one for each rank, and says what that means for batch norms.
func TestShardsOfRanks(t *testing.T) {
	o := tiny(t, "model.kind=resnet10", "model.width=4", "train.epochs=1", "train.limit_train_batches=1")
	if err := errors.Join(onRanks(t.Context(), 2, o)...); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(o.Root, "latest", "config.yaml"))
	if err != nil || !strings.Contains(string(text), "\n  shards: 2\n") {
		t.Errorf("%v: a run of two ranks has other settings than 2 shards:\n%s", err, text)
	}
	o.Settings.Train.Shards = 4
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := strings.Join(s.shardsNote(),
		"; "); got != "a batch is 4 shards of 2 images; batch norms measure each shard" {
		t.Errorf("the note says %q", got)
	}
}

// What one rank cannot do ends the others, and one tells of it.
func TestRanksEndTogether(t *testing.T) {
	o := tiny(t)
	o.Out = t.TempDir()
	if err := os.WriteFile(filepath.Join(o.Out, "precious"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for rank, err := range onRanks(t.Context(), 2, o) { // only rank 0 makes the folder
		joint := (*train.SharedError)(nil)
		if !errors.As(err, &joint) || joint.ReportedElsewhere != (rank == 1) {
			t.Errorf("rank %d: %v; want a Joint that rank 0 tells", rank, err)
		}
		if full := (*run.NotEmptyError)(nil); rank == 0 && !errors.As(err, &full) {
			t.Errorf("rank 0: %v; want a NotEmpty", err)
		}
	}
	o = tiny(t)
	o.Settings.Train.Batch = 7 // no rank can share it
	for rank, err := range onRanks(t.Context(), 2, o) {
		joint := (*train.SharedError)(nil)
		if !errors.As(err, &joint) || joint.ReportedElsewhere != (rank == 1) ||
			!strings.Contains(err.Error(), "2 ranks cannot share it") {
			t.Errorf("rank %d: %v; want a Joint about the batch", rank, err)
		}
	}
}
