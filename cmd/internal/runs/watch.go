package runs

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/run"
)

// watchEvery is the time between two refreshes.
const watchEvery = 2 * time.Second

// watchRun refreshes the output in place until the run ends.
func watchRun(ctx context.Context, c *cli.Console, ref string) error {
	if c.JSON || c.OutWidth() == 0 || c.Getenv("TERM") == "dumb" || c.Getenv("ACCESSIBLE") != "" {
		return cli.Usagef("without --watch the run is shown once; its metrics.jsonl can be followed by programs",
			"--watch redraws in place: it needs a terminal, without --json and ACCESSIBLE")
	}
	up := ""
	for {
		s, err := readRun(c, ref)
		if err != nil {
			return err
		}
		var b strings.Builder
		shown := *c
		if shown.Out = &b; len(s.EpochRows) > 0 {
			fmt.Fprintf(&b, "%-9s%s\n", "val acc", cli.Cut(spark(s.EpochRows), max(0, c.OutWidth()-9)))
		}
		if err := s.print(&shown); err != nil {
			return err
		}
		visible.Control(c.Out, up+"\x1b[J")
		if _, err := io.WriteString(c.Out, b.String()); err != nil || s.State != run.Running {
			return err
		}
		up = fmt.Sprintf("\x1b[%dA", strings.Count(b.String(), "\n")) // no line wraps
		ref = s.Path                                                  // latest stays the same run
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(watchEvery):
		}
	}
}

// spark draws a sparkline of the validation accuracy over the last 60 epochs.
func spark(rows []report.Epoch) string {
	bars := []rune("▁▂▃▄▅▆▇█")
	low, high := math.Inf(1), math.Inf(-1)
	rows = rows[max(0, len(rows)-60):]
	for _, r := range rows {
		if r.ValAcc != nil {
			low, high = min(low, *r.ValAcc), max(high, *r.ValAcc)
		}
	}
	var b strings.Builder
	for _, r := range rows {
		switch {
		case r.ValAcc == nil:
			b.WriteByte(' ')
		case high > low:
			b.WriteRune(bars[int((*r.ValAcc-low)/(high-low)*float64(len(bars)-1)+0.5)])
		default:
			b.WriteRune(bars[0])
		}
	}
	if !(high > low) {
		return b.String()
	}
	return fmt.Sprintf("%s  %.1f to %.1f %%", b.String(), 100*low, 100*high)
}
