package run

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/run/event"
)

// fake writes n runs, newest last; Create would take longer.
func fake(t testing.TB, root string, n int) {
	t.Helper()
	for i := range n {
		s := Status{Format: 1, ID: fmt.Sprintf("k%03d", i), State: event.Done, Started: when, Heartbeat: when,
			Model: "mhsa"}
		if i%2 == 1 {
			s.State, s.PID, s.Machine, s.Space = event.Running, 1<<30, machine(), pidNamespace()
		}
		dir := filepath.Join(root, fmt.Sprintf("20261120-%06d-quadratic-cifar10-s0-%s", i, s.ID))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		b, err := s.encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "run.json"), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestListIsInTheOrderOfTime(t *testing.T) {
	root := t.TempDir()
	fake(t, root, 100)
	list, err := List(root)
	if err != nil || len(list) != 100 {
		t.Fatalf("%d runs, %v", len(list), err)
	}
	if !slices.IsSortedFunc(list, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("not in the order of time")
	}
}

func BenchmarkList(b *testing.B) {
	root := b.TempDir()
	fake(b, root, 1000)
	for b.Loop() {
		if _, err := List(root); err != nil {
			b.Fatal(err)
		}
	}
}

func TestListNothing(t *testing.T) {
	if list, err := List(filepath.Join(t.TempDir(), "none")); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}
