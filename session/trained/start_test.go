package trained_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/session/trained"
)

// checkpoint returns the best checkpoint of a short run, from scratch or from another checkpoint.
func checkpoint(t *testing.T, from string, settings ...string) string {
	t.Helper()
	r, err := session.Settings(append([]string{"preset=smoke", "data.name=shapes32", "train.epochs=1",
		"train.limit_train_batches=2",
		"train.limit_val_batches=1"}, settings...)...)
	if err != nil {
		t.Fatal(err)
	}
	o := session.Options{Settings: r, Out: filepath.Join(t.TempDir(), "run"),
		NoBoard: true}
	if from != "" {
		if o.From, err = trained.Open(from); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := session.Train(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(o.Out, "run.ckpt")
}

// The heads that a run records before its first step equal, bit for bit, those rebuilt from its settings and seed, and
// differ from the trained ones.
func TestInitialHeads(t *testing.T) {
	for _, encoding := range []string{"quadratic", "quadratic-general"} {
		path := checkpoint(t, "", "model.encoding="+encoding, "seed=7")
		m, err := trained.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		written, err := run.ReadHeads(filepath.Join(filepath.Dir(path), "heads", "epoch-000.json"))
		if err != nil {
			t.Fatal(err)
		}
		alone := filepath.Join(t.TempDir(), "alone.ckpt")
		b, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(alone, b, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		without, err := trained.Open(alone)
		if err != nil {
			t.Fatal(err)
		}
		for name, m := range map[string]*trained.Model{"in its folder": m, "alone": without} {
			if got, err := m.InitialHeads(); err != nil || !reflect.DeepEqual(got, heads.Recorded(written)) {
				t.Errorf("%s, %s: heads %v, %v; the run wrote down %v", encoding, name, got, err, written)
			}
		}
		if after, _ := m.Net.Heads(); reflect.DeepEqual(after, heads.Recorded(written)) {
			t.Errorf("%s: no head moved: the test shows nothing", encoding)
		}
	}
}

// The initial heads of imported weights, of branches and in the folder of another run are unknown.
func TestInitialHeadsUnknown(t *testing.T) {
	first := checkpoint(t, "", "model.encoding=quadratic")
	branch := checkpoint(t, first)
	imported, err := trained.Open(first)
	if err != nil {
		t.Fatal(err)
	}
	imported.Meta.Cursor = "" // as import leaves it
	branched, err := trained.Open(branch)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(filepath.Dir(checkpoint(t, "", "model.encoding=quadratic", "model.heads=3")),
		"copy.ckpt")
	if b, err := os.ReadFile(first); err != nil || os.WriteFile(elsewhere, b, 0o666) != nil {
		t.Fatal(err)
	}
	moved, err := trained.Open(elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]*trained.Model{"imported": imported, "branch": branched,
		"in the folder of another run": moved} {
		var unknown *trained.UnknownStartError
		if heads, err := m.InitialHeads(); !errors.As(err, &unknown) {
			t.Errorf("%s: %d layers, %v; want an *UnknownStart", name, len(heads), err)
		}
	}
	if m, err := trained.Open(checkpoint(t, "", "model.kind=conv-twin")); err != nil {
		t.Error(err)
	} else if heads, err := m.InitialHeads(); heads != nil || err != nil {
		t.Errorf("conv-twin: %d layers, %v; want none", len(heads), err)
	}
}
