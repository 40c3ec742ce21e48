// Package predict is the command predict: flags and words.
package predict

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/output"
	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/viz"
)

// predictOptions holds the flags and arguments of `attnconv predict`.
type predictOptions struct {
	Ref    string
	Images []string
	Array  string // NumPy file of normalized images
	Top    int
	Format string

	Maps  output.Options // attention maps over the images
	Query [][2]int       // of the maps; nil: the middle
}

func New(c *term.Console) *cobra.Command {
	o := predictOptions{Top: 5, Maps: output.Options{Stdout: "the predictions"}}
	cmd := &cobra.Command{
		Use:   "predict [CKPT|RUN] IMAGE... [flags]",
		Short: "Classify images",
		Long: "Classify images: print the most likely classes. Images are files of any size\n" +
			"(" + refs.ImageFormats + "), folders of them, also in subfolders, or -\n" +
			"for standard input; the model sees their middle, resized to the size that it\n" +
			"takes. The default is the latest run.",
		Example: `attnconv predict run.ckpt cat.jpg
attnconv predict k3f9 photos/ --top 3
attnconv predict k3f9 photos/ --format csv > predictions.csv
attnconv predict latest cat.jpg --json
attnconv predict latest cat.jpg -o cat.png --query 3,4
attnconv predict run.ckpt --array images.npy --json`,
		ValidArgsFunction: refs.CompleteImages(c),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Ref, o.Images = refs.SplitImages(args)
			if err := o.check(); err != nil {
				return err
			}
			return runPredict(cmd.Context(), c, o)
		},
	}
	f := term.FlagsIn(cmd.Flags(), "Output")
	f.Text(&o.Array, "array", "", "FILE",
		"normalized images as a NumPy file (.npy), float32 (n, channels, rows, columns), instead of IMAGE", nil)
	f.Number(&o.Top, "top", "N", "number of classes to print (default: 5)", 1)
	f.Format(&o.Format, "of the predictions on standard output")
	f.Queries(&o.Query, "query", "with -o: query token (default: the middle)")
	o.Maps.Flags(f, "attention maps over the images, as of plot-maps", "")
	c.Renamed(cmd.Flags(), "overlay", "output", nil)
	return cmd
}

func runPredict(ctx context.Context, c *term.Console, o predictOptions) error {
	need := refs.AnyRun
	if o.Maps.Output != nil {
		need = refs.NeedHeads
	}
	m, err := refs.LoadModel(c, o.Ref, need)
	if err != nil {
		return err
	}
	classes, known := m.Classes(c.DataDir)
	if !known {
		c.Warn(fmt.Sprintf("the names of the classes are unknown: data set %s is not on this machine",
			m.Config.Data.Name))
	}
	r := Predictions{V: 1, Checkpoint: m.Path}
	options := trained.PredictOptions{Classes: classes, Top: o.Top}
	var broken error // of images that cannot be read; the others are classified
	if o.Array != "" {
		r.Predictions, err = m.PredictArray(ctx, o.Array, options)
		err = term.NameFlag(err)
	} else {
		broken, err = classifyFiles(ctx, c, m, o, options, &r)
	}
	if err != nil {
		return err
	}
	err = c.Show(r, func(c *term.Console) error {
		for _, name := range r.Files {
			c.Wrote(name)
		}
		if o.Format != "text" {
			return c.WriteText(c.Formatted(predictionTable(r.Predictions), o.Format))
		}
		return printPredictions(c, r.Predictions, classes)
	})
	return cmp.Or(err, broken)
}

// printPredictions prints a line for each image, aligned. On a narrow terminal, classes that do not fit go below.
func printPredictions(c *term.Console, all []trained.Prediction, classes []string) error {
	shown := map[string]string{}
	for i, name := range visible.Apart(classes) {
		shown[classes[i]] = name
	}
	var rows [][]string
	for _, p := range all {
		row := []string{p.Image}
		for _, g := range p.Classes {
			row = append(row, fmt.Sprintf("%s %.1f %%", shown[g.Class], 100*g.P))
		}
		rows = append(rows, row)
	}
	for _, line := range term.AlignColumns(rows, c.OutWidth()) {
		if err := c.WriteText(line + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// predictionTable has a line for each image, with the most likely class first.
func predictionTable(all []trained.Prediction) *table.Table {
	t := &table.Table{Columns: []table.Column{{Head: "image", Key: "image"}}}
	for i, p := range all {
		row := []table.Cell{table.Words(p.Image)}
		for k, g := range p.Classes {
			if i == 0 {
				class, probability := fmt.Sprintf("class_%d", k+1), fmt.Sprintf("p_%d", k+1)
				t.Columns = append(t.Columns, table.Column{Head: class, Key: class},
					table.Column{Head: probability, Key: probability, Right: true})
			}
			row = append(row, table.Words(g.Class), table.Cell{Text: fmt.Sprintf("%.1f %%", 100*g.P), Value: g.P})
		}
		t.Add(row...)
	}
	return t
}

// classifyFiles classifies image files, and draws the overlay. broken is the error for those that cannot be read.
func classifyFiles(ctx context.Context, c *term.Console, m *trained.Model, o predictOptions,
	options trained.PredictOptions, r *Predictions) (broken, err error) {
	images, names, broken := trained.ReadImages(c.In, m.Format(), o.Images...)
	if broken != nil && (fault.ExitCode(broken) != fault.Corrupt || len(names) == 0) {
		return nil, broken
	}
	if r.Predictions, err = m.Predict(ctx, images, names, options); err != nil || o.Maps.Output == nil {
		return broken, err
	}
	if !m.Net.Attends() {
		return nil, term.Usagef("", "-o: %s is a %s, which has no heads", m.Path, m.Net.Spec.Kind)
	}
	views, err := overlays(m, images, r.Predictions, o.Query)
	if err != nil {
		return nil, term.NameFlag(err)
	}
	figure, err := viz.Maps(views, viz.MapsOptions{Overlay: true, Width: o.Maps.Width})
	if err != nil {
		return nil, term.NameFlag(err)
	}
	r.Files, err = o.Maps.Write(c, figure, "")
	return broken, err
}

// check reports bad flags before anything is computed.
func (o predictOptions) check() error {
	switch n := len(o.Images); {
	case o.Array != "" && n > 0:
		return term.Usagef("the array holds the images", "--array and %s do not go together", o.Images[0])
	case o.Array == "" && n == 0:
		return term.Usagef("attnconv predict run.ckpt cat.jpg", "which image?")
	case o.Maps.Output == nil && (o.Query != nil || o.Maps.Values != ""):
		return term.Usagef("", "--query and --values need -o: they are of the maps")
	case o.Maps.Output == nil:
		return nil
	case o.Array != "":
		return term.Usagef("maps are drawn over image files", "--array and -o do not go together")
	}
	return o.Maps.Check()
}
