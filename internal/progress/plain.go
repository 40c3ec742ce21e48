package progress

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/run/event"
)

// plain writes whole lines and no control codes: one a heartbeat, one an epoch.
type plain struct {
	out   io.Writer
	width func() int
	now   func() time.Time
	last  time.Time // of the last heartbeat
}

const heartbeat = 10 * time.Second

func (p *plain) event(r event.Record) {
	switch e := r.Event.(type) {
	case event.Step:
		if now := p.now(); p.last.IsZero() || now.Sub(p.last) >= heartbeat || now.Before(p.last) {
			p.last = now
			fmt.Fprintln(p.out, stepLine(e, p.width()))
		}
	default:
		for _, line := range eventLines(r.Event, p.width()) {
			fmt.Fprintln(p.out, line)
		}
	}
}

func (p *plain) line(text string) { fmt.Fprintln(p.out, wrap(text, p.width())) }
func (p *plain) close()           {}

// wrap breaks text between words into lines of width columns; 0 is any width.
func wrap(text string, width int) string { return strings.Join(table.Wrap(text, width), "\n") }

// stepLine is the heartbeat, with as much as fits into width columns:
//
//	step 1,061/6,750 (15.7 %)  epoch 3  loss 1.721  acc 38.2 %  lr 0.0991  203 img/s  8:43  eta 46:45
func stepLine(e event.Step, width int) string {
	head := "step " + table.Thousands(e.Step)
	if e.Steps > 0 {
		head += fmt.Sprintf("/%s (%s)", table.Thousands(e.Steps),
			strings.TrimSpace(percent(float64(e.Step)/float64(e.Steps))))
	}
	head += fmt.Sprintf("  epoch %d  loss %.3f  acc %s", e.Epoch, e.Loss, percent(e.Acc))
	speed, eta := "  "+count(e.ImgS)+" img/s", "  eta "+table.Clock(e.ETA)
	return fitting(width,
		head+"  lr "+rate(e.LR)+speed+"  "+table.Clock(e.Elapsed)+eta,
		head+speed+"  "+table.Clock(e.Elapsed)+eta,
		head+speed+eta,
		head+eta,
		head,
	)
}

// fitting returns the first of these lines, longest first, that fits into width columns, or the end of the last is cut
// off.
func fitting(width int, lines ...string) string {
	for _, line := range lines {
		if table.Fits(line, width) {
			return line
		}
	}
	return clip(lines[len(lines)-1], width)
}

// eventLines are the permanent lines, in a log and above a bar, fitted to width columns; 0 is any width.
func eventLines(e event.Event, width int) []string {
	switch e := e.(type) {
	case event.Epoch:
		return []string{epochLine(e, width)}
	case event.Eval:
		return []string{fitting(width, fmt.Sprintf("%-5s  loss %.3f acc %s   %s images, step %s", e.Split, e.Loss,
			percent(e.Acc),
			table.Thousands(e.N), table.Thousands(e.Step)))}
	case event.Surgery:
		return []string{wrap("surgery: "+e.String(), width)}
	case event.Warn:
		return []string{wrap("warning: "+e.Message, width)}
	}
	return nil
}

// epochLine closes an epoch, with as much as fits into width columns:
//
//	epoch  1/15  train loss 2.012 acc 25.6 %   val loss 1.852 acc 32.1 %   lr 0.050  203 img/s   3:42  best
func epochLine(e event.Epoch, width int) string {
	smoothed := ""
	if e.Smoothed { // and so larger than the loss of the same images with their labels as they are
		smoothed = " (smoothed)"
	}
	var (
		epoch    = epochOf(e.Epoch, e.Epochs)
		train    = fmt.Sprintf("train loss %.3f%s acc %s", e.TrainLoss, smoothed, percent(e.TrainAcc))
		trainMin = fmt.Sprintf("train %.3f%s", e.TrainLoss, smoothed)
		val      = fmt.Sprintf("val loss %.3f acc %s", e.ValLoss, percent(e.ValAcc))
		valMin   = "val " + percent(e.ValAcc)
		lr       = fmt.Sprintf("lr %-8s", rate(e.LR))
		speed    = fmt.Sprintf("%4s img/s", count(e.ImgS))
		wall     = fmt.Sprintf("%5s", table.Clock(e.WallS))
	)
	if e.Side > 0 { // of smaller images
		epoch += fmt.Sprintf("  %d px", e.Side)
	}
	if math.IsNaN(e.ValLoss) { // not evaluated
		val, valMin = "val –", "val –"
	}
	if e.Epoch == 0 { // the initial network
		train, trainMin = "not trained", "not trained"
	}
	best := ""
	if e.Best {
		best = "  best"
	}
	const room = len("  best") // in every line, so that all lines of a run have the same parts
	line := fitting(max(0, width-room),
		epoch+"  "+train+"   "+val+"   "+lr+"  "+speed+"  "+wall,
		epoch+"  "+train+"   "+val+"   "+speed+"  "+wall,
		epoch+"  "+train+"  "+val+"  "+wall,
		epoch+"  "+trainMin+"  "+val+"  "+wall,
		epoch+"  "+trainMin+"  "+val,
		epoch+"  "+val,
		epoch+"  "+valMin,
	)
	return clip(line+best, width)
}
