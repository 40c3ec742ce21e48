package progress

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/run/event"
)

// bar redraws one line during an epoch and leaves one line behind each:
//
//	epoch  2/15  train loss 1.805 acc 34.8 %   val loss 1.721 acc 38.0 %   lr 0.100  204 img/s   3:41  best
//	epoch  3/15  [#########...............] 161/450  loss 1.72  acc 38.2 %  203 img/s  eta 46:45
type bar struct {
	out    io.Writer
	width  func() int
	now    func() time.Time
	epochs int
	drawn  int       // columns of the line on the screen
	last   time.Time // when it was drawn
}

// The width is read before each line, since the window may change. Beyond mostColumns a line is hard to read.
const (
	leastColumns = 40
	mostColumns  = 200
	redraw       = 100 * time.Millisecond
)

func (b *bar) columns() int { return min(b.width(), mostColumns) }

func (b *bar) event(r event.Record) {
	switch e := r.Event.(type) {
	case event.Start:
		b.epochs = e.Epochs
	case event.Step:
		now := b.now()
		since := now.Sub(b.last)
		if b.drawn > 0 && since >= 0 && since < redraw && e.EpochStep != e.EpochSteps {
			return
		}
		b.last = now
		line := barLine(e, b.epochs, b.columns())
		b.erase()
		io.WriteString(b.out, line)
		b.drawn = visible.Columns(line)
	default:
		if text := eventLines(r.Event, b.columns()); text != nil {
			b.erase()
			fmt.Fprintln(b.out, strings.Join(text, "\n"))
		}
	}
}

func (b *bar) line(text string) {
	b.erase()
	fmt.Fprintln(b.out, wrap(text, b.columns()))
}

func (b *bar) close() { b.erase() }

// erase clears the drawn line. If the window has become narrower, the terminal has wrapped the line, and the cursor is
// in the last row. Each row is cleared by itself: some terminals treat clearing everything below the first row as a new
// page and keep the old one.
func (b *bar) erase() {
	if b.drawn == 0 {
		return
	}
	more := 0
	if w := b.width(); w > 0 {
		more = (b.drawn - 1) / w
	}
	visible.Control(b.out, "\r\x1b[K"+strings.Repeat("\x1b[1A\x1b[K", more))
	b.drawn = 0
}

// besideBar is the number of columns that are free behind a bar: a terminal writes ^C there, and some wrap at a full
// last column.
const besideBar = 3

// barLine is the line during an epoch, with besideBar columns free. Where it does not fit, the speed goes first, then
// the accuracy, the loss and the bar. After the last step of an epoch, the network is evaluated.
func barLine(e event.Step, epochs, width int) string {
	var (
		space = max(width, leastColumns) - besideBar
		head  = epochOf(e.Epoch, epochs) + "  "
		steps = fmt.Sprintf(" %d/%d", e.EpochStep, e.EpochSteps)
		loss  = fmt.Sprintf("  loss %.2f", e.Loss)
		acc   = "  acc " + percent(e.Acc)
		speed = fmt.Sprintf("  %s img/s", count(e.ImgS))
		eta   = "  eta " + table.Clock(e.ETA)
	)
	if e.EpochStep == e.EpochSteps {
		speed, eta = "", "  evaluating"
	}
	const least, most = 8, 24
	for _, tail := range []string{
		steps + loss + acc + speed + eta, steps + loss + acc + eta, steps + loss + eta, steps + eta,
	} {
		if free := space - visible.Columns(head+tail) - 2; free >= least {
			return clip(head+gauge(e.EpochStep, e.EpochSteps, min(free, most))+tail, max(width-besideBar, 1))
		}
	}
	return clip(head+strings.TrimSpace(steps)+eta, max(width-besideBar, 1))
}

// gauge is [####......] with n places.
func gauge(done, all, n int) string {
	full := 0
	if all > 0 {
		full = min(max(n*done/all, 0), n)
	}
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", n-full) + "]"
}
