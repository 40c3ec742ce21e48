package weights

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/document"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/convert"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/study/runs"
)

// convertOptions holds the flags and arguments of `attnconv convert`.
type convertOptions struct {
	Ref    string
	To     string
	Output string
	Force  bool
	convert.Options
}

// imagesCompared is the number of training images on which logits are compared.
const imagesCompared = 1000

func NewConvert(c *cli.Console) *cobra.Command {
	o := convertOptions{Options: convert.Options{Alpha: convert.Hard}}
	cmd := &cobra.Command{
		Use:   "convert [CKPT|RUN] [flags]",
		Short: "Turn convolutions into attention, or back",
		Long: "Turn the convolutions of a trained residual network, convnet or network of\n" +
			"tokens into attention with equal outputs: a k × k convolution becomes k² heads\n" +
			"of encoding quadratic. Hard heads see one key each; with a small α they are\n" +
			"soft, and gradients move them. Or turn such attention into the convolution that\n" +
			"it is. The result is a checkpoint, and its logits are compared on 1,000 training\n" +
			"images.",
		Example: `attnconv convert twin -o attention.ckpt
attnconv convert twin --alpha 0.5 -o soft.ckpt
attnconv train --from soft.ckpt
attnconv convert resnet18 --alpha 0.5 -o heads.ckpt
attnconv convert soft.ckpt --to convolution -o back.ckpt`,
		Args:              cli.Arguments(1),
		ValidArgsFunction: c.CompleteRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Ref = cli.First(args)
			return runConvert(cmd.Context(), c, o)
		},
	}
	f := cli.FlagsIn(cmd.Flags(), "Attention")
	cli.Choice(f, &o.To, "to", "", "LAYERS", "layers to make (default: attention for a network without attention)",
		trained.Conversions)
	cli.Flag(f, &o.Alpha, "alpha", "A", "α of the heads, in 1/tokens²; their standard deviation is 1/√(2α)", parseAlpha)
	f.Boolean(&o.Gate, "gate", "", "give each head a gate to content-based attention, nearly closed (GPSA)")
	cli.Flag(f, &o.Seed, "seed", "N", "seed of the queries and keys behind the gates",
		func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) })
	f = cli.FlagsIn(cmd.Flags(), "Output")
	f.Output(&o.Output, "converted.ckpt", "checkpoint to write")
	f.Boolean(&o.Force, "force", "", "overwrite the file")
	return cmd
}

func parseAlpha(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 1e-3) || x > 1e3 {
		return 0, errors.New("want a number from 0.001 to 1000")
	}
	return x, nil
}

func runConvert(ctx context.Context, c *cli.Console, o convertOptions) error {
	if ext := filepath.Ext(o.Output); ext != ".ckpt" {
		return cli.Usagef("name it "+strings.TrimSuffix(o.Output, ext)+".ckpt", "-o %s: convert writes a checkpoint",
			o.Output)
	}
	if err := cli.RefuseExisting("-o", o.Output, o.Force); err != nil {
		return err
	}
	m, err := c.LoadModel(o.Ref, runs.AnyRun)
	if err != nil {
		return err
	}
	net, layers, err := m.Convert(o.To, o.Options)
	if err != nil {
		return err
	}
	d := document.Conversion{V: 1, Checkpoint: o.Output, From: m.Path, Model: net.Spec.Kind,
		Encoding: net.Spec.EncodingName(), Params: net.Spec.Params(), Layers: layers}
	if d.Logits, err = compareLogits(ctx, c, m, net); err != nil {
		return err
	}
	if err := trained.Save(o.Output, net, m.Config); err != nil {
		return err
	}
	return c.Show(d, func(c *cli.Console) error {
		fmt.Fprintf(c.Out, "%s   %s   %s parameters\n\n", cli.WroteLine(o.Output), net.Spec.ShortName(),
			table.Thousands(d.Params))
		lines := [][]string{{"layer", "kernel", "heads", "condition"}}
		for _, l := range layers {
			lines = append(lines, []string{strconv.Itoa(l.Layer), fmt.Sprintf("%d × %d", l.Size, l.Size),
				strconv.Itoa(l.Heads), strconv.FormatFloat(l.Condition, 'g', 3, 64)})
		}
		if err := c.Table(lines); err != nil || d.Logits == nil {
			return err
		}
		fmt.Fprintln(c.Out)
		same := strconv.FormatFloat(math.Floor(1000*d.Logits.Same)/10, 'g', -1, 64)
		return c.Print("On %s training images, logits differ by %.1e of their norm\n(the largest difference is "+
			"%.1e). The class is the same for %s %%.\n", table.Thousands(d.Logits.N), d.Logits.Relative,
			d.Logits.Largest, same)
	})
}

// compareLogits compares a converted network with the one in m on training images; nil without the data set.
func compareLogits(ctx context.Context, c *cli.Console, m *trained.Model, converted *model.Network) (
	*trained.Difference, error) {
	set, err := m.OpenData("", c.DataDir)
	if missing := (*data.MissingError)(nil); errors.As(err, &missing) {
		c.Warn(fmt.Sprintf("the logits were not compared, because %v", missing))
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	d, err := m.Differ(ctx, converted, set.Train.Sample(imagesCompared))
	return &d, err
}
