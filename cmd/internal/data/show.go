package data

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/output"
	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
)

// showOptions holds the flags and arguments of `attnconv data show`.
type showOptions struct {
	output.Options
	Name   string
	Split  string         // one of data.Splits; with Batch it is train
	Images int            // at most, 1 to 400
	Batch  bool           // the first images of the first training batch of a run
	Flags  []configs.Flag // settings that determine the batch
}

func newDataShow(c *term.Console) *cobra.Command {
	o := showOptions{Images: 40}
	cmd := &cobra.Command{
		Use:   "show [NAME|DIR] [flags]",
		Short: "Draw images of a data set",
		Long: "Draw images of a data set with the names of their classes, one of each class in\n" +
			"turn. With --augment or --batch, draw instead the first images of the first\n" +
			"training batch as the network sees them: shuffled and augmented. The default is\n" +
			"the set that train would use.",
		Example: `attnconv data show shapes32
attnconv data show cifar10 --augment crop,flip,cutout --seed 1
attnconv data show ~/images/flowers --split test --images 20 -o flowers.png`,
		Args:              refs.Arguments(1),
		ValidArgsFunction: completeStored(c),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = refs.First(args)
			o.Batch = o.Batch || len(o.Flags) > 0
			if o.Batch && cmd.Flags().Changed("split") {
				return term.Usagef("", "--split: batches are made of training images")
			}
			return showData(cmd.Context(), c, o)
		},
	}
	f := term.FlagsIn(cmd.Flags(), "Figure")
	term.Choice(f, &o.Split, "split", data.Splits.Default(), "NAME", "images to draw", data.Splits)
	f.Number(&o.Images, "images", "N", "draw at most N images (default: 40)", 1)
	f.Boolean(&o.Batch, "batch", "", "draw the beginning of the first training batch")
	for _, row := range configs.Settings() {
		if row.Flag == "augment" || row.Flag == "seed" {
			refs.AddSetting(f, &o.Flags, row, true)
		}
	}
	f = term.FlagsIn(cmd.Flags(), "Output")
	o.Options.Flags(f, "figure to write", "NAME.png in this folder")
	return cmd
}

func showData(ctx context.Context, c *term.Console, o showOptions) error {
	sources := configs.Sources{Flags: o.Flags, Env: c.Env}
	if o.Name != "" {
		sources.Flags = append(sources.Flags, configs.Flag{Name: "data show", Key: "data.name", Text: o.Name})
	}
	r, err := refs.Resolve(c, sources, nil)
	if err != nil {
		return err
	}
	set, err := sets.Open(r.Run.Data, c.DataDir)
	if err != nil {
		return err
	}
	if len(o.Output) == 0 {
		o.Output = []string{filepath.Base(filepath.Clean(set.Name)) + ".png"}
	}
	if err := o.Check(); err != nil {
		return err
	}
	figure, n, err := o.draw(ctx, set, r.Run)
	if err != nil {
		return r.Explain(term.NameFlag(err))
	}
	files, err := o.Write(c, figure, "")
	switch {
	case err != nil || o.ToStdout():
		return err
	case c.JSON:
		return c.Result(DataFigures{V: 1, Files: files, Data: set.Name, Images: n, Kind: set.Unusual()})
	}
	c.Note("%s: images of %s", set.Name, set.Kind())
	return c.ShowFiles(files, "", nil)
}
