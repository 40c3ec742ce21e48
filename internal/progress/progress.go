// Package progress shows a run while it happens. It draws the events of package run in one of four ways: as a bar on a
// terminal, as plain lines in a log, as JSON for programs, or not at all.
package progress

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run/event"
)

// A Mode is one way to show progress.
type Mode struct {
	Name, Help string
	draw       func(c Config) drawer
}

// Entry implements option.Named.
func (m Mode) Entry() (name, help string) { return m.Name, m.Help }

// Modes lists what --progress may be. To add one, write its drawer and its line here.
var Modes = option.List[Mode]{
	{"auto", "a bar on a terminal, lines elsewhere", newAuto},
	{"bar", "one line that is redrawn; lines where there is no terminal", newBar},
	{"plain", "whole lines, as for a log", newPlain},
	{"json", "the events as JSON, one a line", func(c Config) drawer { return &jsonLines{out: c.Out} }},
	{"off", "warnings only", func(c Config) drawer { return &warningsOnly{out: c.Out} }},
}

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
type Progress struct{ lockedDrawer }

// A lockedDrawer may be called from several goroutines.
type lockedDrawer struct {
	mu   sync.Mutex
	draw drawer
}

// Line writes a line of text, such as a warning, without disturbing what is drawn.
func (s *lockedDrawer) Line(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draw.line(text)
}

// Close leaves the cursor at the start of a free line, so that others can write. More may still be drawn.
func (s *lockedDrawer) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draw.close()
}

// A drawer is one way to show events, downloads and stages.
type drawer interface {
	event(r event.Record)
	transfer(r downloadState)
	stage(s stage)
	every() time.Duration // between two drawings of a download or of a stage, at least
	line(text string)     // a line of others, above whatever is drawn
	close()               // leaves the cursor at the start of a free line
}

// complete fills in what may be nil.
func (c Config) complete() Config {
	if c.Mode == "" {
		c.Mode = "auto"
	}
	if c.Width == nil {
		c.Width = func() int { return 0 }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Getenv == nil {
		c.Getenv = func(string) string { return "" }
	}
	return c
}

// New returns a Progress for c, or an error for an unknown mode.
func New(c Config) (*Progress, error) {
	d, err := newDrawer(c.complete())
	if err != nil {
		return nil, err
	}
	return &Progress{lockedDrawer{draw: d}}, nil
}

func newDrawer(c Config) (drawer, error) {
	if err := Modes.Check("progress", c.Mode); err != nil {
		return nil, err
	}
	return Modes.Find(c.Mode).draw(c), nil
}

// newAuto is a bar for those who have not asked for static text, by NO_COLOR or ACCESSIBLE.
func newAuto(c Config) drawer {
	if c.Getenv("NO_COLOR") != "" || c.Getenv("ACCESSIBLE") != "" && c.Getenv("ACCESSIBLE") != "0" {
		return newPlain(c)
	}
	return newBar(c)
}

// newBar is a bar where the terminal can redraw a line; elsewhere it is plain lines, so that a log never holds control
// codes.
func newBar(c Config) drawer {
	if c.Width() == 0 || c.Getenv("TERM") == "dumb" {
		return newPlain(c)
	}
	return &bar{out: c.Out, width: c.Width, now: c.Now}
}

func newPlain(c Config) drawer { return &plain{out: c.Out, width: c.Width, now: c.Now} }

// Event draws one event.
func (p *Progress) Event(r event.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draw.event(r)
}

// jsonLines writes the JSON records of the event stream, one a line: those of metrics.jsonl, and notes.
type jsonLines struct{ out io.Writer }

func (l *jsonLines) event(r event.Record) {
	if b, err := r.MarshalJSON(); err == nil {
		l.out.Write(append(b, '\n'))
	}
}

func (l *jsonLines) line(text string) {
	l.event(event.Record{Time: time.Now(), Event: event.Note{Message: text}})
}

func (l *jsonLines) close() {}

// warningsOnly writes warnings only.
type warningsOnly struct{ out io.Writer }

func (o *warningsOnly) event(r event.Record) {
	if w, ok := r.Event.(event.Warn); ok {
		fmt.Fprintln(o.out, "warning: "+w.Message)
	}
}

func (o *warningsOnly) line(text string) { fmt.Fprintln(o.out, text) }
func (o *warningsOnly) close()           {}
