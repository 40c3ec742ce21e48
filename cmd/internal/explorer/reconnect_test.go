package explorer

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"testing"
	"time"
)

// usage is what a server holds on to.
type usage struct {
	goroutines, descriptors int // descriptors: -1 where they cannot be counted
	heap                    uint64
}

func (u usage) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, %.2f MB", u.goroutines, u.descriptors, float64(u.heap)/1e6)
}

func measureUsage() (u usage) {
	http.DefaultClient.CloseIdleConnections()
	var m runtime.MemStats
	for range 5 { // what has ended needs a moment to be gone
		time.Sleep(20 * time.Millisecond)
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	u = usage{runtime.NumGoroutine(), -1, m.HeapAlloc}
	if all, err := os.ReadDir("/proc/self/fd"); err == nil {
		u.descriptors = len(all)
	}
	return u
}

// A page that reconnects all the time, as behind a bad line, leaves nothing: after each round it has read the run and
// its first records again. It takes 3 seconds, or what ATTNCONV_RECONNECT says: 10m.
func TestReconnecting(t *testing.T) {
	d := 3 * time.Second
	if text := os.Getenv("ATTNCONV_RECONNECT"); text != "" {
		var err error
		if d, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	s, base, write := live(t)
	write(line(0) + line(1))
	round := func(n int) {
		f := follow(t, base, "one", "Last-Event-ID: "+fmt.Sprint(8*(n%2)))
		if n%3 > 0 { // the others are cut before an event arrives
			if e := f.next(); e.data != fmt.Sprintf(`{"n":%d}`, n%2) {
				t.Fatalf("round %d: %+v", n, e)
			}
		}
		answer, err := http.Get(base + "/api/v1/runs/one")
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		f.cancel()
	}
	for n := range 20 {
		round(n)
	}
	settles(t, "streams", func() int { return len(s.clients) }, 0)
	before, rounds := measureUsage(), 0
	for end := time.Now().Add(d); time.Now().Before(end); rounds++ {
		round(rounds)
		settles(t, "streams", func() int { return len(s.clients) }, 0)
	}
	settles(t, "goroutines", func() int { return max(0, measureUsage().goroutines-before.goroutines-4) }, 0)
	after := measureUsage()
	t.Logf("%d rounds in %v: %v, then %v", rounds, d, before, after)
	if after.descriptors > before.descriptors+4 || after.heap > before.heap+before.heap/5+2<<20 {
		t.Errorf("after %d rounds: %v, before %v", rounds, after, before)
	}
}

// Uploads and networks are kept up to a number, and are freed behind it.
func TestBoundedMemory(t *testing.T) {
	s := New(Options{Runs: folder()})
	page := httptest.NewServer(s)
	defer page.Close()
	targets := []string{"quadratic/epochs/1", "general/epochs/1", "learned/means/1", "content/attention/1", "relative/means/1",
		"quadratic/epochs/2", "general/epochs/2", "quadratic/means/0", "after-convolution/means/1", "some-gaussian/means/1"}
	round := func() {
		for _, target := range targets {
			answer, err := http.Get(page.URL + "/api/v1/runs/" + target)
			if err != nil || answer.StatusCode != http.StatusOK {
				t.Fatal(target, err, answer.StatusCode)
			}
			io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
		}
	}
	round()
	before := measureUsage()
	for range 10 {
		round()
	}
	if after := measureUsage(); after.heap > before.heap+before.heap/5+1<<20 || len(s.models.list) > mostModels {
		t.Errorf("%d networks; %v, before %v", len(s.models.list), after, before)
	} else {
		t.Logf("%v, then %v", before, after)
	}
}
