package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/run/event"
)

// A Stages shows a command that has several stages, in the modes of a Progress. A terminal has one line, which is
// redrawn; a log has a line for each stage, and more for a long one:
//
//	accuracy with layers replaced  [########................]  34 %  eta 1:33
//	accuracy with layers replaced  34.1 %  eta 1:33
type Stages struct {
	lockedDrawer
	now  func() time.Time
	name string
	from time.Time // when the stage began
	last time.Time // when something was drawn
}

// A stage is a stage as it is drawn: how much is done, in 0..1, and the remaining seconds, negative if unknown.
type stage struct {
	name            string
	at              time.Time
	part, remaining float64
}

// NewStages returns a Stages, or an error for an unknown mode.
func NewStages(c Config) (*Stages, error) {
	c = c.complete()
	d, err := newDrawer(c)
	if err != nil {
		return nil, err
	}
	return &Stages{lockedDrawer: lockedDrawer{draw: d}, now: c.Now}, nil
}

// Next begins a stage.
func (s *Stages) Next(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.name, s.from = name, s.now()
	s.last = s.from
	s.draw.stage(stage{name: name, at: s.from, remaining: -1})
}

// At shows that a part of the stage is done, in 0..1.
func (s *Stages) At(part float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if since := now.Sub(s.last); since >= 0 && since < s.draw.every() || part <= 0 {
		return
	}
	s.last = now
	s.draw.stage(stage{s.name, now, part, now.Sub(s.from).Seconds() * (1 - part) / part})
}

func (b *bar) stage(s stage) {
	const places = 24
	line := s.name
	if s.part > 0 {
		done := fmt.Sprintf("%3.0f %%  eta %s", 100*s.part, table.Clock(s.remaining))
		bar := gauge(int(1000*s.part), 1000, places) + "  " + done
		line = fitting(b.columns()-besideBar, s.name+"  "+bar, bar, done)
	}
	b.erase()
	line = clip(line, max(1, b.columns()-besideBar))
	io.WriteString(b.out, line)
	b.drawn = visible.Columns(line)
}

func (p *plain) stage(s stage) {
	if s.part == 0 {
		p.line(s.name)
		return
	}
	done := fmt.Sprintf("%s  eta %s", percent(s.part), table.Clock(s.remaining))
	fmt.Fprintln(p.out, fitting(p.width(), s.name+"  "+done, done))
}

// Stage is the progress of a stage of a command, once a part of it is done; its beginning is a note.
type Stage struct {
	V     int       `json:"v"`     // 1
	Time  time.Time `json:"t"`     // of the line
	Event string    `json:"ev"`    // stage
	Name  string    `json:"name"`  // of the stage
	Part  float64   `json:"part"`  // that is done, 0 to 1
	ETA   float64   `json:"eta_s"` // of the rest
}

func (l *jsonLines) stage(s stage) {
	if s.part == 0 {
		l.event(event.Record{Time: s.at, Event: event.Note{Message: s.name}})
		return
	}
	if b, err := json.Marshal(Stage{1, s.at.UTC(), "stage", s.name, s.part, s.remaining}); err == nil {
		l.out.Write(append(b, '\n'))
	}
}

func (o *warningsOnly) stage(stage) {}
