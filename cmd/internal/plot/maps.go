package plot

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/figures"
	"github.com/attnconv/attnconv/cmd/internal/output"
	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/viz"
)

// mapsOptions holds the flags of `attnconv plot-maps`.
type mapsOptions struct {
	output.Options
	attention
	Data   string // set of the images that maps are averaged over; "": what the checkpoint was trained on
	Beside bool
	Null   bool // the maps before the first step, too

	about string // a paragraph above the table; "": none
}

// NewMaps returns the command plot-maps.
func NewMaps(c *term.Console) *cobra.Command {
	o := mapsOptions{}
	cmd := &cobra.Command{
		Use:   "plot-maps [CKPT|RUN] IMAGE [flags]",
		Short: "Draw attention maps over an image",
		Long: "Draw the attention maps of every head over an image, for one or more query\n" +
			"tokens. The image is a file of any size (" + refs.ImageFormats + "),\n" +
			"or - for standard input; the model sees its middle square, resized. The default\n" +
			"is the latest run that has heads.",
		Example: `attnconv plot-maps run.ckpt cat.jpg
attnconv plot-maps k3f9 cat.jpg --query 3,4 --query 6,1 -o maps.png
attnconv plot-maps latest cat.jpg --layers 1,6 --sort peak --beside`,
		ValidArgsFunction: refs.CompleteImages(c),
		RunE: func(_ *cobra.Command, args []string) error {
			ref, images := refs.SplitImages(args)
			if len(images) != 1 {
				return term.Usagef("attnconv plot-maps run.ckpt cat.jpg", "want one image, got %d", len(images))
			}
			if err := o.Check(); err != nil {
				return err
			}
			return drawMaps(c, o, ref, images[0])
		},
	}
	f := term.FlagsIn(cmd.Flags(), "Figure")
	o.layersFlag(c, cmd, f)
	o.attention.flags(f, "; several may be given")
	f.Boolean(&o.Beside, "beside", "", "draw the image next to the maps, not under them")
	f = term.FlagsIn(cmd.Flags(), "Output")
	o.Options.Flags(f, "figure to write", "figures/maps.svg in the run")
	return cmd
}

func drawMaps(c *term.Console, o mapsOptions, ref, name string) error {
	m, err := refs.LoadModel(c, ref, refs.NeedHeads)
	if err != nil {
		return err
	}
	if !m.Net.Attends() {
		return term.Usagef("", "%s: a %s has no heads", m.Path, m.Net.Spec.Kind)
	}
	images, files, err := trained.ReadImages(c.In, m.Format(), name)
	if err != nil {
		return err
	}
	if len(files) != 1 {
		return term.Usagef("", "%s: want one image, got a folder of %d", name, len(files))
	}
	x, err := images.Inputs(1)
	if err != nil {
		return err
	}
	return drawViews(c, m, o, x, func(v *viz.View) {
		v.Image = figures.UnderTokens(images.Image(0), m.Net.Spec)
		v.Title = fmt.Sprintf("%s from (%d, %d)", filepath.Base(files[0]), v.Query[0], v.Query[1])
	})
}

// drawMeanMaps draws maps averaged over the first test images. Maps that do not depend on the image need none.
func drawMeanMaps(c *term.Console, m *trained.Model, o mapsOptions, images int) error {
	if !m.Net.Spec.ByImage() {
		return drawViews(c, m, o, nil, func(*viz.View) {})
	}
	set, err := refs.OpenData(c, m, o.Data)
	if err != nil {
		return err
	}
	x, err := set.Test.Inputs(images)
	if err != nil {
		return err
	}
	c.Note("these maps depend on the image: they are means over %d images of %s", len(x), set.Name)
	return drawViews(c, m, o, x, func(v *viz.View) {
		v.Title = fmt.Sprintf("query (%d, %d), mean over %d test images of %s", v.Query[0], v.Query[1], len(x),
			set.Name)
	})
}

// drawViews draws the attention maps for images. label sets image and title of a view.
func drawViews(c *term.Console, m *trained.Model, o mapsOptions, images [][]float32, label func(*viz.View)) error {
	views, err := o.of(m.Net, images, label, "")
	if err != nil {
		return err
	}
	shown := views
	if o.Null {
		before, err := m.Untrained()
		if err != nil {
			return fmt.Errorf("--null: %w", err)
		}
		null, err := o.of(before, images, label, "before the first step: ")
		if err != nil {
			return err
		}
		shown = slices.Concat(views, null)
	}
	over := views[0].Image != nil && !o.Beside
	figure, err := viz.Maps(shown, viz.MapsOptions{Zoom: o.Zoom, Sort: o.Sort, Scores: o.Raw, Overlay: over,
		Width: o.Width})
	if err != nil {
		return term.NameFlag(err)
	}
	figure.Source, figure.Caption = m.Source(), m.Caption()
	var rows []figures.MapSummary
	text := ""
	if !o.Raw {
		rows = figures.Summaries(views)
		text = o.about + "\n" + figures.MapText(rows, m.Net.Spec.Pool)
	}
	return o.Finish(c, figure, output.Own(m.Path, "maps.svg"), text, func(files []string) any {
		return MapFigures{V: 1, Files: files, Heads: rows}
	})
}

// of returns the labeled views of a network; prefix is put before their titles.
func (o mapsOptions) of(net *model.Network, images [][]float32, label func(*viz.View), prefix string) ([]viz.View,
	error) {
	l, err := heads.NewReader(net)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	views, err := o.views(l, images)
	for i := range views {
		label(&views[i])
		views[i].Title = prefix + views[i].Title
		if o.Part != figures.Parts.Default() {
			views[i].Title += ", " + "only " + o.Part
		}
	}
	return views, err
}
