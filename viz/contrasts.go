package viz

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/internal/fault"
)

// A Contrast is a value of one layer after training, next to the same value of untrained layers. Values are shares,
// from 0 to 1.
type Contrast struct {
	Number    int        // of the layer, from 1
	Trained   float64    // mean
	Interval  [2]float64 // of the mean
	Untrained float64    // mean
	Deviation float64    // standard deviation of the untrained ones
	Pale      bool       // the two do not differ significantly
}

// ContrastsOptions say what Contrasts draws. The zero value names nothing.
type ContrastsOptions struct {
	Axis               string  // what the shares are of
	Trained, Untrained string  // the two kinds of values
	Pale               string  // what a pale bar means; "": the figure does not say
	Width              float64 // of the figure; 0: 8.4 cm
}

// Contrasts draws, for each layer, a bar with an interval, and the untrained layers as a gray band.
func Contrasts(layers []Contrast, o ContrastsOptions) (*Figure, error) {
	if len(layers) == 0 {
		return nil, fault.Usagef("no layers to draw")
	}
	for _, l := range layers {
		for _, v := range []float64{l.Trained, l.Interval[0], l.Interval[1], l.Untrained, l.Deviation} {
			if !(v >= 0 && v <= 1) {
				return nil, fault.Usagef("layer %d has a share of %v: want 0 to 1", l.Number, v)
			}
		}
	}
	if o.Width == 0 {
		o.Width = 8.4
	}
	k := newContrastKey(layers, o)
	b := &bars{n: len(layers), axis: o.Axis, most: 1}
	b.tick = func(y float64) string { return fmt.Sprintf("%.0f", 100*y) }
	f := &Figure{Width: o.Width, Height: barsTop + k.height() + 0.5*o.Width + barsFoot, Alt: contrastsAlt(layers),
		Data: contrastsTable(layers)}
	f.Drawing = func(c draw.Canvas, t *Theme) {
		above := c.Max.Y
		c.Max.Y -= cm(k.height())
		b.frame(c, t, func(i int) string { return fmt.Sprint(layers[i].Number) }, "layer")
		in := frame{b.box, [2]float64{1, 0}, [2]float64{0, float64(len(layers))}}
		for i, l := range layers {
			l.draw(c, t, in, float64(i))
		}
		k.draw(c, t, vg.Point{X: b.box.Min.X, Y: above - cm(0.3)})
	}
	return f, nil
}

// A contrastKey is the legend above the bars, in lines.
type contrastKey [][]contrastEntry

// A contrastEntry is a sample and its meaning.
type contrastEntry struct {
	word string
	draw func(c draw.Canvas, t *Theme, r vg.Rectangle)
}

// width returns the width of the entry, up to the next one.
func (e contrastEntry) width() vg.Length {
	return cm(0.3) + sans(labelSize, nil).Width(e.word) + cm(0.5)
}

func newContrastKey(layers []Contrast, o ContrastsOptions) (k contrastKey) {
	entries := []contrastEntry{
		{o.Trained, func(c draw.Canvas, t *Theme, r vg.Rectangle) { fill(c, r, t.Head(0)) }},
		{o.Untrained, func(c draw.Canvas, t *Theme, r vg.Rectangle) {
			fill(c, r, t.Faint)
			c.StrokeLine2(draw.LineStyle{Color: t.Quiet, Width: vg.Points(1.2)}, r.Min.X, mid(r).Y, r.Max.X, mid(r).Y)
		}},
	}
	if o.Pale != "" && slices.ContainsFunc(layers, func(l Contrast) bool { return l.Pale }) {
		entries = append(entries, contrastEntry{o.Pale, func(c draw.Canvas, t *Theme, r vg.Rectangle) {
			fill(c, r, t.pale())
		}})
	}
	var used vg.Length
	for _, e := range entries {
		if used += e.width(); len(k) == 0 || used > cm(o.Width-barsLeft-marginRight+0.5) {
			k, used = append(k, nil), e.width()
		}
		k[len(k)-1] = append(k[len(k)-1], e)
	}
	return k
}

// height returns the height of the legend, in cm.
func (k contrastKey) height() float64 { return 0.75 + keyLine*float64(len(k)-1) }

// draw writes the legend; its first sample is to the right of at.
func (k contrastKey) draw(c draw.Canvas, t *Theme, at vg.Point) {
	for i, line := range k {
		x, y := at.X, at.Y-cm(keyLine*float64(i))
		for _, e := range line {
			r := vg.Rectangle{Min: vg.Point{X: x, Y: y - cm(0.15)}, Max: vg.Point{X: x + cm(0.3), Y: y + cm(0.15)}}
			e.draw(c, t, r)
			write(c, t.Text(labelSize, t.Ink), vg.Point{X: r.Max.X + vg.Points(3), Y: y}, left, center, e.word)
			x += e.width()
		}
	}
}

// pale returns the color of a bar that does not differ significantly.
func (t *Theme) pale() color.NRGBA { return blend(t.Ground, t.Head(0), 0.45) }

// draw draws layer i.
func (l Contrast) draw(c draw.Canvas, t *Theme, f frame, i float64) {
	span := func(low, high, from, to float64) vg.Rectangle {
		return vg.Rectangle{Min: f.at(low, i+from), Max: f.at(min(1, high), i+to)}
	}
	fill(c, span(max(0, l.Untrained-l.Deviation), l.Untrained+l.Deviation, 0.04, 0.96), t.Faint)
	col := t.Head(0)
	if l.Pale {
		col = t.pale()
	}
	fill(c, span(0, l.Trained, 0.22, 0.78), col)
	c.StrokeLines(draw.LineStyle{Color: t.Quiet, Width: vg.Points(1.2)},
		[]vg.Point{f.at(l.Untrained, i+0.04), f.at(l.Untrained, i+0.96)})
	line := draw.LineStyle{Color: t.Ink, Width: vg.Points(0.8)}
	for _, y := range l.Interval {
		c.StrokeLines(line, []vg.Point{f.at(y, i+0.42), f.at(y, i+0.58)})
	}
	c.StrokeLines(line, []vg.Point{f.at(l.Interval[0], i+0.5), f.at(l.Interval[1], i+0.5)})
	t.halo(c, t.Text(labelSize, t.Ink), f.at(l.Interval[1], i+0.5).Add(vg.Point{Y: vg.Points(7)}),
		fmt.Sprintf("%.0f", 100*l.Trained))
}

func contrastsAlt(layers []Contrast) string {
	var words []string
	for _, l := range layers {
		words = append(words, fmt.Sprintf("layer %d: %.0f %% [%.0f, %.0f], untrained %.0f ± %.0f", l.Number,
			100*l.Trained, 100*l.Interval[0], 100*l.Interval[1], 100*l.Untrained, 100*l.Deviation))
	}
	return "Bars. " + strings.Join(words, "; ") + "."
}

func contrastsTable(layers []Contrast) Table {
	t := Table{Columns: []string{"layer", "trained", "low", "high", "untrained", "deviation"}}
	for _, l := range layers {
		t.add(l.Number, l.Trained, l.Interval[0], l.Interval[1], l.Untrained, l.Deviation)
	}
	return t
}
