package progress

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/attnconv/attnconv/run"
)

// plain writes whole lines and no control codes: one a heartbeat, one an epoch.
type plain struct {
	out   io.Writer
	width func() int
	now   func() time.Time
	last  time.Time // of the last heartbeat
}

const heartbeat = 10 * time.Second

func (p *plain) event(r run.Record) {
	switch e := r.Event.(type) {
	case run.Step:
		if now := p.now(); p.last.IsZero() || now.Sub(p.last) >= heartbeat || now.Before(p.last) {
			p.last = now
			fmt.Fprintln(p.out, stepLine(e))
		}
	default:
		for _, line := range eventLines(r.Event, p.width()) {
			fmt.Fprintln(p.out, line)
		}
	}
}

func (p *plain) line(text string) { fmt.Fprintln(p.out, text) }
func (p *plain) close()           {}

// stepLine is the heartbeat:
//
//	step 1061/6750 (15.7%) epoch 3 loss 1.7213 acc 0.3822 lr 0.0991 img/s 203 dt 493ms elapsed 8m43s eta 46m45s
func stepLine(e run.Step) string {
	var b strings.Builder
	fmt.Fprintf(&b, "step %d", e.Step)
	if e.Steps > 0 {
		fmt.Fprintf(&b, "/%d (%.1f%%)", e.Steps, 100*float64(e.Step)/float64(e.Steps))
	}
	fmt.Fprintf(&b, " epoch %d loss %.4f acc %.4f lr %s img/s %s dt %s elapsed %s eta %s",
		e.Epoch, e.Loss, e.Acc, rate(e.LR, 4), count(e.ImgS), milli(e.StepS), logDuration(e.Elapsed), logDuration(e.ETA))
	return b.String()
}

// eventLines are the permanent lines, in a log and above a bar, fitted to width columns; 0 is any width.
func eventLines(e run.Event, width int) []string {
	switch e := e.(type) {
	case run.Epoch:
		return []string{epochLine(e, width)}
	case run.Eval:
		return []string{fmt.Sprintf("%-5s  loss %.3f acc %4.1f %%   %s images, step %d",
			e.Split, e.Loss, 100*e.Acc, thousands(e.N), e.Step)}
	case run.Warn:
		return []string{"warning: " + e.Message}
	}
	return nil
}

// epochLine closes an epoch, with as much as fits into width columns:
//
//	epoch  1/15  train loss 2.012 acc 25.6 %   val loss 1.852 acc 32.1 %   lr 0.050  203 img/s   3:42  best
func epochLine(e run.Epoch, width int) string {
	var (
		epoch    = epochOf(e.Epoch, e.Epochs)
		train    = fmt.Sprintf("train loss %.3f acc %4.1f %%", e.TrainLoss, 100*e.TrainAcc)
		trainMin = fmt.Sprintf("train %.3f", e.TrainLoss)
		val      = fmt.Sprintf("val loss %.3f acc %4.1f %%", e.ValLoss, 100*e.ValAcc)
		valMin   = fmt.Sprintf("val %4.1f %%", 100*e.ValAcc)
		lr       = fmt.Sprintf("lr %-5s", rate(e.LR, 3))
		speed    = fmt.Sprintf("%4s img/s", count(e.ImgS))
		wall     = fmt.Sprintf("%5s", clock(e.WallS))
	)
	if e.Side > 0 { // of smaller images
		epoch += fmt.Sprintf("  %d px", e.Side)
	}
	if math.IsNaN(e.ValLoss) { // not evaluated
		val, valMin = "val –", "val –"
	}
	const best = "  best"
	var line string
	for _, line = range []string{
		epoch + "  " + train + "   " + val + "   " + lr + "  " + speed + "  " + wall,
		epoch + "  " + train + "   " + val + "   " + speed + "  " + wall,
		epoch + "  " + train + "  " + val + "  " + wall,
		epoch + "  " + train + "  " + val,
		epoch + "  " + trainMin + "  " + val,
		epoch + "  " + val,
		epoch + "  " + valMin,
	} {
		if width == 0 || columns(line)+len(best) <= width {
			break
		}
	}
	if e.Best {
		line += best
	}
	return clip(line, width)
}
