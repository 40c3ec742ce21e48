package viz

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/internal/fault"
)

// A Snapshot is the heads of all layers at one moment of training.
type Snapshot struct {
	Title  string // such as "epoch 12"
	Layers []Layer
}

// AnimateOptions say how Animate draws.
type AnimateOptions struct {
	HeadsOptions
	Trail   int     // length of the path of a center, in snapshots; 0: all
	Between int     // interpolated frames between two snapshots; 0: so many that the animation takes about six seconds
	FPS     float64 // frames per second; 0: 12
}

// An Animation is a sequence of figures.
type Animation struct {
	Title, Source, Caption string // of every frame, as a Figure's

	Frames  []*Figure
	FPS     float64                      // frames per second
	Begin   int                          // hundredths of a second that the first frame stays longer
	Palette func(t *Theme) []color.NRGBA // besides the ground and the grays; nil: shades of the heads' colors
	Data    Table                        // the plotted values
}

// Animate draws the movement of heads during training, of which Figure 3 of the paper shows some moments: the first
// contour of each head, and the path of its center. All snapshots must have the same layers and heads.
func Animate(snapshots []Snapshot, o AnimateOptions) (*Animation, error) {
	if len(snapshots) == 0 {
		return nil, fault.Usagef("no snapshots to draw")
	}
	var all []Layer
	for _, s := range snapshots {
		if !alike(s.Layers, snapshots[0].Layers) {
			return nil, fault.Usagef("%s and %s do not have the same layers and heads", snapshots[0].Title, s.Title)
		}
		all = append(all, s.Layers...)
	}
	if o.FPS == 0 {
		o.FPS = 12
	}
	if !(o.FPS >= 1 && o.FPS <= 50) {
		return nil, fault.Usagef("%v frames a second: want 1 to 50", o.FPS)
	}
	if o.Between == 0 {
		o.Between = max(1, int(math.Round(6*o.FPS/float64(max(1, len(snapshots)-1))))) - 1
	}
	if o.Trail == 0 {
		o.Trail = len(snapshots)
	}
	if len(o.Contours) == 0 {
		o.Contours = []float64{0.5}
	}
	if o.steady = true; o.Null != nil {
		o.Null = slices.Repeat(o.Null, len(snapshots)) // as many layers as all snapshots have
	}
	if err := o.fill(all); err != nil { // the same frame for all moments
		return nil, err
	}
	legend := o.legend(all)
	a := &Animation{FPS: o.FPS, Data: snapshotsTable(snapshots)}
	for i := range snapshots {
		for k := range o.Between + 1 {
			if k > 0 && i+1 == len(snapshots) {
				break
			}
			a.Frames = append(a.Frames, o.moment(snapshots, i, float64(k)/float64(o.Between+1), legend))
		}
	}
	return a, nil
}

// alike reports whether a and b have the same layers, with the same number of heads.
func alike(a, b []Layer) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Number != b[i].Number || len(a[i].Heads) != len(b[i].Heads) {
			return false
		}
	}
	return true
}

// moment draws the heads a fraction of the way from snapshot i to the next.
func (o *AnimateOptions) moment(snapshots []Snapshot, i int, fraction float64, legend []string) *Figure {
	now := snapshots[i].Layers
	if fraction > 0 {
		now = interpolate(now, snapshots[i+1].Layers, fraction)
	}
	const foot = 0.7
	notes := make([]string, len(now))
	for n := range now {
		notes[n] = o.unseen(now[n].Heads)
	}
	l := newLayout(len(now), o.Width, leastPanel, legend, foot)
	l.notes = notes // set after the layout, so that panels do not move when notes change
	return &Figure{Width: l.width, Height: l.height, Drawing: func(c draw.Canvas, t *Theme) {
		l.words(c, t)
		clock(c, t, cm(foot), snapshots[i].Title, (float64(i)+fraction)/float64(max(1, len(snapshots)-1)))
		for n, box := range l.boxes {
			f := o.frame(box)
			l.frame(c, t, f, n, fmt.Sprintf("layer %d", now[n].Number))
			t := o.compared(c, t, f, n, now[n].Heads)
			for h, head := range now[n].Heads {
				var path [][2]float64
				for _, s := range snapshots[max(0, i-o.Trail) : i+1] {
					path = append(path, s.Layers[n].Heads[h].Center)
				}
				st := draw.LineStyle{Color: blend(t.Ground, t.Head(h), 0.45), Width: t.points(lineWidth)}
				f.stroke(c, st, append(path, head.Center))
			}
			drawHeads(c, t, f, now[n].Heads, o.HeadsOptions)
		}
	}}
}

// clock draws the moment at the bottom of the page, in words and on a time line.
func clock(c draw.Canvas, t *Theme, height vg.Length, title string, fraction float64) {
	from := vg.Point{X: c.Min.X + cm(marginLeft+2.2), Y: c.Min.Y + height/2}
	to := vg.Point{X: c.Max.X - cm(marginRight+0.1), Y: from.Y}
	now := from.Add(to.Sub(from).Scale(vg.Length(fraction)))
	write(c, t.Text(titleSize, t.Ink), vg.Point{X: c.Min.X + cm(marginLeft), Y: from.Y}, left, center, title)
	c.StrokeLines(draw.LineStyle{Color: t.Faint, Width: vg.Points(3)}, []vg.Point{from, to})
	c.StrokeLines(draw.LineStyle{Color: t.Quiet, Width: vg.Points(3)}, []vg.Point{from, now})
	dot(c, now, vg.Points(3.5), t.Ink)
}

// interpolate returns heads a fraction of the way from a to b.
func interpolate(a, b []Layer, fraction float64) []Layer {
	layers := make([]Layer, len(a))
	for i := range a {
		layers[i].Number = a[i].Number
		for j, from := range a[i].Heads {
			to := b[i].Heads[j]
			h := from
			for k := range 2 {
				h.Center[k] += fraction * (to.Center[k] - from.Center[k])
			}
			for k := range 4 {
				x, y := from.Precision[k/2][k%2], to.Precision[k/2][k%2]
				h.Precision[k/2][k%2] = x + fraction*(y-x)
			}
			layers[i].Heads = append(layers[i].Heads, h)
		}
	}
	return layers
}

// Encode returns the animation as a GIF that loops for ever, with a pause at its end. The same animation gives the same
// bytes.
func (a *Animation) Encode(o Output) ([]byte, error) {
	t, err := findTheme(o.Theme)
	if err != nil {
		return nil, err
	}
	if o.DPI == 0 {
		o.DPI = 96
	}
	palette := a.Palette
	if palette == nil {
		palette = headShades
	}
	colors := newColors(t, palette(t))
	out := &gif.GIF{}
	var before *image.Paletted
	for i, f := range a.Frames {
		f.Title, f.Source, f.Caption = a.Title, a.Source, a.Caption
		now := colors.reduce(f.raster(o.DPI, t).Image())
		delay := int(math.Round(100 / a.FPS))
		if i == 0 {
			delay += a.Begin
		}
		if i+1 == len(a.Frames) {
			delay = 200
		}
		out.Image = append(out.Image, changed(before, now))
		out.Delay = append(out.Delay, delay)
		out.Disposal = append(out.Disposal, gif.DisposalNone)
		before = now
	}
	if before == nil {
		return nil, fault.Usagef("an animation without frames: want one of Animate")
	}
	bounds := before.Bounds()
	out.Config = image.Config{ColorModel: colors.palette, Width: bounds.Dx(), Height: bounds.Dy()}
	var b bytes.Buffer
	err = gif.EncodeAll(&b, out)
	return b.Bytes(), err
}

// changed returns the pixels of now that differ from before, on a transparent ground: a small image if little moves.
func changed(before, now *image.Paletted) *image.Paletted {
	if before == nil {
		return now
	}
	var area image.Rectangle
	for y := now.Rect.Min.Y; y < now.Rect.Max.Y; y++ {
		for x := now.Rect.Min.X; x < now.Rect.Max.X; x++ {
			if now.ColorIndexAt(x, y) != before.ColorIndexAt(x, y) {
				area = area.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if area.Empty() {
		area = image.Rect(0, 0, 1, 1)
	}
	diff := image.NewPaletted(area, now.Palette)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			if i := now.ColorIndexAt(x, y); i != before.ColorIndexAt(x, y) {
				diff.SetColorIndex(x, y, i)
			}
		}
	}
	return diff
}

// colors is the palette of a GIF, at most 256: transparent, the theme's ground, its grays, and others.
type colors struct {
	palette color.Palette
	index   map[color.RGBA]uint8
}

func newColors(t *Theme, others []color.NRGBA) *colors {
	c := &colors{palette: color.Palette{color.RGBA{}, t.Ground}, index: map[color.RGBA]uint8{}}
	for _, col := range append(shadesTo(t, t.Ink, 30), others...) {
		c.palette = append(c.palette, col)
	}
	return c
}

// shadesTo returns n shades from the ground, which is not among them, to a color.
func shadesTo(t *Theme, to color.NRGBA, n int) (list []color.NRGBA) {
	for i := 1; i <= n; i++ {
		list = append(list, blend(t.Ground, to, float64(i)/float64(n)))
	}
	return list
}

// headShades returns shades of every head's color on the ground.
func headShades(t *Theme) (list []color.NRGBA) {
	for h := range 16 {
		list = append(list, shadesTo(t, t.Head(h), 14)...)
	}
	return list
}

// reduce maps every pixel to the nearest color of the palette.
func (c *colors) reduce(img image.Image) *image.Paletted {
	out := image.NewPaletted(img.Bounds(), c.palette)
	for y := out.Rect.Min.Y; y < out.Rect.Max.Y; y++ {
		for x := out.Rect.Min.X; x < out.Rect.Max.X; x++ {
			col := color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
			i, known := c.index[col]
			if !known {
				i = uint8(1 + c.palette[1:].Index(col))
				c.index[col] = i
			}
			out.SetColorIndex(x, y, i)
		}
	}
	return out
}

func snapshotsTable(snapshots []Snapshot) Table {
	t := Table{Columns: []string{
		"moment", "layer", "head", "row", "column", "precision_rr", "precision_rc", "precision_cc",
	}}
	for _, s := range snapshots {
		for _, l := range s.Layers {
			for i, h := range l.Heads {
				p := h.Precision
				t.add(s.Title, l.Number, i+1, h.Center[0], h.Center[1], p[0][0], p[0][1], p[1][1])
			}
		}
	}
	return t
}
