package explorer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"time"

	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/run"
)

// How often the files of a run are looked at, and how often a stream says that it lives.
const (
	watch     = 500 * time.Millisecond
	heartbeat = 15 * time.Second
	mostLine  = 1 << 20 // bytes of a line of metrics.jsonl that are read at a time
)

// events streams what happens to a run as server-sent events: record, a line of metrics.jsonl, whose id is the offset
// behind it; state, when the run's state changes; reset, when the file has become shorter, because a resumed run took
// steps back. A client that comes again sends the last id (Last-Event-ID, or since), and misses nothing.
func (s *Server) events(w http.ResponseWriter, r *http.Request) error {
	e, err := s.find(r)
	if err != nil {
		return err
	}
	at, err := offset(r)
	if err != nil {
		return err
	}
	select {
	case s.clients <- struct{}{}:
		defer func() { <-s.clients }()
	default:
		return &refusal{http.StatusServiceUnavailable,
			fmt.Sprintf("%d pages follow runs already: close one", mostClients)}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	fmt.Fprint(w, "retry: 1000\n\n")
	state, beat := "", time.Now()
	tick := time.NewTicker(watch)
	defer tick.Stop()
	for {
		sent, err := s.follow(w, e, &at, &state)
		if err != nil {
			return nil // the stream has begun; the client comes again
		}
		if !sent && time.Since(beat) >= heartbeat {
			fmt.Fprint(w, ": \n\n")
			sent = true
		}
		if sent {
			beat = time.Now()
			if out.Flush() != nil {
				return nil
			}
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-tick.C:
		}
	}
}

// offset reads where in metrics.jsonl a stream begins.
func offset(r *http.Request) (int64, error) {
	for _, text := range []string{r.Header.Get("Last-Event-ID"), r.URL.Query().Get("since")} {
		if text == "" {
			continue
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return 0, &refusal{http.StatusBadRequest, "since: want an offset in bytes, from 0"}
		}
		return n, nil
	}
	return 0, nil
}

// follow sends what is new, and reports whether there was anything.
func (s *Server) follow(w io.Writer, e run.Entry, at *int64, state *string) (sent bool, err error) {
	if now := run.At(e.Path); now.Err == nil && now.State != *state {
		*state = now.State
		b, _ := json.Marshal(map[string]any{"state": now.State, "epoch": now.Status.Epoch, "step": now.Status.Step})
		if _, err := fmt.Fprintf(w, "event: state\ndata: %s\n\n", b); err != nil {
			return true, err
		}
		sent = true
	}
	f, err := foreign.Open(metrics(e.Path))
	if errors.Is(err, fs.ErrNotExist) {
		return sent, nil
	}
	if err != nil {
		return sent, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return sent, err
	}
	if info.Size() < *at {
		*at = 0
		if _, err := fmt.Fprint(w, "event: reset\nid: 0\ndata: {}\n\n"); err != nil {
			return true, err
		}
		sent = true
	}
	b := make([]byte, min(info.Size()-*at, mostLine))
	n, err := f.ReadAt(b, *at)
	if err != nil && err != io.EOF {
		return sent, err
	}
	for line := range bytes.Lines(b[:n]) {
		if line[len(line)-1] != '\n' { // it is being written
			if n == mostLine && bytes.IndexByte(b, '\n') < 0 {
				*at += int64(n) // no line of this program is so long
			}
			break
		}
		*at += int64(len(line))
		if line = bytes.TrimSpace(line); !json.Valid(line) {
			continue
		}
		if _, err := fmt.Fprintf(w, "event: record\nid: %d\ndata: %s\n\n", *at, line); err != nil {
			return true, err
		}
		sent = true
	}
	return sent, nil
}
