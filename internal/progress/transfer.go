package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/attnconv/attnconv/internal/invalid"
)

// A Transfer shows a download, in the modes of a Progress:
//
//	cifar-10-binary.tar.gz  [########................]  34 %  57.9/170.1 MB  1.2 MB/s  eta 1:33
//	cifar-10-binary.tar.gz 57.9/170.1 MB (34.1%) 1.2 MB/s eta 1m33s
type Transfer struct {
	mu     sync.Mutex
	name   string
	mode   string
	out    io.Writer
	now    func() time.Time
	screen bar
	last   time.Time // when something was drawn
	past   []sample  // a few of the last seconds, for the speed
}

// A sample is how much there was at a time.
type sample struct {
	at   time.Time
	have int64
}

// window is the time over which the speed is measured.
const window = 15 * time.Second

// NewTransfer returns a Transfer of the file called name, or an error for a mode that there is not.
func NewTransfer(c Config, name string) (*Transfer, error) {
	p, err := New(c)
	if err != nil {
		return nil, err
	}
	t := &Transfer{name: name, mode: "plain", out: c.Out, now: c.Now}
	if t.now == nil {
		t.now = time.Now
	}
	switch d := p.draw.(type) {
	case *bar:
		t.mode, t.screen = "bar", *d
	case *lines:
		t.mode = "json"
	case *off:
		t.mode = "off"
	case *plain:
	default:
		return nil, invalid.Choice("progress", c.Mode, Modes)
	}
	return t, nil
}

// At shows that there are have bytes of size.
func (t *Transfer) At(have, size int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	every := map[string]time.Duration{"bar": redraw, "plain": heartbeat, "json": time.Second, "off": 1 << 62}[t.mode]
	if since := now.Sub(t.last); !t.last.IsZero() && since >= 0 && since < every && have < size {
		return
	}
	t.last = now
	for len(t.past) > 1 && (now.Sub(t.past[0].at) > window || have < t.past[0].have) {
		t.past = t.past[1:]
	}
	t.past = append(t.past, sample{now, have})
	speed := 0.0
	if d := now.Sub(t.past[0].at).Seconds(); d > 0 {
		speed = float64(have-t.past[0].have) / d
	}
	left := -1.0 // not known
	if speed > 0 {
		left = float64(size-have) / speed
	}
	t.draw(have, size, speed, left)
}

func (t *Transfer) draw(have, size int64, speed, left float64) {
	part := float64(have) / float64(max(size, 1))
	switch t.mode {
	case "bar":
		line := t.barLine(have, size, speed, left)
		t.screen.erase()
		io.WriteString(t.out, line)
		t.screen.drawn = columns(line)
	case "plain":
		fmt.Fprintf(t.out, "%s %s/%s MB (%.1f%%) %s eta %s\n", t.name, mega(have), mega(size), 100*part, pace(speed), words(left))
	case "json":
		b, err := json.Marshal(struct {
			V     int       `json:"v"`
			Time  time.Time `json:"t"`
			Event string    `json:"ev"`
			File  string    `json:"file"`
			Have  int64     `json:"have"`
			Size  int64     `json:"size"`
			Speed float64   `json:"bytes_s"`
			ETA   *float64  `json:"eta_s"`
		}{1, t.last.UTC(), "download", t.name, have, size, speed, maybe(left)})
		if err == nil {
			t.out.Write(append(b, '\n'))
		}
	}
}

// maybe is nil for a time that is not known.
func maybe(seconds float64) *float64 {
	if !known(seconds) {
		return nil
	}
	return &seconds
}

// barLine is the line on a terminal, at most its width less one. Of what does not fit, the name goes first, then the
// bar and the speed.
func (t *Transfer) barLine(have, size int64, speed, left float64) string {
	const places = 24
	percent := fmt.Sprintf("%3.0f %%", 100*float64(have)/float64(max(size, 1)))
	amount := fmt.Sprintf("  %s/%s MB", mega(have), mega(size))
	gauge := gauge(int(have>>10), int(size>>10), places) + "  "
	eta := "  eta " + clock(left)
	width := t.screen.columns() - 1
	for _, line := range []string{
		t.name + "  " + gauge + percent + amount + "  " + pace(speed) + eta,
		gauge + percent + amount + "  " + pace(speed) + eta,
		percent + amount + "  " + pace(speed) + eta,
		percent + amount + eta,
	} {
		if columns(line) <= width {
			return line
		}
	}
	return clip(percent+eta, max(width, 1))
}

// Line writes a line of text above what is drawn.
func (t *Transfer) Line(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch t.mode {
	case "bar":
		t.screen.line(text)
	case "json":
		(&lines{t.out}).line(text)
	default:
		fmt.Fprintln(t.out, text)
	}
}

// Close leaves the cursor at the start of a free line.
func (t *Transfer) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.screen.erase()
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
