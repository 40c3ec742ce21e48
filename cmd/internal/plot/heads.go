// Package plot is the commands plot-heads, plot-maps and plot-curves.
package plot

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/figures"
	"github.com/attnconv/attnconv/cmd/internal/output"
	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/viz"
)

// headsOptions holds the flags and arguments of `attnconv plot-heads`.
type headsOptions struct {
	output.Options
	attention
	Refs     []string // nil: the latest run
	Mass     string
	Contours []float64
	Figure   string
	Data     string // set of the images that maps are averaged over; "": what the checkpoint was trained on
	Average  int
	Null     bool

	Animate bool
	FPS     int
	Trail   int

	about func() (string, error) // a paragraph above the table; "": none
}

// average is the default number of test images that maps are averaged over, that of the paper.
const average = 100

// masses lists the values of --mass.
var masses = option.List[option.Word]{"analytic", "grid"}

// A headFigure is a kind of figure of heads.
type headFigure struct {
	name string
	need refs.Need // what the run must have
	draw func(c *term.Console, m *trained.Model, o headsOptions) error
}

// Entry implements option.Named.
func (f headFigure) Entry() (name, help string) { return f.name, "" }

// headFigures lists the values of --figure. A new one is a line here.
var headFigures = option.List[headFigure]{
	{"auto", refs.NeedHeads, drawUsual}, {"contours", refs.NeedCenters, drawContours},
	{"maps", refs.NeedHeads, drawAverages},
	{"layer", refs.NeedCenters, drawLayer},
}

// NewHeads returns the command plot-heads.
func NewHeads(c *term.Console) *cobra.Command {
	o := headsOptions{}
	cmd := &cobra.Command{
		Use:   "plot-heads [CKPT|RUN...] [FILE] [flags]",
		Short: "Draw where the heads attend",
		Long: "Draw where the heads of each layer attend, and print their parameters. Quadratic\n" +
			"models get contours that hold half of a head's attention, in gray where they\n" +
			"began, others attention maps. --animate shows how the heads moved in training.\n" +
			"The default is the latest run that has heads (attnconv help references). Several\n" +
			"runs have a figure each, as they may differ in layers and heads: in its folder\n" +
			"or, with -o heads.svg, in heads-k3f9.svg.",
		Example: `attnconv plot-heads run.ckpt
attnconv plot-heads latest -o heads.svg -o heads.png --layers 1-3
attnconv plot-heads k3f9 p8d2
attnconv plot-heads k3f9 --mass grid --query 0,0 --values heads.csv
attnconv plot-heads latest --animate heads.gif --layers 4 --fps 24
attnconv plot-heads k3f9 --null --title "Nine heads" --width 8.4 -o heads.pdf
attnconv plot-heads learned.ckpt --zoom 7 --sort peak
attnconv plot-heads k3f9 --figure layer --layers 2
attnconv plot-heads k3f9 --json`,
		ValidArgsFunction: refs.CompleteRuns(c, 1<<20),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.arguments(cmd, args); err != nil {
				return err
			}
			if err := o.check(); err != nil {
				return err
			}
			if len(o.Refs) > 1 {
				return o.each(cmd.Context(), c)
			}
			return o.draw(cmd.Context(), c, refs.First(o.Refs))
		},
	}
	f := term.FlagsIn(cmd.Flags(), "Figure")
	term.Choice(f, &o.Figure, "figure", headFigures.Default(), "KIND",
		"kind of figure; layer shows how one layer works; auto depends on the encoding", headFigures)
	o.layersFlag(c, cmd, f)
	term.Flag(f, &o.Contours, "contours", "LIST",
		"percentages of a head's attention that its contours hold (default: 50 with the heads before the first step, else "+
			"50,90)", term.Listed(share))
	term.Choice(f, &o.Mass, "mass", masses.Default(), "HOW",
		"contours of the Gaussian in the plane (analytic), or of the softmax over the tokens (grid)", masses)
	o.attention.flags(f, ", for maps and --mass grid; maps take several")
	o.Average = average
	f.Number(&o.Average, "average", "N",
		"average maps that depend on the image over the first N test images (default: 100)", 1)
	refs.DataFlag(f, &o.Data)
	f.Boolean(&o.Null, "null", "",
		"also draw the heads before the first step: contours lightly, maps in a section of their own (default: contours, "+
			"without --contours and --mass, if the run has its start)")
	f.Boolean(&o.Animate, "animate", "", "draw the epochs of the run as an animation, a .gif")
	f.Number(&o.FPS, "fps", "N", "with --animate: frames per second (default: 12)", 1)
	f.Number(&o.Trail, "trail", "N", "with --animate: length of the centers' paths in epochs (default: all)", 1)
	f = term.FlagsIn(cmd.Flags(), "Output")
	o.Options.Flags(f, "figure to write", "figures/heads.svg in the run")
	return cmd
}

// arguments parses the reference and the files.
func (o *headsOptions) arguments(cmd *cobra.Command, args []string) error {
	if o.Animate {
		o.Formats = []string{"gif"}
	}
	args = o.TakeFiles(args)
	o.Refs = args
	return refs.Arguments(1<<20)(cmd, args)
}

// each draws the figures of several runs.
func (o headsOptions) each(ctx context.Context, c *term.Console) error {
	paths, err := refs.Checkpoints(c, o.Refs, headFigures.Find(o.Figure).need)
	if err != nil {
		return err
	}
	each := make([]headsOptions, len(paths))
	for i, path := range paths {
		each[i] = o
		each[i].Options = o.Options.Of(refs.NameOf(c, path))
		if err := each[i].Options.Check(); err != nil {
			return err
		}
	}
	return c.EachOf(len(paths), func(c *term.Console, i int) error {
		if i > 0 && !c.JSON {
			c.Print("\n")
		}
		return each[i].draw(ctx, c, paths[i])
	})
}

// draw draws the figure, or the animation, of the run that a reference names.
func (o headsOptions) draw(ctx context.Context, c *term.Console, ref string) error {
	if o.Animate {
		return animate(c, o, ref)
	}
	return drawHeads(ctx, c, o, ref)
}

func (o *headsOptions) check() error {
	for _, ref := range o.Refs { // of a format that is not allowed, else TakeFiles had taken it
		if ext := strings.TrimPrefix(filepath.Ext(ref), "."); slices.Contains(append(viz.Formats, "gif"), ext) {
			return term.Usagef("", "%s: want a name that ends with .%s", ref, strings.Join(o.Allowed(), ", ."))
		}
	}
	switch {
	case !o.Animate && (o.FPS > 0 || o.Trail > 0):
		return term.Usagef("", "--fps and --trail need --animate")
	case len(o.Refs) > 1 && o.ToStdout():
		return term.Usagef("name a file", "%d runs: only one figure can go to standard output", len(o.Refs))
	case o.Animate && o.ToStdout():
		return term.Usagef("", "-o -: an animation needs a file")
	case o.Null && o.Figure == "layer":
		return term.Usagef("", "--null is for contours and maps")
	}
	return o.Options.Check()
}

// checkContours refuses flags that do not apply to contours.
func (o *headsOptions) checkContours() error {
	switch {
	case len(o.Query) > 0 && o.Mass != "grid":
		return term.Usagef("in the plane a head's contour is the same for every query; --figure maps takes queries",
			"--query needs --mass grid")
	case len(o.Query) > 1:
		return term.Usagef("", "--query: a figure of contours has one query, not %d", len(o.Query))
	case o.Zoom > 0 || o.Sort != viz.Sorts.Default() || o.Raw || o.Part != figures.Parts.Default() ||
		o.Average != average:
		return term.Usagef("", "--zoom, --sort, --score, --raw and --average are for maps: --figure maps")
	}
	return nil
}

func drawHeads(ctx context.Context, c *term.Console, o headsOptions, ref string) error {
	kind := headFigures.Find(o.Figure)
	m, err := refs.LoadModel(c, ref, kind.need)
	if err != nil {
		return err
	}
	if gaussians, _ := m.Net.Heads(); gaussians == nil && !m.Net.Attends() {
		return term.Usagef("plot-curves draws how it learned", "%s: a %s has no heads", m.Path, m.Net.Spec.Kind)
	}
	o.about = func() (string, error) { return whereHeadsLook(ctx, c, m) }
	return kind.draw(c, m, o)
}

// drawUsual draws the figure that suits the encoding.
func drawUsual(c *term.Console, m *trained.Model, o headsOptions) error {
	if gaussians, _ := m.Net.Heads(); gaussians == nil {
		c.Note("encoding %s: drawing attention maps of its heads", m.Net.Spec.EncodingName())
		return drawAverages(c, m, o)
	}
	c.Note("encoding %s: drawing contours of its Gaussian heads", m.Net.Spec.EncodingName())
	return drawContours(c, m, o)
}

func drawAverages(c *term.Console, m *trained.Model, o headsOptions) error {
	if o.Contours != nil || o.Mass != masses.Default() {
		return term.Usagef("", "--contours and --mass are for Gaussian heads: --figure contours")
	}
	about, err := o.about()
	if err != nil {
		return err
	}
	of := mapsOptions{Options: o.Options, attention: o.attention, Data: o.Data, Null: o.Null, about: about}
	return drawMeanMaps(c, m, of, o.Average)
}

func drawContours(c *term.Console, m *trained.Model, o headsOptions) error {
	layers, err := o.gaussians(m)
	if err != nil {
		return err
	}
	if err := o.checkContours(); err != nil {
		return err
	}
	v := o.contours(m.Net.Spec)
	if err := o.addStart(&v, m); err != nil {
		return term.NameFlag(err)
	}
	figure, err := viz.Heads(layers, v)
	if err != nil {
		return term.NameFlag(err)
	}
	return o.finish(c, m, figure, "heads.svg", layers)
}

// drawLayer draws how the first of the layers works.
func drawLayer(c *term.Console, m *trained.Model, o headsOptions) error {
	layers, err := o.gaussians(m)
	if err != nil {
		return err
	}
	weights := heads.Weights(m.Net, layers[0].Number-1)
	figure, err := viz.Shifts(layers[0], viz.ShiftsOptions{Weights: weights, Width: o.Width})
	if err != nil {
		return term.NameFlag(err)
	}
	return o.finish(c, m, figure, "layer.svg", layers[:1])
}

// gaussians returns the Gaussian heads of --layers.
func (o *headsOptions) gaussians(m *trained.Model) ([]viz.Layer, error) {
	all, _ := m.Net.Heads()
	if all == nil {
		return nil, term.Usagef("--figure maps draws any attention", "%s: encoding %s has no Gaussian heads",
			m.Path, m.Net.Spec.EncodingName())
	}
	return o.layersOf(all)
}

// finish writes a figure of layers and prints their heads. own is its name in the folder of the run.
func (o *headsOptions) finish(c *term.Console, m *trained.Model, figure *viz.Figure, own string,
	layers []viz.Layer) error {
	_, isotropic := m.Net.Heads()
	figure.Source, figure.Caption = m.Source(), m.Caption()
	about, err := o.about()
	if err != nil {
		return err
	}
	text := about + "\n" + figures.HeadText(layers, isotropic, m.Net.Spec, c.OutWidth())
	return o.Finish(c, figure, output.Own(m.Path, own), text, func(files []string) any {
		return HeadFigures{V: 1, Files: files, Heads: figures.HeadDocuments(layers, isotropic)}
	})
}

// whereHeadsLook is a paragraph on the heads of a run; "" where the weights do not say, or nobody reads it.
func whereHeadsLook(ctx context.Context, c *term.Console, m *trained.Model) (string, error) {
	if c.JSON {
		return "", nil
	}
	_, text, err := m.Summarize(ctx)
	if err != nil || text == "" {
		return "", ctx.Err()
	}
	return "\n" + c.Paragraph(text), nil
}

// addStart adds the layers before the first step to the figure: with --null and, if the run has them, by default, which
// is then contours of half of a head's attention.
func (o *headsOptions) addStart(v *viz.HeadsOptions, m *trained.Model) error {
	usual := !o.Null && o.Contours == nil && o.Mass == masses.Default()
	if !o.Null && !usual {
		return nil
	}
	heads, err := m.InitialHeads()
	if usual && (err != nil || heads == nil) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("--null: %w", err)
	}
	if usual {
		v.Contours = []float64{0.5}
	}
	v.Null, err = o.layersOf(heads)
	return err
}

func (o *headsOptions) contours(spec model.Spec) viz.HeadsOptions {
	v := viz.HeadsOptions{Contours: o.Contours, Width: o.Width}
	if o.Mass == "grid" {
		v.Grid = viz.Middle(spec.Grid().Rows, spec.Grid().Cols)
		if len(o.Query) == 1 {
			v.Grid.Query = o.Query[0]
		}
	}
	return v
}

// share reads a percentage.
func share(text string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || !(x > 0 && x < 100) {
		return 0, errors.New("want percentages between 0 and 100, such as 50,90")
	}
	return x / 100, nil
}

// animate draws the heads of a run, epoch by epoch.
func animate(c *term.Console, o headsOptions, ref string) error {
	dir, err := refs.OpenRun(c, ref, refs.NeedCenters)
	if err != nil {
		return err
	}
	defer dir.Close()
	config, err := configs.Of(dir)
	if err != nil {
		return err
	}
	numbers, err := o.numbers(len(config.Model.Blocks()))
	if err != nil {
		return err
	}
	snapshots, err := figures.Snapshots(dir, numbers)
	if err != nil {
		return o.flagged(err)
	}
	if len(snapshots) == 0 {
		return term.Usagef("", "%s: no heads to animate: the run's model has no Gaussian heads", dir.Path)
	}
	v := o.contours(config.Model)
	if o.Null {
		v.Null = snapshots[0].Layers
	}
	a, err := figures.Paths(dir, snapshots, viz.AnimateOptions{HeadsOptions: v, Trail: o.Trail, FPS: float64(o.FPS)})
	if err != nil {
		return term.NameFlag(err)
	}
	a.Title = o.Title
	a.Source, a.Caption = o.Captions(a.Source, a.Caption)
	encode := func(_ string, out viz.Output) ([]byte, error) { return a.Encode(out) }
	files, err := o.WriteAll(c, encode, a.Data, filepath.Join(dir.Path, "figures", "heads.gif"))
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s to %s in %d frames\n", snapshots[0].Title, snapshots[len(snapshots)-1].Title, len(a.Frames))
	return c.ShowFiles(files, text, Animation{V: 1, Files: files, Epochs: len(snapshots),
		Frames: len(a.Frames)})
}
