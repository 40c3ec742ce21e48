// Package prove is the command prove.
package prove

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/claims"
	"github.com/attnconv/attnconv/cmd/internal/output"
	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/viz"
)

// options holds the flags of `attnconv prove`.
type options struct {
	claims.Proof
	Channels      channels
	Alpha         []float64 // nil: the default of each kind of check
	Trials, Seed  int       // trials 0: likewise
	From, Layer   string
	Data          string // of the images for From; "": what the checkpoint was trained on
	All, Exercise bool
	Details       bool
	Claims        []string
	Results       []string // JSON files of -o
	Plot          output.Options
}

// channels are those of input and output.
type channels [2]int

func (c channels) String() string { return fmt.Sprintf("%d:%d", c[0], c[1]) }

// New returns the command.
func New(c *term.Console) *cobra.Command {
	o := options{Proof: claims.NewProof(), Plot: output.Options{Stdout: "the results"}}
	o.Channels = channels{o.Base.In, o.Base.Out}
	cmd := &cobra.Command{
		Use:   "prove [CLAIM...] [flags]",
		Short: "Turn convolutions into attention and measure the error",
		Long: "Turn random convolutions into attention layers, as in Theorem 1 of the paper:\n" +
			"one head for each entry of the kernel. Prints whether they agree, and how the\n" +
			"error falls as α grows and attention hardens; --details prints the table. The\n" +
			"exit code is 5 if hard heads exceed the tolerance.\n\n" +
			"With --all or names of claims, check claims of the theory on random cases:\n" +
			"verdict, condition, counterexample, and who states the claim where.",
		Example: `attnconv prove
attnconv prove --all
attnconv prove lemma-2 alpha-46
attnconv prove --exercise
attnconv prove --from latest --layer layer1.0.conv1
attnconv prove --kernel 3 --channels 16:32 --size 16 --trials 50
attnconv prove --kernel 3 --heads 7 --border zero --json`,
		Args:              refs.Arguments(len(claims.Ledger())),
		ValidArgsFunction: completeClaims,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Claims = append(o.Claims, args...)
			if o.Layer != "" && o.From == "" {
				return term.Usagef("name its checkpoint with --from", "--layer %s: of which network?", o.Layer)
			}
			o.split()
			ledger := o.All || o.Claims != nil
			switch {
			case o.Plot.Output != nil && (ledger || o.Exercise || o.From != ""):
				return term.Usagef("", "a figure has the error over α of random kernels: not with --all, --exercise "+
					"or --from")
			case ledger && o.Exercise, ledger && o.From != "", o.Exercise && o.From != "":
				return term.Usagef("", "--all, --exercise and --from exclude each other")
			case ledger:
				return o.run(cmd.Context(), c, ledgerOf)
			case o.Exercise:
				return o.run(cmd.Context(), c, exercises)
			case o.From != "":
				return o.run(cmd.Context(), c, network)
			}
			return o.run(cmd.Context(), c, theorem1)
		},
	}
	f := term.FlagsIn(cmd.Flags(), "Check")
	f.Common().Boolean(&o.All, "all", "", "check every claim of the theory instead")
	f.Common().Boolean(&o.Exercise, "exercise", "", "work the smallest case out step by step instead")
	f.Common().Text(&o.From, "from", "", "CKPT",
		"turn the convolutions of a trained residual network into attention instead", nil)
	refs.DataFlag(f, &o.Data)
	f.Text(&o.Layer, "layer", "", "NAME", "with --from: one of its convolutions (default: all)", nil)
	f.List(&o.Claims, "claims", "check some of the claims, by name", nil)
	f = term.FlagsIn(cmd.Flags(), "Convolution").Common()
	f.Ints(&o.Kernels, "kernel", "sizes of the kernel", 31)
	f.List(&o.Borders, "border", "padding", append(claims.BorderNames(), claims.All))
	term.Flag(f, &o.Channels, "channels", "IN:OUT", "channels of the convolution", pair)
	f.Number(&o.Base.Size, "size", "N", "pixels along each axis", 1)
	f = term.FlagsIn(cmd.Flags(), "Convolution")
	f.Number(&o.Base.Axes, "axes", "N", "axes of the image, 1 to 3", 1)
	f.Number(&o.Base.Stride, "stride", "N", "stride of the convolution", 1)
	f.Number(&o.Base.Dilation, "dilation", "N", "dilation of the kernel", 1)
	f.List(&o.Types, "dtype", "type of the values", append(slices.Clone(claims.Types), claims.All))

	f = term.FlagsIn(cmd.Flags(), "Attention")
	term.Flag(f.Common(), &o.Alpha, "alpha", "LIST",
		"inverse widths α of the heads: the larger, the harder the attention (default 1,4,16,46,104)",
		term.Listed(positive("want numbers above 0, such as 46 or 1,4.5")))
	f.Boolean(&o.Base.Elliptic, "general", "", "elliptic heads of random shapes, not round ones")
	f.Number(&o.Base.Heads, "heads", "N", "heads, if fewer than entries of the kernel: shows what is lost", 1)
	f.Number(&o.Base.HeadDim, "head-dim", "N", "dimension of the heads, if less than the channels: likewise", 1)

	f = term.FlagsIn(cmd.Flags(), "Measurement")
	f.Common().Number(&o.Trials, "trials", "N",
		"random kernels (default: 5); with --all cases of each kind (default: 50); with --from images (default: 2)", 1)
	f.Number(&o.Seed, "seed", "N", "seed of the random kernels, images and cases (default 0)", 0)
	term.Flag(f, &o.Tolerance, "tolerance", "X", "largest relative error that passes (default: 1e-6 in float32, 1e-12 "+
		"in float64, 4e-6 with --from; more for sums of over 300 terms)",
		positive("want a number above 0, such as 1e-5"))
	f = term.FlagsIn(cmd.Flags(), "Output")
	f.Common().Boolean(&o.Details, "details", "", "print the table of all cases, not only the answer")
	o.Plot.Flags(f.Common(), "the results, .json; or the error over α of the first border, or of those given", "")
	c.Renamed(cmd.Flags(), "plot", "output", nil)
	return cmd
}

// completeClaims completes the names of claims that the line does not have yet.
func completeClaims(_ *cobra.Command, args []string, word string) (all []string, _ cobra.ShellCompDirective) {
	for _, claim := range claims.Ledger() {
		if strings.HasPrefix(claim.ID, word) && !slices.Contains(args, claim.ID) {
			all = append(all, claim.ID+"\t"+claim.Statement)
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// split tells the files of results from those of figures, by their endings.
func (o *options) split() {
	files := o.Plot.Output
	o.Plot.Output = nil
	o.Plot.Formats = append(slices.Clone(viz.Formats), "json")
	for _, name := range files {
		if strings.EqualFold(filepath.Ext(name), ".json") {
			o.Results = append(o.Results, name)
		} else {
			o.Plot.Output = append(o.Plot.Output, name)
		}
	}
}

// positive reads a number above 0; want is its error.
func positive(want string) func(text string) (float64, error) {
	return func(text string) (float64, error) {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x > 0) || math.IsInf(x, 1) {
			return 0, errors.New(want)
		}
		return x, nil
	}
}

// pair reads two numbers of channels, such as 16:32; one number stands for both.
func pair(text string) (channels, error) {
	first, second, both := strings.Cut(text, ":")
	if !both {
		second = first
	}
	a, err := strconv.Atoi(first)
	b, err2 := strconv.Atoi(second)
	if err != nil || err2 != nil || a < 1 || b < 1 {
		return channels{}, errors.New("want two numbers from 1, such as 16:32")
	}
	return channels{a, b}, nil
}
