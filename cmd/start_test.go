package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/heads"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session"
)

// trained returns the best checkpoint of a short run in a new folder.
func trained(t *testing.T, args ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	args = append([]string{"train", "--data", "shapes32", "--fast-dev-run", "-q", "--out", dir, "--runs", t.TempDir()}, args...)
	if code := Main(context.Background(), args, strings.NewReader(""), io.Discard, io.Discard); code != 0 {
		t.Fatalf("%q: exit code %d", args, code)
	}
	return filepath.Join(dir, "run.ckpt")
}

// The heads that a run records before its first step equal, bit for bit, those rebuilt from its settings and seed, and
// differ from the trained ones.
func TestInitialHeads(t *testing.T) {
	for _, encoding := range []string{"quadratic", "quadratic-general"} {
		path := trained(t, "--encoding", encoding, "--seed", "7")
		m, err := session.Open(path)
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
		without, err := session.Open(alone)
		if err != nil {
			t.Fatal(err)
		}
		for name, m := range map[string]*session.Model{"in its folder": m, "alone": without} {
			if got, err := m.InitialHeads(); err != nil || !reflect.DeepEqual(got, heads.Recorded(written)) {
				t.Errorf("%s, %s: heads %v, %v; the run wrote down %v", encoding, name, got, err, written)
			}
		}
		if after, _ := m.Net.Heads(); reflect.DeepEqual(after, heads.Recorded(written)) {
			t.Errorf("%s: no head moved: the test shows nothing", encoding)
		}
	}
}

// The initial heads of imported weights and of branches are unknown.
func TestInitialHeadsUnknown(t *testing.T) {
	first := trained(t, "--encoding", "quadratic")
	branch := trained(t, "--from", first)
	imported, err := session.Open(first)
	if err != nil {
		t.Fatal(err)
	}
	imported.Meta.Cursor = "" // as import leaves it
	branched, err := session.Open(branch)
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]*session.Model{"imported": imported, "branch": branched} {
		var unknown *session.UnknownStart
		if heads, err := m.InitialHeads(); !errors.As(err, &unknown) {
			t.Errorf("%s: %d layers, %v; want an *session.UnknownStart", name, len(heads), err)
		}
	}
	if m, err := session.Open(trained(t, "--model", "conv-twin")); err != nil {
		t.Error(err)
	} else if heads, err := m.InitialHeads(); heads != nil || err != nil {
		t.Errorf("conv-twin: %d layers, %v; want none", len(heads), err)
	}
}
