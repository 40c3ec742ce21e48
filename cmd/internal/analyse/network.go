package analyse

import (
	"context"
	"errors"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/cmd/internal/output"
	"github.com/attnconv/attnconv/figures"
	"github.com/attnconv/attnconv/measure"
	"github.com/attnconv/attnconv/report"
)

// similar is the figure of CKA, which is of one run or of two.
const similar = "cka"

// checkNetwork refuses what --network and --figure cka cannot do.
func (o options) checkNetwork() error {
	switch {
	case o.Network && o.NoImages:
		return cli.Usagef("", "--network and --no-images: want one of them")
	case o.Network && o.Arrays != "":
		return cli.Usagef("", "--arrays is no network: want it without --network")
	case len(o.Plot.Output) > 0 && o.Figure == similar && !o.Network:
		return cli.Usagef("", "--figure cka needs --network")
	case len(o.Plot.Output) > 0 && o.Figure == similar && len(o.Refs) > 2:
		return cli.Usagef("", "--figure cka draws one run or two: want 2 at most, not %d", len(o.Refs))
	}
	return nil
}

// plotsMany reports that a figure of several runs is asked for.
func (o options) plotsMany() bool { return o.Figure == similar && o.Network }

// between compares the layers of the first two runs; nil if that was not asked for, or their images differ.
func (o options) between(ctx context.Context, c *cli.Console, runs []measure.Subject) (*report.Similarity, error) {
	if len(runs) < 2 {
		return nil, nil
	}
	s, err := measure.Similar(ctx, runs[0], runs[1], o.Options)
	if errors.Is(err, measure.ErrOtherImages) {
		c.Warn("no CKA between the runs: their held-out images differ")
		return nil, nil
	}
	return s, err
}

// plotSimilar draws CKA between two runs.
func (o options) plotSimilar(c *cli.Console, s *report.Similarity) error {
	figure, err := figures.Similarity(s, o.Plot.Width)
	if err != nil {
		return output.CannotDraw(err)
	}
	return o.Plot.WriteNoted(c, figure)
}
