package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
)

// A Transfer shows a download, in the modes of a Progress:
//
//	cifar-10-binary.tar.gz  [########................]  34 %  57.9/170.1 MB  1.2 MB/s  eta 1:33
//	cifar-10-binary.tar.gz  34.1 %  57.9/170.1 MB  1.2 MB/s  eta 1:33
type Transfer struct {
	lockedDrawer
	name string
	now  func() time.Time
	last time.Time // when something was drawn
	past []sample  // a few of the last seconds, for the speed
}

// A sample is how many bytes there were at a time.
type sample struct {
	at   time.Time
	have int64
}

// A downloadState is a download as it is drawn: bytes, bytes a second, and the remaining seconds, negative if unknown.
type downloadState struct {
	name             string
	at               time.Time
	have, size       int64
	speed, remaining float64
}

// window is the time over which the speed is measured.
const window = 15 * time.Second

// NewTransfer returns a Transfer of the file called name, or an error for an unknown mode.
func NewTransfer(c Config, name string) (*Transfer, error) {
	c = c.complete()
	d, err := newDrawer(c)
	if err != nil {
		return nil, err
	}
	return &Transfer{lockedDrawer: lockedDrawer{draw: d}, name: name, now: c.Now}, nil
}

// At shows that there are have bytes of size.
func (t *Transfer) At(have, size int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if since := now.Sub(t.last); !t.last.IsZero() && since >= 0 && since < t.draw.every() && have < size {
		return
	}
	t.last = now
	for len(t.past) > 1 && (now.Sub(t.past[0].at) > window || have < t.past[0].have) {
		t.past = t.past[1:]
	}
	t.past = append(t.past, sample{now, have})
	r := downloadState{name: t.name, at: now, have: have, size: size, remaining: -1}
	if d := now.Sub(t.past[0].at).Seconds(); d > 0 {
		r.speed = float64(have-t.past[0].have) / d
	}
	if r.speed > 0 {
		r.remaining = float64(size-have) / r.speed
	}
	t.draw.transfer(r)
}

func (b *bar) every() time.Duration          { return redraw }
func (p *plain) every() time.Duration        { return heartbeat }
func (l *jsonLines) every() time.Duration    { return time.Second }
func (o *warningsOnly) every() time.Duration { return 1 << 62 }

func (b *bar) transfer(r downloadState) {
	line := r.barLine(b.columns() - besideBar)
	b.erase()
	io.WriteString(b.out, line)
	b.drawn = visible.Columns(line)
}

func (p *plain) transfer(r downloadState) {
	fmt.Fprintln(p.out, fitting(p.width(), r.name+"  "+r.logLine(), r.logLine()))
}

// Download is the progress of a download.
type Download struct {
	V     int       `json:"v"`       // 1
	Time  time.Time `json:"t"`       // of the line
	Event string    `json:"ev"`      // download
	File  string    `json:"file"`    // its name
	Have  int64     `json:"have"`    // bytes that have arrived
	Size  int64     `json:"size"`    // bytes
	Speed float64   `json:"bytes_s"` // bytes per second
	ETA   *float64  `json:"eta_s"`   // of the rest; null: unknown
}

func (l *jsonLines) transfer(r downloadState) {
	var eta *float64
	if table.Known(r.remaining) {
		eta = &r.remaining
	}
	b, err := json.Marshal(Download{1, r.at.UTC(), "download", r.name, r.have, r.size, r.speed, eta})
	if err == nil {
		l.out.Write(append(b, '\n'))
	}
}

func (o *warningsOnly) transfer(downloadState) {}

func (r downloadState) fraction() float64 { return float64(r.have) / float64(max(r.size, 1)) }

// barLine is the line on a terminal, at most width columns. Where it does not fit, the name goes first, then the bar
// and the speed.
func (r downloadState) barLine(width int) string {
	const places = 24
	percent := fmt.Sprintf("%3.0f %%", 100*r.fraction())
	amount := fmt.Sprintf("  %s/%s MB", mega(r.have), mega(r.size))
	gauge := gauge(int(r.have>>10), int(r.size>>10), places) + "  "
	eta := "  eta " + table.Clock(r.remaining)
	for _, line := range []string{
		r.name + "  " + gauge + percent + amount + "  " + pace(r.speed) + eta,
		gauge + percent + amount + "  " + pace(r.speed) + eta,
		percent + amount + "  " + pace(r.speed) + eta,
		percent + amount + eta,
	} {
		if visible.Columns(line) <= width {
			return line
		}
	}
	return clip(percent+eta, max(width, 1))
}

// logLine is the line in a log, without the name.
func (r downloadState) logLine() string {
	return fmt.Sprintf("%s  %s/%s MB  %s  eta %s", percent(r.fraction()), mega(r.have), mega(r.size), pace(r.speed),
		table.Clock(r.remaining))
}

// mega is a number of bytes in millions.
func mega(n int64) string { return fmt.Sprintf("%.1f", float64(n)/1e6) }

// pace is a speed: 1.2 MB/s, 55 kB/s.
func pace(bytes float64) string {
	if bytes < 1e6 {
		return fmt.Sprintf("%.0f kB/s", bytes/1e3)
	}
	return fmt.Sprintf("%.1f MB/s", bytes/1e6)
}
