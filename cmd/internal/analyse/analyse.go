// Package analyse is the command analyse: flags and words.
package analyse

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/cmd/internal/output"
	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/progress"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/session/trained"
)

// options holds the flags and arguments of `attnconv analyse`.
type options struct {
	network.Options
	Refs     []string
	Seeded   bool // --null-seeds was given
	Figured  bool // --figure was given
	Data     string
	NoImages bool
	Quick    bool
	Details  bool
	Arrays   string
	Bridge   bool
	Pictures string   // --images: a folder, for networks of other programs
	From     []string // pictures for a network of another program; nil: of this program
	Counted  bool     // --images was a number
	Drawn    bool     // --draws was given
	Foreign  refs.Foreign
	Over     string
	Format   string
	Figure   string
	Plot     output.Options

	stages *progress.Stages
}

// formats lists the values of --format.
var formats = option.List[option.Word]{"text", "csv"}

// New returns the command analyse.
func New(c *term.Console) *cobra.Command {
	o := options{Options: network.Usual()}
	cmd := &cobra.Command{
		Use:     "analyse [RUN|CKPT...|WEIGHTS DIR] [flags]",
		Aliases: []string{"analyze"},
		Short:   "Measure how convolutional trained layers are",
		Long: "Measure how convolutional the layers of a trained network are: which accuracy is\n" +
			"left with convolutions instead of the layers, the part of each layer's operator\n" +
			"that is a convolution, and how much of its output on images one explains, all\n" +
			"next to untrained layers. It prints a verdict and one table; --details prints\n" +
			"everything. Several runs are seeds of one model, and get means and intervals.\n" +
			"docs/analyse.md has each measure. The default is the latest run.",
		Example: `attnconv analyse
attnconv analyse k3f9 --details
attnconv analyse k3f9 --json
attnconv analyse seed0 seed1 seed2 --format csv
attnconv analyse k3f9 -o shares.svg
attnconv analyse k3f9 -o kernels.png --figure kernels
attnconv analyse run.ckpt --no-images
attnconv analyse seed0 seed1 --over epochs -o curves.svg
attnconv analyse --arrays layers.npz
attnconv analyse --bridge > bridge.py
attnconv analyse vit.safetensors ~/Pictures`,
		ValidArgsFunction: refs.CompleteRuns(c, 1<<20),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Refs, o.Seeded, o.Figured = args, cmd.Flags().Changed("null-seeds"), cmd.Flags().Changed("figure")
			o.Counted, o.Drawn = cmd.Flags().Changed("images"), cmd.Flags().Changed("draws")
			if o.Bridge {
				return printBridge(c, cmd.Flags().NFlag() > 1 || len(args) > 0)
			}
			if err := o.splitImages(); err != nil {
				return err
			}
			o.Counted = o.Counted && o.Pictures == ""
			o.overDefaults(cmd.Flags().Changed)
			return o.run(cmd.Context(), c)
		},
	}
	f := term.FlagsIn(cmd.Flags(), "Measurement")
	f.Text(&o.Pictures, "images", "", "N|DIR",
		"fit regressions on N training images, and score R² on as many validation images (default: 1000); of a network of "+
			"another program: N pictures (default: 50), or their folder", nil)
	f.Number(&o.Kernel, "kernel", "K", "largest kernel of the regressions, an odd number (default: 7)", 1)
	f.Number(&o.Options.Seeds, "null-seeds", "N",
		"untrained networks to compare with (default: 20 for each layer; 20 if attention depends on the image; 60 at "+
			"most with --quick)", 1)
	f.Number(&o.Fits, "null-fits", "N", "untrained networks whose regressions are fitted as well (default: 3)", 0)
	f.Number(&o.Draws, "draws", "N", "draws of each other baseline (default: 100)", 1)
	f.Boolean(&o.NoImages, "no-images", "", "measure only the weights")
	f.Boolean(&o.Quick, "quick", "", "leave out accuracy with layers replaced, and R²: seconds instead of minutes")
	f.Boolean(&o.Function, "function", "",
		"also replace layers by their mean attention, by hard taps, and by 1 × 1 and 7 × 7 convolutions; minutes")
	f.Boolean(&o.Network, "network", "",
		"also shift defects, receptive fields and CKA of layers, also between two runs; minutes")
	f.Text(&o.Over, "over", "", "NAME",
		"epochs: measure each snapshot of a run, without regressions unless --images is given", []string{epochs})
	f = term.FlagsIn(cmd.Flags(), "Data")
	f.Text(&o.Arrays, "arrays", "", "FILE",
		"measure layers of any program instead of a run: attention and maps in an .npz file", nil)
	f.Boolean(&o.Bridge, "bridge", "", "print a Python program that writes FILE, for PyTorch")
	refs.DataFlag(f, &o.Data)
	o.Foreign.Flags(f)
	f = term.FlagsIn(cmd.Flags(), "Output")
	f.Boolean(&o.Details, "details", "", "print every measure and a sentence for each layer, not only the verdict")
	term.Choice(f, &o.Format, "format", formats.Default(), "NAME", "of the layers on standard output", formats)
	term.Choice(f, &o.Figure, "figure", analysisFigures.Default(), "NAME", "what -o draws",
		analysisFigures)
	o.Plot.Flags(f, "the layers of one run as a figure", "")
	c.Renamed(cmd.Flags(), "plot", "output", nil)
	c.Renamed(cmd.Flags(), "plot-data", "values", nil)
	c.Renamed(cmd.Flags(), "csv", "format", nil)
	cmd.Flags().Lookup("csv").NoOptDefVal = "csv"
	return cmd
}

func (o options) check(c *term.Console) error {
	if err := cmp.Or(o.checkArrays(), o.checkNetwork()); err != nil {
		return err
	}
	switch {
	case o.Format == "csv" && c.JSON:
		return term.Usagef("", "--format csv and --json: want one of them")
	case o.Function && o.NoImages:
		return term.Usagef("", "--function and --no-images: want one of them")
	case o.Quick && (o.Function || o.Network || o.Over != ""):
		return term.Usagef("", "--quick leaves out what --function, --network and --over measure: want it without them")
	case o.NoImages && o.Data != "":
		return term.Usagef("", "--no-images and --data: want one of them")
	case o.Kernel%2 == 0:
		return term.Usagef("", "--kernel %d: want an odd number, such as 5", o.Kernel)
	case o.Over != "" && o.Over != epochs:
		return term.Usagef("", "--over %q: want %s", o.Over, epochs)
	case len(o.Plot.Output) > 0 && o.Over == "" && o.Figure == overEpochs:
		return term.Usagef("", "--figure %s needs --over %s", o.Figure, epochs)
	case len(o.Plot.Output) > 0 && o.Over != "" && o.Figure != overEpochs:
		return term.Usagef("", "--over %s draws %s: want it without --figure %s", epochs, overEpochs, o.Figure)
	case (o.Function || o.Network) && o.Over != "":
		return term.Usagef("", "--over measures only layers: want it without --function and --network")
	case o.NoImages && o.Over != "" && o.Images > 0:
		return term.Usagef("", "--no-images and --images: want one of them")
	case len(o.Plot.Output) > 0 && len(o.Refs) > 1 && o.Over == "" && !o.plotsMany():
		return term.Usagef("", "-o draws one run: want one RUN, not %d", len(o.Refs))
	case len(o.Plot.Output) == 0 && o.Figured:
		return term.Usagef("", "--figure needs -o FILE")
	}
	return o.Plot.Check()
}

func (o options) run(ctx context.Context, c *term.Console) error {
	if err := cmp.Or(o.takePictures(), o.check(c), o.checkOwn()); err != nil {
		return err
	}
	if len(o.Refs) == 0 {
		o.Refs = []string{""}
	}
	var err error
	if o.stages, err = c.Stages(); err != nil {
		return err
	}
	defer o.stages.Close()
	if o.Over != "" {
		return o.over(ctx, c)
	}
	runs, subjects := []network.Analysis{}, []network.Subject{}
	for _, ref := range o.Refs {
		d, s, err := o.measured(ctx, c, ref)
		if err != nil {
			return err
		}
		runs = append(runs, *d)
		if o.Network && len(subjects) < 2 {
			subjects = append(subjects, s)
		}
	}
	cka, err := o.between(ctx, c, subjects)
	if err != nil {
		return err
	}
	o.stages.Close()
	if len(o.Plot.Output) > 0 && len(runs) > 1 {
		if err := o.plotSimilar(c, cka); err != nil || o.Plot.ToStdout() {
			return err
		}
	} else if len(o.Plot.Output) > 0 {
		if err := o.plot(c, &runs[0]); err != nil || o.Plot.ToStdout() {
			return err
		}
	}
	seeds := network.Seeds(runs)
	warnOfSameSeed(c, runs)
	var document any = runs[0]
	if len(runs) > 1 {
		document = network.Analyses{V: 1, Runs: runs, CKA: cka, Trend: network.SeedTrend(runs), Seeds: seeds}
	}
	return o.show(c, document, network.CSV(runs), func(width int) string {
		if !o.Details && !o.Function && !o.Network {
			return network.Screen(runs, seeds, width) +
				"\n--details prints every measure, and a sentence for each layer\n"
		}
		text := network.Screen(runs, nil, width) + "\n" + network.Text(runs, seeds, width)
		if similar := network.SimilarText(cka, width); similar != "" {
			text += "\n" + similar
		}
		return text
	})
}

// warnOfSameSeed says why there are no means over seeds if two runs have the same seed.
func warnOfSameSeed(c *term.Console, runs []network.Analysis) {
	if i, j := network.Repeated(runs); i >= 0 {
		c.Warn(fmt.Sprintf("%s and %s have the same seed, %d: no means over seeds; name one run of each seed",
			runs[i].Source, runs[j].Source, runs[i].Seed))
	}
}

// show shows a document, or its values as --format says.
func (o options) show(c *term.Console, document any, csv string, text func(width int) string) error {
	return c.Show(document, func(c *term.Console) error {
		if o.Format == "csv" {
			return c.WriteText(csv)
		}
		return c.WriteText(text(cmp.Or(c.OutWidth(), term.HelpWidth)))
	})
}

// plot draws the figure that was asked for.
func (o options) plot(c *term.Console, d *network.Analysis) error {
	figure, err := analysisFigures.Find(o.Figure).Draw(d, o.Plot.Width)
	if err != nil {
		return term.NameFlag(err)
	}
	return o.Plot.WriteNoted(c, figure)
}

// one analyses one run or checkpoint.
func (o options) one(ctx context.Context, c *term.Console, ref string) (*network.Analysis, network.Subject, error) {
	m, err := refs.LoadModel(c, ref, refs.AnyRun)
	if err != nil {
		return nil, network.Subject{}, err
	}
	s, err := o.subject(c, m, !o.Quick || m.Net.Spec.ByImage())
	if err != nil {
		return nil, s, err
	}
	d, err := network.Measure(ctx, s, o.measurement(s))
	if err != nil {
		err = fmt.Errorf("%s: %w", m.Path, err)
	}
	return d, s, err
}

func (o options) measurement(s network.Subject) network.Options {
	return o.Options.For(s, o.Quick, o.Seeded)
}

// subject is a network to measure, with images if they are wanted.
func (o options) subject(c *term.Console, m *trained.Model, images bool) (s network.Subject, err error) {
	var set *data.Set
	if images {
		if set, err = o.images(c, m); err != nil {
			return s, err
		}
	}
	s, err = m.Measurable(set, o.Images)
	s.Tell, s.Done = o.tell, o.stages.At
	return s, err
}

// tell shows what is done next.
func (o options) tell(format string, args ...any) { o.stages.Next(fmt.Sprintf(format, args...)) }

// images opens the data set, nil for none: without the one that it was trained on, weights can be measured all the
// same.
func (o options) images(c *term.Console, m *trained.Model) (*data.Set, error) {
	if o.NoImages && m.Net.Spec.AllByImage() {
		return nil, term.Usagef("leave --no-images out", "--no-images: the attention of %s depends on the image", m.Path)
	}
	if o.NoImages {
		return nil, nil
	}
	set, err := refs.OpenData(c, m, o.Data)
	if missing := (*data.MissingError)(nil); errors.As(err, &missing) && o.Data == "" {
		c.Warn(refs.UserMessage(err) + "\n  measuring only the weights")
		return nil, nil
	}
	return set, err
}
