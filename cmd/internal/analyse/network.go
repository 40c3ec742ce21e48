package analyse

import (
	"context"
	"errors"

	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/cmd/internal/term"
)

// similar is the figure of CKA, which is of one run or of two.
const similar = "cka"

// checkNetwork refuses what --network and --figure cka cannot do.
func (o options) checkNetwork() error {
	switch {
	case o.Network && o.NoImages:
		return term.Usagef("", "--network and --no-images: want one of them")
	case o.Network && o.Arrays != "":
		return term.Usagef("", "--arrays is not a network: leave out --network")
	case len(o.Plot.Output) > 0 && o.Figure == similar && !o.Network:
		return term.Usagef("", "--figure cka needs --network")
	case len(o.Plot.Output) > 0 && o.Figure == similar && len(o.Refs) > 2:
		return term.Usagef("", "--figure cka draws one run or two: want 2 at most, not %d", len(o.Refs))
	}
	return nil
}

// plotsMany reports that a figure of several runs is asked for.
func (o options) plotsMany() bool { return o.Figure == similar && o.Network }

// between compares the layers of the first two runs; nil if that was not asked for, or their images differ.
func (o options) between(ctx context.Context, c *term.Console, runs []network.Subject) (*network.Similarity, error) {
	if len(runs) < 2 {
		return nil, nil
	}
	s, err := network.Similar(ctx, runs[0], runs[1], o.Options)
	if errors.Is(err, network.ErrOtherImages) {
		c.Warn("no CKA between the runs: their validation images differ")
		return nil, nil
	}
	return s, err
}

// plotSimilar draws CKA between two runs.
func (o options) plotSimilar(c *term.Console, s *network.Similarity) error {
	figure, err := drawSimilarity(s, o.Plot.Width)
	if err != nil {
		return term.NameFlag(err)
	}
	return o.Plot.WriteNoted(c, figure)
}

// checkArrays refuses what needs a network or images, with --arrays.
func (o options) checkArrays() error {
	switch {
	case o.Arrays == "":
		return nil
	case len(o.Refs) > 0:
		return term.Usagef("", "--arrays and a RUN: want one of them")
	case o.Over != "":
		return term.Usagef("", "--arrays and --over: arrays have no epochs")
	case o.Data != "" || o.NoImages:
		return term.Usagef("", "--arrays reads no images: want it without --data and --no-images")
	case o.Function:
		return term.Usagef("", "--arrays is not a network: leave out --function")
	case o.Seeded:
		return term.Usagef("", "--arrays reads untrained layers from the file, such as untrained_attention: leave out "+
			"--null-seeds")
	}
	return nil
}

// measured analyses the file of --arrays, or one run or checkpoint, which it returns too.
func (o options) measured(ctx context.Context, c *term.Console, ref string) (*network.Analysis, network.Subject,
	error) {
	if o.Arrays != "" {
		if o.Quick {
			o.Kernel = 0
		}
		d, err := network.Arrays(ctx, o.Arrays, o.Options, o.tell)
		return d, network.Subject{}, err
	}
	if o.From != nil {
		d, err := o.vision(ctx, c)
		return d, network.Subject{}, err
	}
	return o.one(ctx, c, ref)
}
