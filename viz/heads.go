package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Layer is the heads of one layer and its number, from 1.
type Layer struct {
	Number int
	Heads  []Head
}

// HeadsOptions say how Heads draws. The zero value is the paper's figure.
type HeadsOptions struct {
	Contours []float64 // masses: the first contour solid, the others dotted; nil: 0.5 and 0.9
	Frame    float64   // how far the frame reaches from the query, in tokens; 0: as far as the heads do, from 4.5 to 8.5
	Grid     Grid      // if set, contours are those of the softmax on this image, not of the Gaussian in the plane
	Width    float64   // of the figure; 0: 8 cm a layer, up to three beside each other
	Null     []Layer   // the same heads before the first step, drawn lightly beside them; nil: not

	steady bool // numbers stay at the same place of their curves
}

// Heads draws the heads of Gaussian layers side by side, as in Figures 4 and 12 of the paper: for each the contour that
// holds half of its attention (solid) and that with nine tenths (dotted), with its number, around the query (a grey square).
// Heads whose center lies outside of the frame are arrows with their coordinates; those whose solid contour is
// wider than the frame, and uniform ones, are listed. On an image contours are cut at its edge.
func Heads(layers []Layer, o HeadsOptions) (*Figure, error) {
	if err := o.fill(layers); err != nil {
		return nil, err
	}
	notes := make([]string, len(layers))
	for i, layer := range layers {
		notes[i] = o.unseen(layer.Heads)
	}
	l := newLayout(len(layers), o.Width, leastPanel(layers), o.legend(layers), 0, notes...)
	return &Figure{
		Width: l.width, Height: l.height, Alt: headsAlt(layers, o), Data: headsTable(layers, o),
		draw: func(c draw.Canvas, t *theme) {
			l.words(c, t)
			for i, box := range l.boxes {
				f := o.frame(box)
				l.frame(c, t, f, i, fmt.Sprintf("layer %d", layers[i].Number))
				if o.Null != nil {
					o.drawNull(c, t, f, o.Null[i].Heads, layers[i].Heads)
				}
				drawHeads(c, t, f, layers[i].Heads, o)
			}
		},
	}, nil
}

// leastPanel is how wide a layer's panel must be for its numbers to be read, in cm.
func leastPanel(layers []Layer) float64 {
	if slices.ContainsFunc(layers, func(l Layer) bool { return len(l.Heads) > 9 }) {
		return 6.6
	}
	return 4.1
}

// fill puts in what was not asked for, and says what cannot be drawn.
func (o *HeadsOptions) fill(layers []Layer) error {
	if len(layers) == 0 {
		return fmt.Errorf("viz: no layers to draw")
	}
	if len(o.Contours) == 0 {
		o.Contours = []float64{0.5, 0.9}
	}
	for _, m := range o.Contours {
		if !(m > 0 && m < 1) {
			return fmt.Errorf("viz: a contour that holds %v of the attention: want more than 0 and less than 1", m)
		}
	}
	if o.Grid != (Grid{}) {
		if err := o.Grid.check(); err != nil {
			return err
		}
	}
	if o.Null != nil && !alike(o.Null, layers) {
		return fmt.Errorf("viz: the heads before the first step are not those of the same layers")
	}
	if o.Frame == 0 {
		o.Frame = o.reach(layers)
	}
	return nil
}

// nearest and widest are how far the frame reaches from the query, in tokens, unless it is asked to.
const nearest, widest = 4.5, 8.5

// reach is how far a frame must go to show the heads.
func (o *HeadsOptions) reach(layers []Layer) float64 {
	reach := nearest
	for _, l := range layers {
		for _, h := range l.Heads {
			away := max(math.Abs(h.Center[0]), math.Abs(h.Center[1]))
			if long, _ := h.Axes(o.Contours[0]); !h.Uniform() && away < widest {
				reach = min(widest, max(reach, math.Ceil(away+min(long, 2))+0.5))
			}
		}
	}
	return reach
}

// frame is the part of the plane that is shown: around the query, or the image with a little around it.
func (o *HeadsOptions) frame(box vg.Rectangle) frame {
	g := o.Grid
	if g == (Grid{}) {
		return around(box, o.Frame)
	}
	const margin = 0.7 // tokens
	long := float64(max(g.Rows, g.Cols)) + 2*margin
	row, col := float64(g.Rows-1)/2-float64(g.Query[0]), float64(g.Cols-1)/2-float64(g.Query[1]) // the image's middle
	return frame{box, [2]float64{row - long/2, row + long/2}, [2]float64{col - long/2, col + long/2}}
}

// legend says what the lines are.
func (o *HeadsOptions) legend(layers []Layer) []string {
	parts := []string{"square: the query", fmt.Sprintf("solid: holds %s of a head's attention", percent(o.Contours[0]))}
	if len(o.Contours) > 1 {
		parts = append(parts, "dotted: "+percents(o.Contours[1:]))
	}
	if slices.ContainsFunc(layers, func(l Layer) bool { return strings.Contains(o.unseen(l.Heads), "wide") }) {
		words := "wide: the solid contour is beyond the frame"
		if o.Grid != (Grid{}) {
			words = "wide: the solid contour would hold all tokens"
		}
		parts = append(parts, words)
	}
	if o.Null != nil {
		parts = append(parts, "grey: before the first step, with a line to where it is now")
	}
	if g := o.Grid; g != (Grid{}) {
		parts = append(parts, fmt.Sprintf("on %d × %d tokens, query (%d, %d)", g.Rows, g.Cols, g.Query[0], g.Query[1]))
	}
	return parts
}

// unseen lists the heads of a layer that have no contour in the frame, in words.
func (o *HeadsOptions) unseen(heads []Head) string {
	f := o.frame(vg.Rectangle{})
	var wide, uniform []int
	for i, h := range heads {
		switch {
		case h.Uniform():
			uniform = append(uniform, i+1)
		case o.Grid == (Grid{}) && !f.has(h.Center[0], h.Center[1], 0): // an arrow
		case !o.part(f).shows(o.curve(h, o.Contours[0])):
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

// runs lists numbers in order, such as 1–3, 5.
func runs(numbers []int) string {
	var words []string
	for i := 0; i < len(numbers); {
		k := i
		for k+1 < len(numbers) && numbers[k+1] == numbers[k]+1 {
			k++
		}
		switch word := fmt.Sprint(numbers[i]); {
		case k == i:
			words = append(words, word)
		case k == i+1:
			words = append(words, word, fmt.Sprint(numbers[k]))
		default:
			words = append(words, fmt.Sprintf("%s–%d", word, numbers[k]))
		}
		i = k + 1
	}
	return strings.Join(words, ", ")
}

func percent(x float64) string { return fmt.Sprintf("%.4g %%", 100*x) }

// drawHeads draws the heads of one layer into its frame.
func drawHeads(c draw.Canvas, t *theme, f frame, heads []Head, o HeadsOptions) {
	fill(c, f.token(0, 0, 1), blend(t.ground, t.ink, 0.25)) // lines on it are to be seen
	outline(c, f.token(0, 0, 1), draw.LineStyle{Color: t.ink, Width: vg.Points(lineWidth)})
	if o.Grid != (Grid{}) { // where the image ends
		outline(c, o.part(f).box, draw.LineStyle{Color: t.quiet, Width: vg.Points(gridWidth)})
	}
	part := o.part(f)
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
			part.stroke(c, curveStyle(t, i, k), o.curve(h, o.Contours[k]))
		}
		if near {
			dot(c, f.at(h.Center[0], h.Center[1]), vg.Points(0.8), t.head(i))
		}
		if line := o.curve(h, o.Contours[0]); part.shows(line) {
			names.add(part, i, h.Center, line)
			for _, mass := range o.Contours[1:] {
				names.avoid(f, o.curve(h, mass))
			}
		}
	}
	names.draw(c, t)
}

// drawNull draws where heads stood before the first step, and from there a line to where they are.
func (o *HeadsOptions) drawNull(c draw.Canvas, t *theme, f frame, before, now []Head) {
	grey := blend(t.ground, t.quiet, 0.5)
	line := draw.LineStyle{Color: grey, Width: vg.Points(leaderWidth)}
	part := o.part(f)
	for i, h := range before {
		if h.Uniform() {
			continue
		}
		part.stroke(c, line, o.curve(h, o.Contours[0]))
		if !now[i].Uniform() {
			f.stroke(c, line, [][2]float64{h.Center, now[i].Center})
		}
		if f.has(h.Center[0], h.Center[1], 0) {
			dot(c, f.at(h.Center[0], h.Center[1]), vg.Points(1.3), grey)
		}
	}
}

// part is the part of a frame in which contours are drawn: all of it, or the image.
func (o *HeadsOptions) part(f frame) frame {
	g := o.Grid
	if g == (Grid{}) {
		return f
	}
	r0, c0 := -float64(g.Query[0])-0.5, -float64(g.Query[1])-0.5
	r1, c1 := r0+float64(g.Rows), c0+float64(g.Cols)
	return frame{vg.Rectangle{Min: f.at(r1, c0), Max: f.at(r0, c1)}, [2]float64{r0, r1}, [2]float64{c0, c1}}
}

// curve is the contour of a head that holds mass, as places from the query; nil where that takes a whole image.
func (o *HeadsOptions) curve(h Head, mass float64) [][2]float64 {
	const points = 360
	if o.Grid != (Grid{}) {
		return h.On(o.Grid, mass, points)
	}
	return h.Contour(mass, points)
}

func curveStyle(t *theme, head, contour int) draw.LineStyle {
	st := draw.LineStyle{Color: t.head(head), Width: vg.Points(lineWidth)}
	if contour > 0 {
		st.Dashes = []vg.Length{vg.Points(1), vg.Points(2)}
	}
	return st
}

func headsAlt(layers []Layer, o HeadsOptions) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Where attention heads look, from the query, with contours that hold %s.", percents(o.Contours))
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
	return strings.TrimSuffix(b.String(), ";") + ". Places are (row, column)."
}

// place is (row, column) in words, to a tenth.
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

// headsTable is one line a head and contour.
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
					r := Densest(h.Probabilities(o.Grid), mass)
					shape = []any{r.Mass, r.Tokens}
				}
				t.add(slices.Concat([]any{l.Number, i + 1, h.Center[0], h.Center[1], mass}, shape, []any{drawn})...)
			}
		}
	}
	return t
}
