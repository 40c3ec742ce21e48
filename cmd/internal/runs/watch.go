package runs

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/internal/progress"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
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
		var accuracies []float64
		for _, e := range s.EpochRows[max(0, len(s.EpochRows)-60):] {
			acc := math.NaN()
			if e.ValAcc != nil {
				acc = *e.ValAcc
			}
			accuracies = append(accuracies, acc)
		}
		if shown.Out = &b; accuracies != nil {
			fmt.Fprintf(&b, "%-9s%s\n", "val acc", table.Cut(progress.Spark(accuracies), max(0, c.OutWidth()-9)))
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
