package cmd

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/attnconv/attnconv/run"
)

// streams reports whether standard error is for a program: with --progress json all of it is one JSON object a line, of
// the schema of metrics.jsonl.
func (c *console) streams() bool { return c.Progress == "json" }

// event writes an event to that stream.
func (c *console) event(e run.Event) {
	if b, err := (run.Record{Time: time.Now(), Event: e}).MarshalJSON(); err == nil {
		c.Err.Write(append(b, '\n'))
	}
}

// stream writes a line that the stream has and a run's metrics.jsonl has not; -q keeps it back.
func (c *console) stream(kind string, v any) {
	if !c.Quiet {
		c.line(kind, v)
	}
}

// line writes the fields of v, which has some, behind the head of every line.
func (c *console) line(kind string, v any) {
	head, err := json.Marshal(struct {
		V    int       `json:"v"`
		Time time.Time `json:"t"`
		Kind string    `json:"ev"`
	}{run.Schema, time.Now().UTC().Truncate(time.Millisecond), kind})
	if err != nil {
		return
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) == nil {
		c.Err.Write([]byte(strings.TrimSuffix(string(head), "}") + "," + strings.TrimPrefix(b.String(), "{")))
	}
}
