// Package progress shows a run while it happens. It draws the events of package run in one of four ways: as a bar on a
// terminal, as plain lines in a log, as JSON for programs, or not at all.
package progress

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/run"
)

// Modes are the words for --progress. Auto is a bar on a terminal and plain lines elsewhere.
var Modes = []string{"auto", "bar", "plain", "json", "off"}

// A Config says where and how to draw.
type Config struct {
	Mode   string              // one of Modes; empty is auto
	Out    io.Writer           // standard error, as a rule
	Width  func() int          // columns of the terminal behind Out, asked before each line; 0 or nil: not a terminal
	Getenv func(string) string // nil: no variables
	Now    func() time.Time    // nil: time.Now
}

// A Progress draws events. Its methods may be called from several goroutines; a write that fails is not reported, since
// a run should outlive the terminal it was started from.
type Progress struct {
	mu   sync.Mutex
	draw drawer
}

// A drawer is one way to show events.
type drawer interface {
	event(r run.Record)
	line(text string) // a line of others, above whatever is drawn
	close()           // leaves the cursor at the start of a free line
}

// New returns a Progress for c, or an error for a mode that there is not.
func New(c Config) (*Progress, error) {
	if c.Width == nil {
		c.Width = func() int { return 0 }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Getenv == nil {
		c.Getenv = func(string) string { return "" }
	}
	var d drawer
	switch mode(c) {
	case "bar":
		d = &bar{out: c.Out, width: c.Width, now: c.Now}
	case "plain":
		d = &plain{out: c.Out, width: c.Width, now: c.Now}
	case "json":
		d = &lines{out: c.Out}
	case "off":
		d = &off{out: c.Out}
	default:
		return nil, invalid.Choice("progress", c.Mode, Modes)
	}
	return &Progress{draw: d}, nil
}

// mode settles auto. A bar needs a terminal that can redraw a line: elsewhere it becomes plain lines, so that a log
// never holds control codes. Who sets NO_COLOR or ACCESSIBLE wants static text, unless a bar is asked for.
func mode(c Config) string {
	terminal := c.Width() > 0 && c.Getenv("TERM") != "dumb"
	static := c.Getenv("NO_COLOR") != "" || c.Getenv("ACCESSIBLE") != "" && c.Getenv("ACCESSIBLE") != "0"
	switch c.Mode {
	case "bar", "auto", "":
		if terminal && (c.Mode == "bar" || !static) {
			return "bar"
		}
		return "plain"
	}
	return c.Mode
}

// Event draws one event.
func (p *Progress) Event(r run.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draw.event(r)
}

// Line writes a line of text, such as a warning, without disturbing what is drawn.
func (p *Progress) Line(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draw.line(text)
}

// Close ends what is drawn, so that others can write. Events may still follow.
func (p *Progress) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draw.close()
}

// lines writes the JSON records of the event stream, one a line: those of metrics.jsonl, and notes.
type lines struct{ out io.Writer }

func (l *lines) event(r run.Record) {
	if b, err := r.MarshalJSON(); err == nil {
		l.out.Write(append(b, '\n'))
	}
}

func (l *lines) line(text string) {
	l.event(run.Record{Time: time.Now(), Event: run.Note{Message: text}})
}

func (l *lines) close() {}

// off shows warnings only.
type off struct{ out io.Writer }

func (o *off) event(r run.Record) {
	if w, ok := r.Event.(run.Warn); ok {
		fmt.Fprintln(o.out, "warning: "+w.Message)
	}
}

func (o *off) line(text string) { fmt.Fprintln(o.out, text) }
func (o *off) close()           {}
