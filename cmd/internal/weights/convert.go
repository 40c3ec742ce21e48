package weights

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model/convert"
	"github.com/attnconv/attnconv/session/trained"
)

// convertOptions holds the flags and arguments of `attnconv convert`.
type convertOptions struct {
	Ref    string
	To     string
	Output string
	Force  bool
	Data   string                 // of the images on which logits are compared; "": what the checkpoint was trained on
	Given  func(flag string) bool // reports whether the user gave a flag
	layerOptions
}

// imagesCompared is the number of training images on which logits are compared.
const imagesCompared = 1000

func NewConvert(c *term.Console) *cobra.Command {
	var o convertOptions
	o.Alpha, o.Size = convert.Hard, 3
	cmd := &cobra.Command{
		Use:   "convert [CKPT|RUN] [flags]",
		Short: "Turn convolutions into attention, or back",
		Long: "Turn the convolutions of a trained residual network, convnet or network of\n" +
			"tokens into attention with equal outputs: a k × k convolution becomes k² heads\n" +
			"of encoding quadratic. Hard heads see one key each; with a small α they are\n" +
			"soft, and gradients move them. Or turn such attention into the convolution that\n" +
			"it is, and any attention into the convolution nearest to it (--to nearest). The\n" +
			"result is a checkpoint, and its logits are compared on 1,000 training images.",
		Example: `attnconv convert twin -o attention.ckpt
attnconv convert twin --alpha 0.5 -o soft.ckpt
attnconv train --from soft.ckpt
attnconv convert resnet18 --alpha 0.5 -o heads.ckpt
attnconv convert soft.ckpt --to convolution -o back.ckpt
attnconv convert k3f9 --to nearest --size 5 -o nearest.ckpt`,
		Args:              refs.Arguments(1),
		ValidArgsFunction: refs.CompleteRuns(c, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Ref, o.Given = refs.First(args), cmd.Flags().Changed
			return runConvert(cmd.Context(), c, o)
		},
	}
	f := term.FlagsIn(cmd.Flags(), "Attention")
	term.Choice(f, &o.To, "to", "", "LAYERS", "layers to make (default: attention for a network without attention)",
		ways)
	term.Flag(f, &o.Alpha, "alpha", "A", "α of the heads, in 1/tokens²; their standard deviation is 1/√(2α)", parseAlpha)
	f.Boolean(&o.Gate, "gate", "", "give each head a gate to content-based attention, nearly closed (GPSA)")
	term.Flag(f, &o.Seed, "seed", "N", "seed of the queries and keys behind the gates",
		func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) })
	term.Flag(f, &o.Size, "size", "N", "taps of nearest convolutions along a side", parseSize)
	f = term.FlagsIn(cmd.Flags(), "Data")
	refs.DataFlag(f, &o.Data)
	f = term.FlagsIn(cmd.Flags(), "Output")
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

func parseSize(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 99 || n%2 == 0 {
		return 0, errors.New("want an odd number from 1 to 99")
	}
	return n, nil
}

func runConvert(ctx context.Context, c *term.Console, o convertOptions) error {
	if ext := filepath.Ext(o.Output); ext != ".ckpt" {
		return term.Usagef("name it "+strings.TrimSuffix(o.Output, ext)+".ckpt", "-o %s: convert writes a checkpoint",
			o.Output)
	}
	if err := term.RefuseExisting("-o", o.Output, o.Force); err != nil {
		return err
	}
	m, err := refs.LoadModel(c, o.Ref, refs.AnyRun)
	if err != nil {
		return err
	}
	if sameFile(o.Output, m.Path) {
		return term.Usagef("name another file", "-o %s: is the checkpoint to convert", o.Output)
	}
	kind, err := wayTo(m, o.To)
	if err != nil {
		return err
	}
	if err := o.checkFlags(kind.name); err != nil {
		return err
	}
	open := refs.OpenImages
	if kind.fits {
		open = refs.OpenData
	}
	o.Set, err = open(c, m, o.Data)
	without := err != nil && fault.ExitCode(err) == fault.Missing // the data set
	if err != nil && (kind.fits || !without) {
		return err
	}
	missing := ""
	if err != nil {
		missing = refs.UserMessage(err)
	}
	to, layers, err := convertLayers(ctx, m, kind, o.layerOptions)
	if err != nil {
		return err
	}
	d := Conversion{V: 1, Checkpoint: o.Output, From: m.Path, Model: to.Net.Spec.Kind,
		Encoding: to.Net.Spec.EncodingName(), Params: to.Net.Spec.Params(), Layers: layers}
	if without {
		c.Warn("the logits were not compared, because " + missing)
	} else if d.Logits, err = differ(ctx, m, to.Net, o.Set.Train.Sample(imagesCompared)); err != nil {
		return err
	}
	if kind.fits {
		if d.Accuracy, err = compareAccuracy(ctx, m, to.Net, o.Set); err != nil {
			return err
		}
		if d.Accuracy == nil {
			c.Warn("no accuracy: the network was trained on the validation images, and test images are not used " +
				"for this")
		}
	}
	if err := trained.Save(o.Output, to.Net, to.Config); err != nil {
		return err
	}
	return c.Show(d, func(c *term.Console) error {
		fmt.Fprintf(c.Out, "%s   %s   %s parameters\n\n", term.WroteLine(o.Output), to.Net.Spec.ShortName(),
			table.Thousands(d.Params))
		return showConversion(c, d)
	})
}

// sameFile reports whether two names are of one file.
func sameFile(name, other string) bool {
	a, errA := os.Stat(name)
	b, errB := os.Stat(other)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// checkFlags returns the error for a flag that is not for the layers to make.
func (o convertOptions) checkFlags(to string) error {
	for _, f := range []struct{ flag, to string }{
		{"alpha", "attention"}, {"gate", "attention"}, {"seed", "attention"}, {"size", "nearest"},
	} {
		if o.Given(f.flag) && f.to != to {
			return term.Usagef("", "--%s needs --to %s, and the layers to make are of kind %s", f.flag, f.to, to)
		}
	}
	if o.Given("seed") && !o.Gate {
		return term.Usagef("", "--seed needs --gate: only queries and keys behind gates are drawn")
	}
	return nil
}

// showConversion prints the layers, and how far the converted network is from the other one.
func showConversion(c *term.Console, d Conversion) error {
	lines := [][]string{{"layer", "kernel", "heads", "condition"}}
	if d.Layers[0].R2 != nil {
		lines = [][]string{{"layer", "kernel", "heads", "border", "R²"}}
	}
	for _, l := range d.Layers {
		line := []string{strconv.Itoa(l.Layer), fmt.Sprintf("%d × %d", l.Size, l.Size), strconv.Itoa(l.Heads)}
		switch {
		case l.R2 == nil:
			line = append(line, strconv.FormatFloat(l.Condition, 'g', 3, 64))
		case l.Exact:
			line = append(line, l.Border, "exact")
		case !l.R2.Known():
			line = append(line, l.Border, "-")
		default:
			line = append(line, l.Border, strconv.FormatFloat(float64(*l.R2), 'f', 3, 64))
		}
		lines = append(lines, line)
	}
	if err := c.Table(lines); err != nil || d.Logits == nil {
		return err
	}
	fmt.Fprintln(c.Out)
	same := strconv.FormatFloat(math.Floor(1000*d.Logits.Same)/10, 'g', -1, 64)
	err := c.Print("On %s training images, logits differ by %.1e of their norm\n(the largest difference is "+
		"%.1e). The class is the same for %s %%.\n", table.Thousands(d.Logits.N), d.Logits.Relative,
		d.Logits.Largest, same)
	if err != nil || d.Accuracy == nil {
		return err
	}
	before, after := d.Accuracy.Before, d.Accuracy.After
	return c.Print("On %s validation images, accuracy was %.1f %% and is %.1f %%\n(difference %+.1f points, 95 %% "+
		"interval %+.1f to %+.1f, n = 1 run).\n", table.Thousands(before.N), 100*before.Acc, 100*after.Acc,
		100*float64(after.Diff), 100*after.DiffCI.Lo, 100*after.DiffCI.Hi)
}
