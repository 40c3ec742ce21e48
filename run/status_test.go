package run

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/attnconv/attnconv/run/event"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestJudge(t *testing.T) {
	now, here, me := when, machine(), os.Getpid()
	for _, tt := range []struct {
		name       string
		status     Status
		state, why string
	}{
		{"done", Status{State: event.Done}, event.Done, ""},
		{"alive", Status{State: event.Running, PID: me, Machine: here, Heartbeat: now.Add(-59 * time.Second)},
			event.Running, ""},
		{"silent", Status{State: event.Running, PID: me, Machine: here, Heartbeat: now.Add(-3 * time.Minute)},
			event.Stopped, "no heartbeat 3 min"},
		{"dead", Status{State: event.Running, PID: 1 << 30, Machine: here, Space: pidNamespace(), Heartbeat: now},
			event.Stopped,
			"process ended"},
		{"in another container", Status{State: event.Running, PID: 1 << 30, Machine: here, Space: "pid:[1]",
			Heartbeat: now},
			event.Running, ""},
		{"elsewhere", Status{State: event.Running, PID: 1 << 30, Machine: "other", Heartbeat: now}, event.Running, ""},
		{"elsewhere, silent", Status{State: event.Running, PID: 1, Machine: "other",
			Heartbeat: now.Add(-72 * time.Hour)},
			event.Stopped, "no heartbeat 3 d"},
		{"from the future", Status{State: event.Running, PID: me, Machine: here, Heartbeat: now.Add(time.Hour)},
			event.Stopped, "no heartbeat 60 min"},
		{"no process", Status{State: event.Running, PID: -1, Machine: here, Heartbeat: now}, event.Running, ""},
	} {
		if state, why := tt.status.Judge(now); state != tt.state || why != tt.why {
			t.Errorf("%s: %s %q, want %s %q", tt.name, state, why, tt.state, tt.why)
		}
	}
}

func TestHostileStatus(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "unexpected end"},
		{"not JSON", "state: running", "invalid character"},
		{"list", "[]", "cannot unmarshal"},
		{"later format", `{"format": 9, "version": "7.0", "state": 5}`,
			"written by attnconv 7.0 (format 9); this is format 1"},
		{"unknown state", `{"format": 1, "id": "a", "state": "flying"}`, `"flying"`},
		{"no id", `{"format": 1, "state": "done"}`, "want format, id"},
		{"wrong type", `{"format": 1, "id": "a", "state": "done", "step": "x"}`, "cannot unmarshal"},
		{"endless", `{"x": "` + strings.Repeat("a", 2<<20) + `"}`, "want at most 1048576 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			good := create(t, root)
			bad := filepath.Join(root, "20000101-000000-bad-zzzz")
			if err := os.Mkdir(bad, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(bad, "run.json"), []byte(tt.text), 0o666); err != nil {
				t.Fatal(err)
			}
			var corrupt *CorruptError
			if _, err := Open("zzzz", root); !errors.As(err, &corrupt) || !strings.Contains(corrupt.Reason, tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			list, err := List(root)
			if err != nil || len(list) != 2 || list[0].Err == nil || list[1].Err != nil || list[1].Path != good.Path {
				t.Errorf("list %+v, %v", list, err)
			}
		})
	}
}

// A run in a folder called run is named by its id: "run run" says nothing.
func TestTitle(t *testing.T) {
	for name, want := range map[string]string{"20261120-231840-mine-k3f9": "run 20261120-231840-mine-k3f9",
		"run": "run k3f9",
		"Run": "run k3f9", "runs": "run runs"} {
		if got := (Status{Name: name, ID: "k3f9"}).Title(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func FuzzStatus(f *testing.F) {
	s := Status{Format: 1, ID: "k3f9", State: event.Running, Started: when, Heartbeat: when, ValAcc: math.NaN()}
	b, err := s.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"format":2,"version":"9"}`))
	f.Add([]byte(`{"format":1,"id":"a","state":"running","pid":-1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := parseStatus("run.json", b)
		var bad *CorruptError
		if err != nil {
			if !errors.As(err, &bad) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		s.Judge(when)
		text, err := s.encode()
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := parseStatus("run.json", text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, decoded, cmpopts.EquateNaNs(), cmpopts.IgnoreUnexported(Status{})); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestARecordHasAnEvent(t *testing.T) {
	if err := create(t, t.TempDir()).Event(nil); err == nil {
		t.Error("an event that is nil was recorded")
	}
}
