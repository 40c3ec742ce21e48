package viz

import (
	"fmt"
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
	const key = 0.75
	b := &bars{n: len(layers), axis: o.Axis, most: 1}
	b.tick = func(y float64) string { return fmt.Sprintf("%.0f", 100*y) }
	f := &Figure{Width: o.Width, Height: barsTop + key + 0.5*o.Width + barsFoot, Alt: contrastsAlt(layers),
		Data: contrastsTable(layers)}
	f.draw = func(c draw.Canvas, t *theme) {
		words := c
		c.Max.Y -= cm(key)
		b.frame(c, t, func(i int) string { return fmt.Sprint(layers[i].Number) }, "layer")
		in := frame{b.box, [2]float64{1, 0}, [2]float64{0, float64(len(layers))}}
		for i, l := range layers {
			l.draw(c, t, in, float64(i))
		}
		x, y := b.box.Min.X, words.Max.Y-cm(0.3)
		for i, word := range []string{o.Trained, o.Untrained} {
			r := vg.Rectangle{Min: vg.Point{X: x, Y: y - cm(0.15)}, Max: vg.Point{X: x + cm(0.3), Y: y + cm(0.15)}}
			if i == 0 {
				fill(c, r, t.head(0))
			} else {
				fill(c, r, t.faint)
				c.StrokeLine2(draw.LineStyle{Color: t.quiet, Width: vg.Points(1.2)}, r.Min.X, y, r.Max.X, y)
			}
			st := sans(labelSize, t.ink)
			write(c, st, vg.Point{X: r.Max.X + vg.Points(3), Y: y}, left, center, word)
			x = r.Max.X + st.Width(word) + cm(0.5)
		}
	}
	return f, nil
}

// draw draws layer i.
func (l Contrast) draw(c draw.Canvas, t *theme, f frame, i float64) {
	span := func(low, high, from, to float64) vg.Rectangle {
		return vg.Rectangle{Min: f.at(low, i+from), Max: f.at(min(1, high), i+to)}
	}
	fill(c, span(max(0, l.Untrained-l.Deviation), l.Untrained+l.Deviation, 0.04, 0.96), t.faint)
	col := t.head(0)
	if l.Pale {
		col = blend(t.ground, col, 0.45)
	}
	fill(c, span(0, l.Trained, 0.22, 0.78), col)
	c.StrokeLines(draw.LineStyle{Color: t.quiet, Width: vg.Points(1.2)},
		[]vg.Point{f.at(l.Untrained, i+0.04), f.at(l.Untrained, i+0.96)})
	line := draw.LineStyle{Color: t.ink, Width: vg.Points(0.8)}
	for _, y := range l.Interval {
		c.StrokeLines(line, []vg.Point{f.at(y, i+0.42), f.at(y, i+0.58)})
	}
	c.StrokeLines(line, []vg.Point{f.at(l.Interval[0], i+0.5), f.at(l.Interval[1], i+0.5)})
	t.halo(c, sans(labelSize, t.ink), f.at(l.Interval[1], i+0.5).Add(vg.Point{Y: vg.Points(7)}),
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
