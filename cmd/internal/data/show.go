package data

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/cmd/internal/output"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/viz"
)

// showOptions holds the flags and arguments of `attnconv data show`.
type showOptions struct {
	output.Options
	Name   string
	Split  string
	Images int
	Batch  bool
	Flags  []configs.Flag // settings that determine the batch
}

func newDataShow(c *cli.Console) *cobra.Command {
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
		Args:              cli.Arguments(1),
		ValidArgsFunction: completeStored(c),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.Name = args[0]
			}
			if err := cli.Splits.Check("--split", o.Split); err != nil {
				return err
			}
			o.Batch = o.Batch || len(o.Flags) > 0
			if o.Batch && cmd.Flags().Changed("split") {
				return cli.Usagef("", "--split: batches are made of training images")
			}
			return showData(cmd.Context(), c, o)
		},
	}
	f := cli.FlagsIn(cmd.Flags(), "Figure")
	f.Text(&o.Split, "split", cli.Splits.Default(), "NAME", "images to draw", cli.Splits.Completions())
	f.Number(&o.Images, "images", "N", "draw at most N images (default: 40)", 1)
	f.Boolean(&o.Batch, "batch", "", "draw the beginning of the first training batch")
	for _, row := range configs.Settings() {
		if row.Flag == "augment" || row.Flag == "seed" {
			f.Setting(&o.Flags, row)
		}
	}
	o.Options.Flags(cli.FlagsIn(cmd.Flags(), "Output"), "NAME.png in this folder")
	return cmd
}

// mostShown limits the images in a figure.
const mostShown = 400

func showData(ctx context.Context, c *cli.Console, o showOptions) error {
	if o.Images > mostShown {
		return cli.Usagef("", "--images %d: want 1 to %d", o.Images, mostShown)
	}
	sources := configs.Sources{Flags: o.Flags, Env: c.Env}
	if o.Name != "" {
		sources.Flags = append(sources.Flags, configs.Flag{Name: "data show", Key: "data.name", Text: o.Name})
	}
	r, err := c.Resolve(sources)
	if err != nil {
		return err
	}
	set, err := data.Open(r.Run.Data, c.DataDir)
	if err != nil {
		return err
	}
	if len(o.Output) == 0 {
		o.Output = []string{filepath.Base(filepath.Clean(set.Name)) + ".png"}
	}
	if err := o.Check(); err != nil {
		return err
	}
	trainOn, val, test, err := set.Split(r.Run.Data)
	if err != nil {
		return r.Explain(err)
	}
	split := map[string]data.Split{"train": trainOn, "val": val, "test": test}[o.Split]
	var shown []viz.Shown
	if o.Batch {
		shown, err = batchShown(ctx, r.Run, trainOn, set.Classes, o.Images)
	} else {
		shown = classesShown(split, set.Classes, o.Images)
	}
	if err != nil {
		return err
	}
	if len(shown) == 0 {
		return cli.Usagef("", "%s has no %s images", set.Name, o.Split)
	}
	options := viz.ImagesOptions{Width: o.Width}
	if n := len(set.Classes); n <= 12 && !o.Batch {
		options.Across = min(n, len(shown))
	}
	figure, err := viz.Images(shown, options)
	if err != nil {
		return err
	}
	figure.Caption = fmt.Sprintf("%s · %s of %s images to %s", named(set), cli.Thousands(len(shown)), cli.Thousands(split.Len()),
		map[string]string{"train": "train on", "val": "choose an epoch by", "test": "test"}[o.Split])
	if o.Batch {
		figure.Caption = fmt.Sprintf("%s · the first %d images of epoch 1 of a run with seed %d, augmented by %s", named(set),
			len(shown), r.Run.Seed, orNothing(r.Run.Data.Augment))
	}
	files, err := o.Write(c, figure, "")
	switch {
	case err != nil || o.ToStdout():
		return err
	case c.JSON:
		return c.Result(report.DataShown{V: 1, Files: files, Data: set.Name, Images: len(shown), Kind: set.Unusual()})
	}
	c.Note("%s: images of %s", set.Name, set.Kind())
	return output.PrintFiles(c, files)
}

// named is the name of a set, with its images where they are not 32 × 32 RGB.
func named(s *data.Set) string {
	if kind := s.Unusual(); kind != "" {
		return s.Name + " · " + kind
	}
	return s.Name
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// classesShown returns the first images of a split, one of each class in turn.
func classesShown(s data.Split, classes []string, most int) (shown []viz.Shown) {
	of := make([][]int, len(classes))
	for i, label := range s.Labels {
		of[label] = append(of[label], i)
	}
	for round := 0; len(shown) < most; round++ {
		before := len(shown)
		for class, list := range of {
			if round < len(list) && len(shown) < most {
				shown = append(shown, viz.Shown{Image: s.Image(list[round]), Name: classes[class]})
			}
		}
		if len(shown) == before {
			break
		}
	}
	return shown
}

// batchShown returns the first images of a run's first training batch, as its network sees them.
func batchShown(ctx context.Context, r configs.Run, s data.Split, classes []string, most int) (shown []viz.Shown, err error) {
	r.Train.Batch = max(1, min(r.Train.Batch, s.Len()))
	loader, err := session.TrainingLoader(r, s)
	if err != nil {
		return nil, err
	}
	for b := range loader.Epoch(ctx, 0, 0) {
		for i := range min(b.N, most) {
			shown = append(shown, viz.Shown{Image: s.Seen(b.X[i*s.Size():][:s.Size()]), Name: classes[b.Labels[i]]})
		}
		break
	}
	if len(shown) == 0 && ctx.Err() == nil {
		err = errors.New("the training set has no image")
	}
	return shown, errors.Join(err, ctx.Err())
}
