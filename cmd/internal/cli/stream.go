package cli

import (
	"time"

	"github.com/attnconv/attnconv/run"
)

// Streams reports whether standard error is a stream of events, one JSON object per line as in metrics.jsonl: that is
// --progress json.
func (c *Console) Streams() bool { return c.Progress == "json" }

// event writes an event to the stream.
func (c *Console) event(e run.Event) { c.line(run.Kind(e), e) }

// Stream writes a line that metrics.jsonl does not have; -q suppresses it.
func (c *Console) Stream(kind string, v any) {
	if !c.Quiet {
		c.line(kind, v)
	}
}

// line writes a line with the fields of v, even with --quiet.
func (c *Console) line(kind string, v any) {
	if b, err := run.Line(time.Now(), kind, v); err == nil {
		c.Err.Write(append(b, '\n'))
	}
}
