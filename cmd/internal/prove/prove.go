// Package prove is the command prove.
package prove

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/theorem"
)

// options holds the flags and arguments of `attnconv prove`.
type options struct {
	Kernel                                      []int
	Alpha                                       []float64
	Border, Type                                []string
	Channels                                    [2]int
	Axes, Size, Stride, Dilation, Trials, Heads int
	HeadDim                                     int
	General                                     bool
	Seed                                        int
	Tolerance                                   []float64 // at most one; none: the default of each type
	From, Layer, Output                         string
	Plot                                        []string
	Force                                       bool
	All, Exercise                               bool
	Claims                                      []string
}

// New returns the command.
func New(c *cli.Console) *cobra.Command {
	o := options{Kernel: []int{1, 3, 5, 7}, Border: []string{"all"},
		Type: []string{"all"}, Channels: [2]int{6, 5}, Axes: 2, Size: 10, Stride: 1, Dilation: 1}
	cmd := &cobra.Command{
		Use:   "prove [flags]",
		Short: "Turn convolutions into attention and measure the error",
		Long: "Turn random convolutions into attention layers, as in Theorem 1 of the paper:\n" +
			"one head for each entry of the kernel, with increasing α, so that attention\n" +
			"becomes hard. Prints the relative error between attention and convolution. The\n" +
			"exit code is 5 if hard attention exceeds the tolerance.\n\n" +
			"With --all, check every claim of the theory on random cases: verdict, condition\n" +
			"under which it holds, counterexample.",
		Example: `attnconv prove
attnconv prove --all
attnconv prove --exercise
attnconv prove --from latest --layer layer1.0.conv1
attnconv prove --kernel 3 --channels 16:32 --size 16 --trials 50
attnconv prove --kernel 3 --heads 7 --border zero --json`,
		Args: cli.Arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Layer != "" && o.From == "" {
				return cli.Usagef("name its checkpoint with --from", "--layer %s: of which network?", o.Layer)
			}
			ledger := o.All || o.Claims != nil
			switch {
			case slices.Contains(o.Plot, "-"):
				return cli.Usagef("", "--plot -: standard output has the table; want a file")
			case o.Plot != nil && (ledger || o.Exercise || o.From != ""):
				return cli.Usagef("", "--plot draws the error over α of random kernels: not with --all, --exercise or --from")
			case ledger && o.Exercise, ledger && o.From != "", o.Exercise && o.From != "":
				return cli.Usagef("", "--all, --exercise and --from exclude each other")
			case ledger:
				return runLedger(cmd.Context(), c, o)
			case o.Exercise:
				return runExercise(c, o)
			case o.From != "":
				return runFrom(cmd.Context(), c, o)
			}
			return runTheorem(cmd.Context(), c, o)
		},
	}
	f := cli.FlagsIn(cmd.Flags(), "Model")
	f.Boolean(&o.All, "all", "", "check every claim of the theory instead")
	f.Boolean(&o.Exercise, "exercise", "", "work the smallest case out step by step instead")
	f.Text(&o.From, "from", "", "CKPT", "turn the convolutions of a trained residual network into attention instead", nil)
	f.Text(&o.Layer, "layer", "", "NAME", "with --from: one of its convolutions (default: all)", nil)
	f.List(&o.Claims, "claims", "check some of the claims, by name", nil)
	f.Ints(&o.Kernel, "kernel", "sizes of the kernel", 31)
	f.List(&o.Border, "border", "padding", append(borders(), "all"))
	f.List(&o.Type, "dtype", "type of the values", append(slices.Clone(theorem.Types), "all"))
	f.Value(floats{&o.Alpha}, "alpha", "", "LIST", "inverse widths α of the heads: the larger, the harder the attention (default 1,4,16,46,104)", nil)
	f.Value(pair{&o.Channels}, "channels", "", "IN:OUT", "channels of the convolution", nil)
	f.Number(&o.Axes, "axes", "N", "axes of the image, 1 to 3", 1)
	f.Number(&o.Size, "size", "N", "pixels along each axis", 1)
	f.Number(&o.Stride, "stride", "N", "stride of the convolution", 1)
	f.Number(&o.Dilation, "dilation", "N", "dilation of the kernel", 1)
	f.Boolean(&o.General, "general", "", "elliptic heads of random shapes, not round ones")
	f.Number(&o.Heads, "heads", "N", "number of heads, if fewer than entries of the kernel: shows what is lost", 1)
	f.Number(&o.HeadDim, "head-dim", "N", "dimension of the heads, if less than the channels: likewise", 1)
	f.Number(&o.Trials, "trials", "N",
		"random kernels (default: 5); with --all random cases of each kind (default: 50); with --from images (default: 2)", 1)
	f.Number(&o.Seed, "seed", "N", "seed of the random kernels, images and cases (default 0)", 0)
	f.Value(floats{&o.Tolerance}, "tolerance", "", "X",
		"largest relative error that passes (default: 1e-6 in float32, 1e-12 in float64, 4e-6 with --from; more for sums of over 300 terms)",
		nil)
	f.Group = "Output"
	f.StringVarP(&o.Output, "output", "o", "", "write the results to FILE, as JSON")
	f.Describe("output", "FILE", nil)
	f.Texts(&o.Plot, "plot", "", "FILE",
		"draw the error over α for the given borders (default: the first), as .svg, .png or .pdf; several may be given")
	f.Boolean(&o.Force, "force", "", "overwrite files given with -o and --plot")
	return cmd
}

// borders lists the values of --border.
func borders() []string { return append(slices.Clone(theorem.Borders), theorem.Interior) }

// proof returns the experiments that the flags describe.
func (o *options) proof() (p theorem.Proof, err error) {
	p.Kernels, p.Alphas = o.Kernel, []float64{1, 4, 16, 46, 104}
	if o.Alpha != nil {
		p.Alphas = slices.Sorted(slices.Values(o.Alpha))
	}
	if p.Borders, err = chosen("--border", o.Border, borders()); err != nil {
		return p, err
	}
	if p.Types, err = chosen("--dtype", o.Type, theorem.Types); err != nil {
		return p, err
	}
	if len(o.Tolerance) > 1 {
		return p, cli.Usagef("", "--tolerance: want one number, got %v", o.Tolerance)
	}
	for _, t := range o.Tolerance {
		p.Tolerance = t
	}
	p.Base = theorem.Experiment{Axes: o.Axes, Size: o.Size, Stride: o.Stride, Dilation: o.Dilation,
		In: o.Channels[0], Out: o.Channels[1], Heads: o.Heads, HeadDim: o.HeadDim, Elliptic: o.General, Trials: cmp.Or(o.Trials, 5),
		Seed: uint64(o.Seed)}
	return p, o.validate(&p)
}

// validate refuses what cannot be computed.
func (o *options) validate(p *theorem.Proof) error {
	if o.Axes > 3 {
		return cli.Usagef("", "--axes \"%d\": want 1, 2 or 3", o.Axes)
	}
	for _, k := range p.Kernels {
		e := p.Base
		e.Kernel = k
		if span := e.Span(); slices.Contains(p.Borders, theorem.Interior) && span > o.Size {
			return cli.Usagef(fmt.Sprintf("take --size %d, or leave out --border %s", span, theorem.Interior),
				"--size %d: a kernel of %d with dilation %d reads %d pixels, which do not fit", o.Size, k, o.Dilation, span)
		}
	}
	if o.General && slices.Contains(p.Borders, theorem.Borders[theorem.Replicate]) {
		if !slices.Equal(o.Border, []string{"all"}) {
			return cli.Usagef("take --border zero,circular,interior",
				"--general: elliptic heads attend to the nearest pixel in their own metric, which is not replicate padding")
		}
		p.Borders = slices.DeleteFunc(p.Borders, func(b string) bool { return b == theorem.Borders[theorem.Replicate] })
	}
	return nil
}
