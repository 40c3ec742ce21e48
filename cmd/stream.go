package cmd

import (
	"time"

	"github.com/attnconv/attnconv/run"
)

// streams reports whether standard error is for a program: with --progress json all of it is one JSON object a line, of
// the schema of metrics.jsonl.
func (c *console) streams() bool { return c.Progress == "json" }

// event writes an event to that stream.
func (c *console) event(e run.Event) { c.line(run.Kind(e), e) }

// stream writes a line that the stream has and a run's metrics.jsonl has not; -q keeps it back.
func (c *console) stream(kind string, v any) {
	if !c.Quiet {
		c.line(kind, v)
	}
}

// line writes a line with the fields of v, whatever --quiet says.
func (c *console) line(kind string, v any) {
	if b, err := run.Line(time.Now(), kind, v); err == nil {
		c.Err.Write(append(b, '\n'))
	}
}
