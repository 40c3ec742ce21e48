package analyse

import (
	"context"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/measure"
	"github.com/attnconv/attnconv/report"
)

// checkArrays refuses what needs a network or images, with --arrays.
func (o options) checkArrays() error {
	switch {
	case o.Arrays == "":
		return nil
	case len(o.Refs) > 0:
		return cli.Usagef("", "--arrays and a RUN: want one of them")
	case o.Over != "":
		return cli.Usagef("", "--arrays and --over: arrays have no epochs")
	case o.Data != "" || o.NoImages:
		return cli.Usagef("", "--arrays reads no images: want it without --data and --no-images")
	case o.Function:
		return cli.Usagef("", "--arrays is no network: want it without --function")
	}
	return nil
}

// measured analyses the file of --arrays, or one run or checkpoint, which it returns too.
func (o options) measured(ctx context.Context, c *cli.Console, ref string) (*report.Analysis, measure.Subject, error) {
	if o.Arrays != "" {
		d, err := measure.Arrays(ctx, o.Arrays, o.Options, nil)
		return d, measure.Subject{}, err
	}
	return o.one(ctx, c, ref)
}
