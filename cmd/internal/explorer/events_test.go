package explorer

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A received event of a stream.
type received struct{ event, id, data string }

// A follower reads the stream of a run through a real connection.
type follower struct {
	t      *testing.T
	events chan received
	cancel context.CancelFunc
	status int
}

func follow(t *testing.T, base, run string, lines ...string) *follower {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/api/v1/runs/"+run+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{t, make(chan received, 1000), cancel, answer.StatusCode}
	go func() {
		defer close(f.events)
		defer answer.Body.Close()
		var e received
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "event":
				e.event = value
			case "id":
				e.id = value
			case "data":
				e.data = value
			case "":
				if e.event != "" {
					f.events <- e
				}
				e = received{}
			}
		}
	}()
	return f
}

// next returns the next event that is not a state.
func (f *follower) next() received {
	f.t.Helper()
	for {
		select {
		case e, ok := <-f.events:
			if !ok {
				f.t.Fatal("the stream has ended")
			}
			if e.event != "state" {
				return e
			}
		case <-time.After(20 * time.Second):
			f.t.Fatal("no event in 20 s")
		}
	}
}

// quiet fails if there is an event soon.
func (f *follower) quiet() {
	f.t.Helper()
	select {
	case e := <-f.events:
		f.t.Errorf("unexpected: %+v", e)
	case <-time.After(3 * watch):
	}
}

// live is a server of its own with one run whose metrics.jsonl the test writes.
func live(t *testing.T) (s *Server, base string, write func(text string)) {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(filepath.Join(root, "one"), os.DirFS(filepath.Join(folder(), "running"))); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "one", "metrics.jsonl")
	put(root, "one/metrics.jsonl", "")
	s = New(Options{Runs: root})
	page := httptest.NewServer(s)
	t.Cleanup(page.Close)
	return s, page.URL, func(text string) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString(text)
			f.Close()
		}
		if err != nil {
			t.Error(err)
		}
	}
}

func line(n int) string { return fmt.Sprintf("{\"n\":%d}\n", n) }

// A client that comes again with the last id sees each record once, whenever it was away. A line that is being written
// is sent when it is whole; one that is not JSON is left out.
func TestEventsGoOnWhereTheyEnded(t *testing.T) {
	_, base, write := live(t)
	write(line(0) + line(1))
	f := follow(t, base, "one")
	if a, b := f.next(), f.next(); a != (received{"record", "8", `{"n":0}`}) || b != (received{"record", "16",
		`{"n":1}`}) {
		t.Errorf("%+v, %+v", a, b)
	}
	write(`{"n":`)
	f.quiet()
	write("2}\n")
	last := f.next()
	if last.data != `{"n":2}` {
		t.Errorf("%+v", last)
	}
	f.cancel()
	write("no JSON\n" + line(3))
	for _, from := range []string{"Last-Event-ID: " + last.id, "X: y"} {
		base := base
		again := follow(t, base, "one", from)
		if from == "X: y" { // from the beginning
			for n := range 3 {
				if e := again.next(); e.data != fmt.Sprintf(`{"n":%d}`, n) {
					t.Errorf("record %d: %+v", n, e)
				}
			}
		}
		if e := again.next(); e.data != `{"n":3}` {
			t.Errorf("%s: %+v", from, e)
		}
		again.quiet()
	}
}

// A file that has become shorter was rewound: the client is told to forget what it has, and gets the rest.
func TestEventsOfARewoundRun(t *testing.T) {
	s, base, write := live(t)
	write(line(0) + line(1) + line(2))
	f := follow(t, base, "one")
	for range 3 {
		f.next()
	}
	put(s.o.Runs, "one/metrics.jsonl", line(7))
	if e := f.next(); e.event != "reset" || e.id != "0" {
		t.Errorf("%+v, want reset", e)
	}
	if e := f.next(); e.data != `{"n":7}` {
		t.Errorf("%+v", e)
	}
	if e := follow(t, base, "one", "Last-Event-ID: 9999").next(); e.event != "reset" {
		t.Errorf("an offset behind the end: %+v, want reset", e)
	}
}

// A line longer than the bytes that are read at a time is passed over; the records behind it arrive.
func TestEventsPassOverEndlessLines(t *testing.T) {
	_, base, write := live(t)
	write(strings.Repeat("x", 2*mostLine+5) + "\n" + line(1))
	if e := follow(t, base, "one").next(); e.data != `{"n":1}` {
		t.Errorf("%+v", e)
	}
}

// There is an end to the number of streams, and one that is closed makes room. Clients that come and go leave nothing.
func TestEventsEnd(t *testing.T) {
	s, base, _ := live(t)
	before := runtime.NumGoroutine()
	var all []*follower
	for range mostClients {
		all = append(all, follow(t, base, "one"))
	}
	if f := follow(t, base, "one"); f.status != http.StatusServiceUnavailable {
		t.Errorf("one stream more: status %d", f.status)
	}
	for _, f := range all {
		f.cancel()
	}
	settles(t, "streams", func() int { return len(s.clients) }, 0)
	for range 40 {
		f := follow(t, base, "one")
		if f.status != http.StatusOK {
			t.Fatalf("status %d", f.status)
		}
		f.cancel()
		settles(t, "streams", func() int { return len(s.clients) }, 0)
	}
	http.DefaultClient.CloseIdleConnections()
	settles(t, "goroutines", func() int { return max(0, runtime.NumGoroutine()-before-4) }, 0)
}

// settles fails unless a count becomes what it should be.
func settles(t *testing.T, what string, count func() int, want int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); count() != want; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d %s are left", count(), what)
		}
	}
}

// A run that is removed while it is followed ends nothing but its own stream's news.
func TestEventsOfARemovedRun(t *testing.T) {
	s, base, write := live(t)
	write(line(0))
	f := follow(t, base, "one")
	f.next()
	if err := os.RemoveAll(filepath.Join(s.o.Runs, "one")); err != nil {
		t.Fatal(err)
	}
	f.quiet()
	if w := follow(t, base, "one"); w.status != http.StatusNotFound {
		t.Errorf("status %d", w.status)
	}
}

// A page follows a run from the last step that it has recorded, and so knows at once how far the run is.
func TestFollowsFromTheLastStep(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(folder(), "quadratic", "metrics.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var d Document
	read(t, "/api/v1/runs/quadratic", &d)
	first, rest, _ := strings.Cut(string(text[d.Run.Offset:]), "\n")
	if !strings.Contains(first, `"ev":"step"`) || strings.Contains(rest, `"ev":"step"`) {
		t.Errorf("from %d of %d on: %.200s", d.Run.Offset, len(text), first)
	}
	empty := filepath.Join(t.TempDir(), "metrics.jsonl")
	if at := lastStep(empty); at != 0 {
		t.Errorf("from %d of no file on", at)
	}
}
