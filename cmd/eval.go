package cmd

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/invalid"
)

var splits = []string{"train", "val", "test"}

// evalOptions is what `attnconv eval` was told.
type evalOptions struct {
	Ref   string // a checkpoint or a run; "" is the latest run
	Data  string // "" is what the checkpoint was trained on
	Split string
	Batch int // pictures at a time; 0 is what the checkpoint's configuration says
}

// newEval is the eval command.
func newEval(c *console, body func(context.Context, *console, evalOptions) error) *cobra.Command {
	var o evalOptions
	cmd := &cobra.Command{
		Use:   "eval [CKPT|RUN] [flags]",
		Short: "Measure the accuracy of a checkpoint",
		Long:  "Measure the accuracy of a checkpoint, or of a run's best one. Without either,\nof the latest run's.",
		Example: `attnconv eval run.ckpt
attnconv eval k3f9 --split val
attnconv eval runs/latest --json`,
		Args:              arguments(1),
		ValidArgsFunction: c.completeRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(splits, o.Split) {
				return invalid.Choice("--split", o.Split, splits)
			}
			if len(args) == 1 {
				o.Ref = args[0]
			}
			return body(cmd.Context(), c, o)
		},
	}
	f := flags{cmd.Flags(), "Data"}
	f.text(&o.Data, "data", "", "NAME", "data set, or a folder of pictures (default: the one it was trained on)",
		append(data.KindNames(), "DIR"))
	f.text(&o.Split, "split", "test", "NAME", "pictures to look at", splits)
	f.number(&o.Batch, "batch", "N", "pictures at a time; the result does not depend on it", 1)
	return cmd
}
