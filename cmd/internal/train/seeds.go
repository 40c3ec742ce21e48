package train

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/study"
)

// eachSeed trains a run for each seed. It goes on after a run that diverges or misses a requirement; any other error
// ends it.
func (o Options) eachSeed(
	ctx context.Context, c *cli.Console, body func(context.Context, *cli.Console, Options) error,
) error {
	var failed []error
	documents := []json.RawMessage{}
	for i, seed := range o.Seeds {
		one, own, said := o, *c, bytes.Buffer{}
		one.OneOfMany = true
		one.Sources.Flags = append(slices.Clip(o.Sources.Flags),
			configs.Flag{Name: "--seeds", Key: "seed", Text: strconv.FormatUint(seed, 10)})
		if o.Config != nil {
			config := *o.Config
			config.Run.Seed = seed
			one.Config = &config
		}
		if c.JSON {
			own.Out = &said
		}
		if i > 0 {
			c.Note("")
		}
		switch err := body(ctx, &own, one); {
		case cli.Is[*study.Unmet](err), cli.ExitCode(ctx, err) == cli.ExitDiverged:
			failed = append(failed, err)
		case err != nil:
			return err
		}
		if said.Len() > 0 {
			documents = append(documents, bytes.TrimSpace(said.Bytes()))
		}
	}
	if c.JSON {
		return errors.Join(append(failed, c.Result(report.Seeds{V: 1, Runs: documents}))...)
	}
	if !o.DryRun {
		c.Note("\nnext:\n  %s   # mean and interval over the seeds", cli.Command("compare", "--no-train"))
	}
	return errors.Join(failed...)
}
