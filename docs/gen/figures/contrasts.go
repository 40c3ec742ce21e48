package main

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/viz"
)

// A contrast is a value of one layer after training, next to the same value of untrained layers. Values are shares,
// from 0 to 1.
type contrast struct {
	number    int        // of the layer, from 1
	trained   float64    // mean
	interval  [2]float64 // of the mean
	untrained float64    // mean
	deviation float64    // standard deviation of the untrained ones
	pale      bool       // the two do not differ significantly
}

// Lengths of contrasts, in cm.
const (
	contrastsTop   = 0.35
	contrastsLeft  = 1.35
	contrastsRight = 0.25
	contrastsFoot  = 1.2
	contrastsLine  = 0.45 // from one line of the legend to the next
)

// contrasts draws, for each layer, a bar with an interval, and the untrained layers as a gray band. Bars that do not
// differ significantly are pale.
func contrasts(layers []contrast, axis, trained, pale string, width float64) *viz.Figure {
	k := newContrastKey(layers, trained, pale, width)
	f := &viz.Figure{Width: width, Height: contrastsTop + k.height() + 0.5*width + contrastsFoot}
	f.Alt, f.Data = contrastsData(layers)
	f.Drawing = func(c draw.Canvas, t *viz.Theme) {
		above := c.Max.Y
		box := vg.Rectangle{Min: c.Min.Add(at(contrastsLeft, contrastsFoot)),
			Max: c.Max.Sub(at(contrastsRight, contrastsTop+k.height()))}
		in := frame{box, [2]float64{1, 0}, [2]float64{0, float64(len(layers))}}
		quiet := t.Text(labelSize, t.Quiet)
		for y := range 6 {
			v := float64(y) / 5
			in.stroke(c, draw.LineStyle{Color: t.Faint, Width: vg.Points(0.4)}, [][2]float64{{v, 0}, {v, in.cols[1]}})
			letter(c, quiet, in.at(v, 0).Sub(vg.Point{X: vg.Points(3)}), draw.XRight, draw.YCenter, fmt.Sprint(20*y))
		}
		for i, l := range layers {
			l.draw(c, t, in, float64(i))
			letter(c, quiet, in.at(0, float64(i)+0.5).Sub(vg.Point{Y: vg.Points(3)}), draw.XCenter, draw.YTop,
				fmt.Sprint(l.number))
		}
		c.StrokeLines(draw.LineStyle{Color: t.Quiet, Width: vg.Points(0.6)},
			[]vg.Point{in.at(0, 0), in.at(0, in.cols[1])})
		letter(c, quiet, vg.Point{X: mid(box).X, Y: box.Min.Y - vg.Points(15)}, draw.XCenter, draw.YTop, "layer")
		quiet.Rotation = math.Pi / 2
		letter(c, quiet, vg.Point{X: c.Min.X + cm(0.2), Y: mid(box).Y}, draw.XCenter, draw.YTop, axis)
		k.draw(c, t, vg.Point{X: box.Min.X, Y: above - cm(0.3)})
	}
	return f
}

// A contrastKey is the legend above the bars, in lines.
type contrastKey [][]contrastEntry

// A contrastEntry is a sample and its meaning.
type contrastEntry struct {
	word string
	draw func(c draw.Canvas, t *viz.Theme, r vg.Rectangle)
}

// width returns the width of the entry, up to the next one.
func (e contrastEntry) width() vg.Length {
	return cm(0.8) + viz.Themes[0].Text(labelSize, nil).Width(e.word)
}

func newContrastKey(layers []contrast, trained, pale string, width float64) (k contrastKey) {
	entries := []contrastEntry{
		{trained, func(c draw.Canvas, t *viz.Theme, r vg.Rectangle) { paint(c, r, t.Head(0)) }},
		{"untrained", func(c draw.Canvas, t *viz.Theme, r vg.Rectangle) {
			paint(c, r, t.Faint)
			c.StrokeLine2(draw.LineStyle{Color: t.Quiet, Width: vg.Points(1.2)}, r.Min.X, mid(r).Y, r.Max.X, mid(r).Y)
		}},
	}
	if slices.ContainsFunc(layers, func(l contrast) bool { return l.pale }) {
		entries = append(entries, contrastEntry{pale, func(c draw.Canvas, t *viz.Theme, r vg.Rectangle) {
			paint(c, r, paleOf(t))
		}})
	}
	var used vg.Length
	for _, e := range entries {
		if used += e.width(); len(k) == 0 || used > cm(width-contrastsLeft-contrastsRight+0.5) {
			k, used = append(k, nil), e.width()
		}
		k[len(k)-1] = append(k[len(k)-1], e)
	}
	return k
}

// height returns the height of the legend, in cm.
func (k contrastKey) height() float64 { return 0.75 + contrastsLine*float64(len(k)-1) }

// draw writes the legend; its first sample is to the right of first.
func (k contrastKey) draw(c draw.Canvas, t *viz.Theme, first vg.Point) {
	for i, line := range k {
		x, y := first.X, first.Y-cm(contrastsLine*float64(i))
		for _, e := range line {
			r := vg.Rectangle{Min: vg.Point{X: x, Y: y}.Sub(at(0, 0.15)), Max: vg.Point{X: x, Y: y}.Add(at(0.3, 0.15))}
			e.draw(c, t, r)
			letter(c, t.Text(labelSize, t.Ink), vg.Point{X: r.Max.X + vg.Points(3), Y: y}, draw.XLeft, draw.YCenter,
				e.word)
			x += e.width()
		}
	}
}

// paleOf is the color of a bar that does not differ significantly.
func paleOf(t *viz.Theme) color.NRGBA { return blend(t.Ground, t.Head(0), 0.45) }

// draw draws layer i.
func (l contrast) draw(c draw.Canvas, t *viz.Theme, f frame, i float64) {
	span := func(low, high, from, to float64) vg.Rectangle {
		return vg.Rectangle{Min: f.at(low, i+from), Max: f.at(min(1, high), i+to)}
	}
	paint(c, span(max(0, l.untrained-l.deviation), l.untrained+l.deviation, 0.04, 0.96), t.Faint)
	col := t.Head(0)
	if l.pale {
		col = paleOf(t)
	}
	paint(c, span(0, l.trained, 0.22, 0.78), col)
	c.StrokeLines(draw.LineStyle{Color: t.Quiet, Width: vg.Points(1.2)},
		[]vg.Point{f.at(l.untrained, i+0.04), f.at(l.untrained, i+0.96)})
	line := draw.LineStyle{Color: t.Ink, Width: vg.Points(0.8)}
	for _, y := range l.interval {
		c.StrokeLines(line, []vg.Point{f.at(y, i+0.42), f.at(y, i+0.58)})
	}
	c.StrokeLines(line, []vg.Point{f.at(l.interval[0], i+0.5), f.at(l.interval[1], i+0.5)})
	halo(c, t, t.Text(labelSize, t.Ink), f.at(l.interval[1], i+0.5).Add(vg.Point{Y: vg.Points(7)}),
		fmt.Sprintf("%.0f", 100*l.trained))
}

// contrastsData are the values in words, and as a table.
func contrastsData(layers []contrast) (alt string, t viz.Table) {
	t.Columns = []string{"layer", "trained", "low", "high", "untrained", "deviation"}
	var words []string
	for _, l := range layers {
		words = append(words, fmt.Sprintf("layer %d: %.0f %% [%.0f, %.0f], untrained %.0f ± %.0f", l.number,
			100*l.trained, 100*l.interval[0], 100*l.interval[1], 100*l.untrained, 100*l.deviation))
		t.Rows = append(t.Rows, []any{l.number, l.trained, l.interval[0], l.interval[1], l.untrained, l.deviation})
	}
	return "Bars. " + strings.Join(words, "; ") + ".", t
}
