// Package predict is the command predict: flags and words.
package predict

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/study"
	"github.com/attnconv/attnconv/train"
)

// predictOptions holds the flags and arguments of `attnconv predict`.
type predictOptions struct {
	Ref    string
	Images []string
	Array  string // NumPy file of normalised images
	Top    int

	Overlay []string // files for attention maps over the images
	Query   [][2]int // of the maps; nil: the middle
	Force   bool
}

func New(c *cli.Console) *cobra.Command {
	o := predictOptions{Top: 5}
	cmd := &cobra.Command{
		Use:   "predict [CKPT|RUN] IMAGE... [flags]",
		Short: "Classify images",
		Long: "Classify images: print the most likely classes. Images are files of any size\n" +
			"(" + data.ImageFormats + "), folders of them, or - for standard\n" +
			"input; the model sees their middle, resized to the size that it takes. The\n" +
			"default is the latest run.",
		Example: `attnconv predict run.ckpt cat.jpg
attnconv predict k3f9 photos/ --top 3
attnconv predict latest cat.jpg --json
attnconv predict latest cat.jpg --overlay cat.png --query 3,4
attnconv predict run.ckpt --array images.npy --json`,
		ValidArgsFunction: c.CompleteImages(),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Ref, o.Images = cli.SplitImages(args)
			switch n := len(o.Images); {
			case o.Array != "" && n > 0:
				return cli.Usagef("the array holds the images", "--array and %s do not go together", o.Images[0])
			case o.Array == "" && n == 0:
				return cli.Usagef("attnconv predict run.ckpt cat.jpg", "which image?")
			}
			if err := o.checkOverlay(); err != nil {
				return err
			}
			return runPredict(cmd.Context(), c, o)
		},
	}
	f := cli.FlagsIn(cmd.Flags(), "Output")
	f.Text(&o.Array, "array", "", "FILE",
		"normalised images as a NumPy file (.npy), float32 (n, channels, rows, columns), in place of IMAGE", nil)
	f.Number(&o.Top, "top", "N", "number of classes to print (default: 5)", 1)
	f.Texts(&o.Overlay, "overlay", "", "FILE",
		"draw attention maps over the images, as plot-maps does: .svg, .png or .pdf; several may be given")
	f.Queries(&o.Query, "query",
		"with --overlay: query token (default: the middle)")
	f.Boolean(&o.Force, "force", "", "overwrite files given with --overlay")
	return cmd
}

// A classifier is a network with the names of its classes.
type classifier struct {
	*session.Model
	classes []string
}

func loadClassifier(c *cli.Console, ref string, n study.Need) (s classifier, err error) {
	if s.Model, err = c.LoadModel(ref, n); err != nil {
		return s, err
	}
	known := false
	if s.classes, known = s.Classes(c.DataDir); !known {
		c.Warn(fmt.Sprintf("the names of the classes are unknown: data set %s is not on this machine", s.Config.Data.Name))
	}
	return s, nil
}

func runPredict(ctx context.Context, c *cli.Console, o predictOptions) error {
	wants := study.AnyRun
	if o.Overlay != nil {
		wants = study.NeedHeads
	}
	net, err := loadClassifier(c, o.Ref, wants)
	if err != nil {
		return err
	}
	var predictions []report.Prediction
	var images []cli.ImageFile
	if o.Array != "" {
		predictions, err = net.predictArray(ctx, o.Array, o.Top)
	} else if images, err = c.ReadImages(o.Images, cli.FormatOf(net.Net.Spec)); err == nil {
		predictions, err = net.predictFiles(ctx, images, o.Top)
	}
	if err != nil {
		return err
	}
	var files []string
	if o.Overlay != nil {
		if files, err = net.overlay(c, o, images, predictions); err != nil {
			return err
		}
	}
	if c.JSON {
		return c.Result(report.Predictions{V: 1, Checkpoint: net.Path, Predictions: predictions, Files: files})
	}
	for _, name := range files {
		c.Note("overlay  %s", name)
	}
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	for _, p := range predictions {
		fmt.Fprintf(w, "%s\t", visible.Word(p.Image))
		for _, g := range p.Classes {
			fmt.Fprintf(w, "%s %.1f %%\t", g.Class, 100*g.P)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// predictFiles classifies image files, and keeps the top classes of each.
func (s classifier) predictFiles(ctx context.Context, images []cli.ImageFile, top int) ([]report.Prediction, error) {
	split := data.Split{Format: images[0].Fit.Format}
	for _, p := range images {
		split.Pixels = append(split.Pixels, p.Fit.Pixels...)
		split.Labels = append(split.Labels, 0)
	}
	out, err := s.Classify(ctx, split)
	return s.predictions(out, err, func(i int) string { return images[i].Name }, top)
}

// predictions lists the top classes of each image; name returns the name of an image.
func (s classifier) predictions(out train.Outputs, err error, name func(i int) string, top int) (all []report.Prediction, _ error) {
	if bad := (*session.NotFinite)(nil); errors.As(err, &bad) {
		return nil, fmt.Errorf("%s: the outputs of %s for this image are not finite", name(bad.Image), bad.Path)
	}
	for i := range out.Len() {
		p := report.Prediction{Image: name(i), Logits: out.Row(i)}
		for _, class := range out.Top(i, top) {
			p.Classes = append(p.Classes, report.ClassProb{Class: s.classes[class], P: out.Probability(i, class)})
		}
		all = append(all, p)
	}
	return all, err
}
