package viz

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/posenc/geometry"
)

// A Layer is the heads of a layer; Number counts from 1.
type Layer struct {
	Number int
	Heads  []geometry.Head
}

// Layers numbers the heads of each layer from layer 1 on, such as those of model.Network.Heads. Layers without heads
// are left out.
func Layers(heads [][]geometry.Head) (layers []Layer) {
	for i, own := range heads {
		if len(own) > 0 {
			layers = append(layers, Layer{Number: i + 1, Heads: own})
		}
	}
	return layers
}

// HeadsOptions say how Heads draws. The zero value is the paper's figure.
type HeadsOptions struct {
	Contours []float64 // masses: the first contour is solid, the others dotted; nil: 0.5 and 0.9
	Frame    float64   // reach of the frame from the query, in tokens; 0: that of the heads, from 4.5 to 8.5
	Grid     Grid      // if set, contours are of the softmax on this image, not of the Gaussian in the plane
	Width    float64   // of the figure; 0: 8 cm per layer, up to three side by side
	Null     []Layer   // the same heads before training, drawn in gray; colors then say what changed; nil: not drawn

	steady bool // for animations: the number of a head is always at the lowest point of its contour
}

// Heads draws the heads of Gaussian layers side by side, as in Figures 4 and 12 of the paper: around the query (a gray
// square), the contours that contain 50 % (solid) and 90 % (dotted) of a head's attention, and its number. A head whose
// center is outside of the frame is an arrow with its coordinates. Heads whose solid contour is outside of the frame,
// and uniform heads, are listed. On an image contours are clipped to it.
func Heads(layers []Layer, o HeadsOptions) (*Figure, error) {
	if err := o.fill(layers); err != nil {
		return nil, err
	}
	notes := make([]string, len(layers))
	for i, layer := range layers {
		notes[i] = o.unseen(layer.Heads)
	}
	l := newLayout(len(layers), o.Width, leastPanel, o.legend(layers), 0, notes...)
	return &Figure{
		Width: l.width, Height: l.height, Alt: headsAlt(layers, o), Data: headsTable(layers, o),
		Drawing: func(c draw.Canvas, t *Theme) {
			l.words(c, t)
			for i, box := range l.boxes {
				f := o.frame(box)
				l.frame(c, t, f, i, fmt.Sprintf("layer %d", layers[i].Number))
				drawHeads(c, o.compared(c, t, f, i, layers[i].Heads), f, layers[i].Heads, o)
			}
		},
	}, nil
}

// leastPanel is the smallest width of a layer's panel in which its numbers are legible, in cm.
const leastPanel = 4.1

// fill sets defaults, and returns an error for what cannot be drawn.
func (o *HeadsOptions) fill(layers []Layer) error {
	if len(layers) == 0 {
		return fault.Usagef("no layers to draw")
	}
	if len(o.Contours) == 0 {
		o.Contours = []float64{0.5, 0.9}
	}
	for _, m := range o.Contours {
		if !(m > 0 && m < 1) {
			return fault.Usagef("a contour that contains %v of the attention: want more than 0 and less than 1", m)
		}
	}
	if o.Grid != (Grid{}) {
		if err := o.Grid.check(); err != nil {
			return err
		}
	}
	if o.Null != nil && !alike(o.Null, layers) {
		return fault.Usagef("the heads before training are not those of the same layers")
	}
	if o.Frame == 0 {
		o.Frame = o.reach(layers)
	}
	return nil
}

// Limits of the default reach of the frame from the query, in tokens.
const minReach, maxReach = 4.5, 8.5

// reach returns the reach of a frame that shows the heads.
func (o *HeadsOptions) reach(layers []Layer) float64 {
	reach := minReach
	for _, l := range layers {
		for _, h := range l.Heads {
			away := max(math.Abs(h.Center[0]), math.Abs(h.Center[1]))
			if long, _ := h.Axes(o.Contours[0]); !h.Uniform() && away < maxReach {
				reach = min(maxReach, max(reach, math.Ceil(away+min(long, 2))+0.5))
			}
		}
	}
	return reach
}

// frame returns the frame of a panel: around the query, or the image with a margin.
func (o *HeadsOptions) frame(box vg.Rectangle) frame {
	g := o.Grid
	if g == (Grid{}) {
		return around(box, o.Frame)
	}
	const margin = 0.7 // tokens
	long := float64(max(g.Rows, g.Cols)) + 2*margin
	row, col := float64(g.Rows-1)/2-float64(g.Query[0]), float64(g.Cols-1)/2-float64(g.Query[1]) // middle of the image
	return frame{box, [2]float64{row - long/2, row + long/2}, [2]float64{col - long/2, col + long/2}}
}

// legend explains the lines.
func (o *HeadsOptions) legend(layers []Layer) []string {
	texts := []string{"square: the query", fmt.Sprintf("solid: contains %s of a head's attention",
		percent(o.Contours[0]))}
	if len(o.Contours) > 1 {
		texts = append(texts, "dotted: "+percents(o.Contours[1:]))
	}
	if slices.ContainsFunc(layers, func(l Layer) bool { return strings.Contains(o.unseen(l.Heads), "wide") }) {
		words := "wide: the solid contour is outside of the frame"
		if o.Grid != (Grid{}) {
			words = "wide: the solid contour would contain all tokens"
		}
		texts = append(texts, words)
	}
	if o.Null != nil {
		texts = append(texts, "thin gray: before the first step, with a line to the center now",
			"blue: narrower than then", "orange: wider")
		if o.steadyHeads(layers) {
			texts = append(texts, "thick gray: as wide, within 15 %")
		}
	}
	if g := o.Grid; g != (Grid{}) {
		texts = append(texts, fmt.Sprintf("on %d × %d tokens, query (%d, %d)", g.Rows, g.Cols, g.Query[0], g.Query[1]))
	}
	return texts
}

// unseen lists the heads of a layer without a contour in the frame.
func (o *HeadsOptions) unseen(heads []geometry.Head) string {
	f := o.frame(vg.Rectangle{})
	var wide, uniform []int
	for i, h := range heads {
		switch {
		case h.Uniform():
			uniform = append(uniform, i+1)
		case o.Grid == (Grid{}) && !f.has(h.Center[0], h.Center[1], 0): // an arrow
		case !o.area(f).shows(o.curve(h, o.Contours[0])):
			wide = append(wide, i+1)
		}
	}
	var words []string
	if wide != nil {
		words = append(words, "wide: "+runs(wide))
	}
	if uniform != nil {
		words = append(words, "uniform: "+runs(uniform))
	}
	return strings.Join(words, "   ")
}

// runs formats increasing integers, such as 1–3, 5.
func runs(numbers []int) string {
	var words []string
	for _, r := range table.Ranges(numbers) {
		switch word := fmt.Sprint(r[0]); r[1] - r[0] {
		case 0:
			words = append(words, word)
		case 1:
			words = append(words, word, fmt.Sprint(r[1]))
		default:
			words = append(words, fmt.Sprintf("%s–%d", word, r[1]))
		}
	}
	return strings.Join(words, ", ")
}

func percent(x float64) string { return fmt.Sprintf("%.4g %%", 100*x) }

// drawHeads draws the heads of one layer into its frame.
func drawHeads(c draw.Canvas, t *Theme, f frame, heads []geometry.Head, o HeadsOptions) {
	fill(c, f.token(0, 0, 1), blend(t.Ground, t.Ink, 0.25)) // a light gray, on which lines are visible
	outline(c, f.token(0, 0, 1), draw.LineStyle{Color: t.Ink, Width: t.points(lineWidth)})
	if o.Grid != (Grid{}) { // border of the image
		outline(c, o.area(f).box, draw.LineStyle{Color: t.Quiet, Width: t.points(gridWidth)})
	}
	area := o.area(f)
	names := labels{steady: o.steady}
	for i, h := range heads {
		if h.Uniform() {
			continue
		}
		near := f.has(h.Center[0], h.Center[1], 0)
		if !near && o.Grid == (Grid{}) {
			names.arrow(c, t, f, i, h.Center)
			continue
		}
		for k := len(o.Contours) - 1; k >= 0; k-- {
			area.stroke(c, curveStyle(t, i, k), o.curve(h, o.Contours[k]))
		}
		if near {
			dot(c, f.at(h.Center[0], h.Center[1]), vg.Points(0.8), t.Head(i))
		}
		if line := o.curve(h, o.Contours[0]); area.shows(line) {
			names.add(area, i, h.Center, line)
			for _, mass := range o.Contours[1:] {
				names.avoid(f, o.curve(h, mass))
			}
		}
	}
	names.draw(c, t)
}

// changes returns a color for each head: blue if it is narrower than before, orange if it is wider, else quiet.
func (t *Theme) changes(before, now []geometry.Head) (colors []color.NRGBA) {
	for i := range now {
		switch change := widened(before[i], now[i]); {
		case change < 0:
			colors = append(colors, t.Head(0))
		case change > 0:
			colors = append(colors, t.Head(1))
		default:
			colors = append(colors, t.Quiet)
		}
	}
	return colors
}

// widened returns the binary logarithm of how many times as wide a head is as before, or 0 for less than 15 %.
func widened(before, now geometry.Head) float64 {
	const least = 0.2
	long, short := now.Axes(0.5)
	long0, short0 := before.Axes(0.5)
	change := math.Log2(long*short/long0/short0) / 2
	if math.Abs(change) <= least {
		return 0
	}
	return change
}

// steadyHeads reports whether a head is drawn that is as wide as before.
func (o *HeadsOptions) steadyHeads(layers []Layer) bool {
	for i, l := range layers {
		for k, h := range l.Heads {
			if !h.Uniform() && widened(o.Null[i].Heads[k], h) == 0 {
				return true
			}
		}
	}
	return false
}

// compared draws how the heads of layer i were before training, if Null has them, and returns the theme that colors the
// heads by their change.
func (o *HeadsOptions) compared(c draw.Canvas, t *Theme, f frame, i int, now []geometry.Head) *Theme {
	if o.Null == nil {
		return t
	}
	o.drawNull(c, t, f, o.Null[i].Heads, now)
	changed := *t
	changed.Heads = t.changes(o.Null[i].Heads, now)
	return &changed
}

// drawNull draws heads before training, with lines to their centers now.
func (o *HeadsOptions) drawNull(c draw.Canvas, t *Theme, f frame, before, now []geometry.Head) {
	gray := blend(t.Ground, t.Quiet, 0.5)
	line := draw.LineStyle{Color: gray, Width: t.points(leaderWidth)}
	area := o.area(f)
	for i, h := range before {
		if h.Uniform() {
			continue
		}
		area.stroke(c, line, o.curve(h, o.Contours[0]))
		if !now[i].Uniform() {
			f.stroke(c, line, [][2]float64{h.Center, now[i].Center})
		}
		if f.has(h.Center[0], h.Center[1], 0) {
			dot(c, f.at(h.Center[0], h.Center[1]), vg.Points(1.3), gray)
		}
	}
}

// area returns the area of a frame in which contours are drawn: all of it, or the image.
func (o *HeadsOptions) area(f frame) frame {
	g := o.Grid
	if g == (Grid{}) {
		return f
	}
	r0, c0 := -float64(g.Query[0])-0.5, -float64(g.Query[1])-0.5
	r1, c1 := r0+float64(g.Rows), c0+float64(g.Cols)
	return frame{vg.Rectangle{Min: f.at(r1, c0), Max: f.at(r0, c1)}, [2]float64{r0, r1}, [2]float64{c0, c1}}
}

// curve returns the contour of a head with the given mass, relative to the query; nil if it would contain a whole
// image.
func (o *HeadsOptions) curve(h geometry.Head, mass float64) [][2]float64 {
	const points = 360
	if o.Grid != (Grid{}) {
		return on(h, o.Grid, mass, points)
	}
	return contour(h, mass, points)
}

func curveStyle(t *Theme, head, contour int) draw.LineStyle {
	st := draw.LineStyle{Color: t.Head(head), Width: t.points(lineWidth)}
	if contour > 0 {
		st.Dashes = []vg.Length{vg.Points(1), vg.Points(2)}
	}
	return st
}

func headsAlt(layers []Layer, o HeadsOptions) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Attention heads relative to the query, with contours that contain %s.", percents(o.Contours))
	for _, l := range layers {
		fmt.Fprintf(&b, " Layer %d:", l.Number)
		for i, h := range l.Heads {
			if h.Uniform() {
				fmt.Fprintf(&b, " %d uniform;", i+1)
			} else {
				fmt.Fprintf(&b, " %d at %s;", i+1, place(h.Center))
			}
		}
	}
	return strings.TrimSuffix(b.String(), ";") + ". Centers are (row, column)."
}

// place formats (row, column) with one decimal.
func place(p [2]float64) string {
	tenth := func(x float64) float64 { return math.Round(10*x)/10 + 0 } // + 0: no -0
	return fmt.Sprintf("(%.1f, %.1f)", tenth(p[0]), tenth(p[1]))
}

func percents(masses []float64) string {
	var words []string
	for _, m := range masses {
		words = append(words, percent(m))
	}
	return strings.Join(words, " and ")
}

// headsTable has a line per head and contour.
func headsTable(layers []Layer, o HeadsOptions) Table {
	t := Table{Columns: []string{"layer", "head", "row", "column", "mass", "long_axis", "short_axis", "angle", "drawn"}}
	f := o.frame(vg.Rectangle{})
	if o.Grid != (Grid{}) {
		t.Columns = slices.Concat(t.Columns[:5], []string{"holds", "tokens", "drawn"})
	}
	for _, l := range layers {
		for i, h := range l.Heads {
			drawn := "contour"
			switch {
			case h.Uniform():
				drawn = "listed"
			case o.Grid == (Grid{}) && !f.has(h.Center[0], h.Center[1], 0):
				drawn = "arrow"
			}
			for _, mass := range o.Contours {
				long, short := h.Axes(mass)
				shape := []any{long, short, h.Angle()}
				if o.Grid != (Grid{}) {
					r := densest(probabilities(h, o.Grid), mass)
					shape = []any{r.Mass, r.Tokens}
				}
				t.add(slices.Concat([]any{l.Number, i + 1, h.Center[0], h.Center[1], mass}, shape, []any{drawn})...)
			}
		}
	}
	return t
}
