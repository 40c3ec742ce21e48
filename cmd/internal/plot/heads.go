// Package plot is the commands plot-heads, plot-maps and plot-curves.
package plot

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/cmd/internal/output"
	"github.com/attnconv/attnconv/figures"
	"github.com/attnconv/attnconv/heads"
	"github.com/attnconv/attnconv/internal/choice"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/study"
	"github.com/attnconv/attnconv/viz"
)

// headsOptions holds the flags and arguments of `attnconv plot-heads`.
type headsOptions struct {
	output.Options
	attention
	Ref      string
	Mass     string
	Contours []float64
	Figure   string
	Average  int
	Null     bool

	Animate bool
	FPS     int
	Trail   int
}

// average is the default number of test images that maps are averaged over, that of the paper.
const average = 100

// ofRun says where the data set of a figure comes from.
const ofRun = "a figure has the data set of its run"

// Values of --mass and --figure.
var (
	masses      = choice.List[choice.Word]{"analytic", "grid"}
	headFigures = choice.List[choice.Word]{"auto", "contours", "maps", "layer"}
)

// NewHeads returns the command plot-heads.
func NewHeads(c *cli.Console) *cobra.Command {
	o := headsOptions{}
	cmd := &cobra.Command{
		Use:   "plot-heads [CKPT|RUN] [FILE] [flags]",
		Short: "Draw where the heads attend",
		Long: "Draw where the heads of each layer attend, and print their parameters. Quadratic\n" +
			"models get contours that hold half and nine tenths of a head's attention, others\n" +
			"attention maps. --animate shows how the heads moved in training. The default is\n" +
			"the latest run that has heads (attnconv help references).",
		Example: `attnconv plot-heads run.ckpt
attnconv plot-heads latest -o heads.svg -o heads.png --layers 1-3
attnconv plot-heads k3f9 --mass grid --query 0,0 --values heads.csv
attnconv plot-heads latest --animate heads.gif --layers 4 --fps 24
attnconv plot-heads k3f9 --null --title "Nine heads" --width 8.4 -o heads.pdf
attnconv plot-heads learned.ckpt --zoom 7 --sort peak
attnconv plot-heads k3f9 --figure layer --layers 2
attnconv plot-heads k3f9 --json`,
		ValidArgsFunction: c.CompleteRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.arguments(cmd, args); err != nil {
				return err
			}
			if err := o.check(); err != nil {
				return err
			}
			if o.Animate {
				return animate(c, o)
			}
			return drawHeads(c, o)
		},
	}
	f := cli.FlagsIn(cmd.Flags(), "Figure")
	f.Text(&o.Figure, "figure", headFigures.Default(), "KIND",
		"kind of figure; layer shows how one layer works; auto depends on the encoding", headFigures.Completions())
	o.layersFlag(c, cmd, f)
	cli.Flag(f, &o.Contours, "contours", "LIST",
		"percentages of a head's attention that its contours hold (default: 50,90)", cli.Listed(share))
	f.Text(&o.Mass, "mass", masses.Default(), "HOW",
		"contours of the Gaussian in the plane (analytic), or of the softmax over the tokens (grid)", masses.Completions())
	o.attention.flags(f, ", for maps and --mass grid; maps take several")
	o.Average = average
	f.Number(&o.Average, "average", "N",
		"average maps that depend on the image over the first N test images (default: 100)", 1)
	f.Boolean(&o.Null, "null", "", "also draw the heads before the first step: contours lightly, maps in a section of their own")
	f.Boolean(&o.Animate, "animate", "", "draw the epochs of the run as an animation, a .gif")
	f.Number(&o.FPS, "fps", "N", "with --animate: frames per second (default: 12)", 1)
	f.Number(&o.Trail, "trail", "N", "with --animate: length of the centers' paths in epochs (default: all)", 1)
	f = cli.FlagsIn(cmd.Flags(), "Output")
	o.Options.Flags(f, "figure to write", "figures/heads.svg in the run")
	o.DataFlag(c, f, ofRun)
	return cmd
}

// arguments parses the reference and the files.
func (o *headsOptions) arguments(cmd *cobra.Command, args []string) error {
	if o.Animate {
		o.Formats = []string{"gif"}
	}
	args = o.TakeFiles(args)
	if err := cli.Arguments(1)(cmd, args); err != nil {
		return err
	}
	if len(args) == 1 {
		o.Ref = args[0]
	}
	return nil
}

func (o *headsOptions) check() error {
	switch {
	case !masses.Has(o.Mass):
		return masses.Check("--mass", o.Mass)
	case !o.Animate && (o.FPS > 0 || o.Trail > 0):
		return cli.Usagef("", "--fps and --trail need --animate")
	case o.Animate && o.ToStdout():
		return cli.Usagef("", "-o -: an animation needs a file")
	case o.Null && (o.Animate || o.Figure == "layer"):
		return cli.Usagef("", "--null is for contours and maps")
	case !headFigures.Has(o.Figure):
		return headFigures.Check("--figure", o.Figure)
	}
	return errors.Join(o.attention.check(), o.Options.Check())
}

// checkContours refuses flags that do not apply to contours.
func (o *headsOptions) checkContours() error {
	switch {
	case len(o.Query) > 0 && o.Mass != "grid":
		return cli.Usagef("in the plane a head's contour is the same for every query; --figure maps takes queries, too",
			"--query needs --mass grid")
	case len(o.Query) > 1:
		return cli.Usagef("", "--query: a figure of contours has one query, not %d", len(o.Query))
	case o.Zoom > 0 || o.Sort != viz.Sorts.Default() || o.Raw || o.Part != figures.Parts.Default() || o.Average != average:
		return cli.Usagef("", "--zoom, --sort, --score, --raw and --average are for maps: --figure maps")
	}
	return nil
}

func drawHeads(c *cli.Console, o headsOptions) error {
	m, err := c.LoadModel(o.Ref, o.need())
	if err != nil {
		return err
	}
	gaussians, isotropic := m.Net.Heads()
	if !m.Net.Attends() {
		return cli.Usagef("plot-curves draws how it learned", "%s: a %s has no heads", m.Path, m.Net.Spec.Kind)
	}
	if o.Figure == "auto" {
		what := "contours of its Gaussian heads"
		if o.Figure = "contours"; gaussians == nil {
			o.Figure, what = "maps", "attention maps of its heads"
		}
		c.Note("encoding %s: drawing %s", m.Net.Spec.EncodingName(), what)
	}
	if o.Figure == "maps" {
		if o.Contours != nil || o.Mass != masses.Default() {
			return cli.Usagef("", "--contours and --mass are for Gaussian heads: --figure contours")
		}
		maps := mapsOptions{Options: o.Options, attention: o.attention, Null: o.Null}
		return drawMeanMaps(c, m, maps, o.Average)
	}
	if gaussians == nil {
		return cli.Usagef("--figure maps draws any attention", "%s: encoding %s has no Gaussian heads",
			m.Path, m.Net.Spec.EncodingName())
	}
	layers, err := o.layersOf(gaussians)
	if err != nil {
		return err
	}
	var figure *viz.Figure
	own := "heads.svg"
	if o.Figure == "layer" {
		own, layers = "layer.svg", layers[:1]
		weights := heads.Weights(m.Net, layers[0].Number-1)
		figure, err = viz.Shifts(layers[0], viz.ShiftsOptions{Weights: weights, Width: o.Width})
	} else if err = o.checkContours(); err == nil {
		v := o.contours(m.Net.Spec)
		if v.Null, err = o.null(m); err == nil {
			figure, err = viz.Heads(layers, v)
		}
	}
	if err != nil {
		return output.CannotDraw(err)
	}
	figure.Source, figure.Caption = m.Source(), m.Caption()
	text := "\n" + figures.HeadText(layers, isotropic, m.Net.Spec.Pool, c.OutWidth())
	return o.Finish(c, figure, output.Own(m.Path, own), text, func(files []string) any {
		return report.HeadFigures{V: 1, Files: files, Heads: figures.HeadDocuments(layers, isotropic)}
	})
}

// null returns the layers before the first step, or nil without --null.
func (o *headsOptions) null(m *session.Model) ([]viz.Layer, error) {
	if !o.Null {
		return nil, nil
	}
	heads, err := m.InitialHeads()
	if err != nil {
		return nil, err
	}
	return o.layersOf(heads)
}

func (o *headsOptions) need() study.Need {
	if o.Animate || o.Figure == "contours" || o.Figure == "layer" {
		return study.NeedCenters
	}
	return study.NeedHeads
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
