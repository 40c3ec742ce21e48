package cmd

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/theorem"
)

// proveOptions holds the flags and arguments of `attnconv prove`.
type proveOptions struct {
	Kernel                                      []int
	Alpha                                       []float64
	Border, Type                                []string
	Channels                                    [2]int
	Axes, Size, Stride, Dilation, Trials, Heads int
	HeadDim                                     int
	General                                     bool
	Seed                                        int
	Tolerance                                   []float64 // one, or none: each type's own
	From, Layer, Output                         string
	Plot                                        []string
	Force                                       bool
	All, Exercise                               bool
	Claims                                      []string
}

func newProve(c *console) *cobra.Command {
	o := proveOptions{Kernel: []int{1, 3, 5, 7}, Border: []string{"all"},
		Type: []string{"all"}, Channels: [2]int{6, 5}, Axes: 2, Size: 10, Stride: 1, Dilation: 1}
	cmd := &cobra.Command{
		Use:   "prove [flags]",
		Short: "Turn convolutions into attention and measure the error",
		Long: "Turn random convolutions into attention layers, as Theorem 1 of the paper says:\n" +
			"one head for each entry of the kernel, harder and harder (α). Prints how far\n" +
			"attention is from the convolution; exit code 5 if it is not within the\n" +
			"tolerance where the heads are hard.\n\n" +
			"With --all, check every claim of the theory on random cases: the verdict, the\n" +
			"condition under which it holds, a counterexample where there is one.",
		Example: `attnconv prove
attnconv prove --all
attnconv prove --exercise
attnconv prove --from latest --layer layer1.0.conv1
attnconv prove --kernel 3 --channels 16:32 --size 16 --trials 50
attnconv prove --kernel 3 --heads 7 --border zero --json`,
		Args: arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Layer != "" && o.From == "" {
				return usagef("name its checkpoint with --from", "--layer %s: of which network?", o.Layer)
			}
			ledger := o.All || o.Claims != nil
			switch {
			case slices.Contains(o.Plot, "-"):
				return usagef("", "--plot -: standard output has the numbers; want a file")
			case o.Plot != nil && (ledger || o.Exercise || o.From != ""):
				return usagef("", "--plot draws the error over α of random kernels: not with --all, --exercise or --from")
			case ledger && o.Exercise, ledger && o.From != "", o.Exercise && o.From != "":
				return usagef("", "--all, --exercise and --from are three different things: want one of them")
			case ledger:
				return runLedger(cmd.Context(), c, o)
			case o.Exercise:
				return runExercise(c, o)
			case o.From != "":
				return runFrom(cmd.Context(), c, o)
			}
			return runProve(cmd.Context(), c, o)
		},
	}
	f := flags{cmd.Flags(), "Model"}
	f.boolean(&o.All, "all", "", "check every claim of the theory instead")
	f.boolean(&o.Exercise, "exercise", "", "write the smallest case out, number by number, instead")
	f.text(&o.From, "from", "", "CKPT", "turn the convolutions of a trained residual network into attention instead", nil)
	f.text(&o.Layer, "layer", "", "NAME", "one of them (default: all)", nil)
	f.value(list{&o.Claims}, "claims", "", "LIST", "check some of the claims, by name", nil)
	f.value(ints{&o.Kernel, 31}, "kernel", "", "LIST", "sizes of the kernel", nil)
	f.value(list{&o.Border}, "border", "", "LIST", "padding", append(borders(), "all"))
	f.value(list{&o.Type}, "dtype", "", "LIST", "numbers", append(slices.Clone(theorem.Types), "all"))
	f.value(floats{&o.Alpha}, "alpha", "", "LIST", "how hard the heads look (default 1,4,16,46,104)", nil)
	f.value(pair{&o.Channels}, "channels", "", "IN:OUT", "channels", nil)
	f.number(&o.Axes, "axes", "N", "axes of the image, 1 to 3", 1)
	f.number(&o.Size, "size", "N", "pixels along each axis", 1)
	f.number(&o.Stride, "stride", "N", "stride of the convolution", 1)
	f.number(&o.Dilation, "dilation", "N", "dilation of the kernel", 1)
	f.boolean(&o.General, "general", "", "heads of random shapes instead of round ones")
	f.number(&o.Heads, "heads", "N", "heads, if fewer than the kernel has entries: shows what is lost", 1)
	f.number(&o.HeadDim, "head-dim", "N", "dimension of the heads, if less than the channels: likewise", 1)
	f.number(&o.Trials, "trials", "N",
		"random kernels (default: 5); with --all random cases of each kind (default: 50); with --from images (default: 2)", 1)
	f.number(&o.Seed, "seed", "N", "seed of everything random (default 0)", 0)
	f.value(floats{&o.Tolerance}, "tolerance", "", "X",
		"largest relative error that holds (default: 1e-6 in float32, 1e-12 in float64, 4e-6 with --from; more for sums of over 300 terms)",
		nil)
	f.group = "Output"
	f.StringVarP(&o.Output, "output", "o", "", "write the numbers to FILE, as JSON")
	f.describe("output", "FILE", nil)
	f.texts(&o.Plot, "plot", "", "FILE",
		"draw the error over α, for the borders named or else the first, as .svg, .png or .pdf; several may be given")
	f.boolean(&o.Force, "force", "", "overwrite files given with -o and --plot")
	return cmd
}

// borders lists what --border takes.
func borders() []string { return append(slices.Clone(theorem.Borders), theorem.Interior) }

// plan is the command line, understood.
type plan struct {
	kernels   []int
	alphas    []float64 // ascending
	borders   []string
	types     []string
	base      theorem.Experiment // what all experiments share
	tolerance float64            // 0: each type's own
}

func (o *proveOptions) plan() (p plan, err error) {
	p.kernels, p.alphas = o.Kernel, []float64{1, 4, 16, 46, 104}
	if o.Alpha != nil {
		p.alphas = slices.Sorted(slices.Values(o.Alpha))
	}
	if p.borders, err = chosen("--border", o.Border, borders()); err != nil {
		return p, err
	}
	if p.types, err = chosen("--dtype", o.Type, theorem.Types); err != nil {
		return p, err
	}
	if len(o.Tolerance) > 1 {
		return p, usagef("", "--tolerance: want one number, got %v", o.Tolerance)
	}
	for _, t := range o.Tolerance {
		p.tolerance = t
	}
	p.base = theorem.Experiment{Axes: o.Axes, Size: o.Size, Stride: o.Stride, Dilation: o.Dilation,
		In: o.Channels[0], Out: o.Channels[1], Heads: o.Heads, HeadDim: o.HeadDim, Elliptic: o.General, Trials: cmp.Or(o.Trials, 5),
		Seed: uint64(o.Seed)}
	return p, p.validate(o)
}

// validate finds what does not go together.
func (p *plan) validate(o *proveOptions) error {
	if o.Axes > 3 {
		return usagef("", "--axes \"%d\": want 1, 2 or 3", o.Axes)
	}
	for _, k := range p.kernels {
		e := p.base
		e.Kernel = k
		if span := e.Span(); slices.Contains(p.borders, theorem.Interior) && span > o.Size {
			return usagef(fmt.Sprintf("take --size %d, or leave out --border %s", span, theorem.Interior),
				"--size %d: a kernel of %d with dilation %d reads %d pixels, which do not fit", o.Size, k, o.Dilation, span)
		}
	}
	if o.General && slices.Contains(p.borders, theorem.Borders[theorem.Replicate]) {
		if !slices.Equal(o.Border, []string{"all"}) {
			return usagef("take --border zero,circular,interior",
				"--general: heads that are not round find the nearest pixel in their own measure, which is not replicate padding")
		}
		p.borders = slices.DeleteFunc(p.borders, func(b string) bool { return b == theorem.Borders[theorem.Replicate] })
	}
	return nil
}

// experiments lists what to run: for each border, type and kernel one row, with one experiment for every α.
func (p *plan) experiments() (all []theorem.Experiment) {
	for _, border := range p.borders {
		for _, kind := range p.types {
			for _, k := range p.kernels {
				for _, alpha := range p.alphas {
					e := p.base
					e.Border, e.Type, e.Kernel, e.Alpha = border, kind, k, alpha
					all = append(all, e)
				}
			}
		}
	}
	return all
}

// limit is the largest relative error with which the theorem holds: rounding errors grow with the root of the number of
// terms in a sum.
func (p *plan) limit(e theorem.Experiment) float64 {
	least := 1e-12
	if e.Type == theorem.Types[0] {
		least = 1e-6
	}
	if p.tolerance > 0 {
		return p.tolerance
	}
	return roundingError(least, e.Entries()*e.In)
}

// roundingError is the error of a sum, least for up to 300 terms.
func roundingError(least float64, terms int) float64 {
	return least * max(1, math.Sqrt(float64(terms)/300))
}

// hard is the α from which on the theorem must hold: the paper's 46, or the largest there is.
func (p *plan) hard() float64 { return min(46, p.alphas[len(p.alphas)-1]) }
