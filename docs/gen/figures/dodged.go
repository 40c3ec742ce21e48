package main

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/viz"
)

// A dodged figure has a row for each question and, in a row, a mark with an interval for each setting.
type dodged struct {
	settings []string
	rows     []dodgedRow
	axis     string     // what the horizontal axis is, with its direction
	zero     string     // what 0 is
	span     [2]float64 // of the axis, in percent
	tick     float64
	width    float64 // cm
	names    float64 // width of the column of names, cm
}

type dodgedRow struct {
	name    string
	numbers []verdictNumber // one for each setting; N = 0: none
}

// Heights in cm.
const (
	dodgedMark, dodgedGap  = 0.36, 0.28
	dodgedHead, dodgedFoot = 0.55, 1.0
	dodgedLegend           = 0.5
)

func (d dodged) figure(caption string) *viz.Figure {
	row := dodgedMark*float64(len(d.settings)) + dodgedGap
	legend := dodgedLegend * float64(len(d.settings))
	if len(d.settings) == 1 {
		legend = 0
	}
	f := &viz.Figure{Width: d.width, Height: dodgedHead + row*float64(len(d.rows)) + dodgedFoot + legend,
		Caption: caption}
	f.Data.Columns = []string{"question", "setting", "percent", "low", "high", "n"}
	var words []string
	for _, r := range d.rows {
		for i, n := range r.numbers {
			if n.N > 0 {
				f.Data.Rows = append(f.Data.Rows, []any{r.name, d.settings[i], 100 * float64(n.Value), 100 * n.CI.Lo,
					100 * n.CI.Hi, n.N})
				words = append(words, fmt.Sprintf("%s, %s: %.1f", r.name, d.settings[i], 100*float64(n.Value)))
			}
		}
	}
	f.Alt = d.axis + ". " + strings.Join(words, "; ")
	f.Drawing = func(c draw.Canvas, t *viz.Theme) { d.draw(c, t, f.Height, row, legend) }
	return f
}

func (d dodged) draw(c draw.Canvas, t *viz.Theme, height, row, legend float64) {
	x := func(percent float64) float64 {
		return d.names + (percent-d.span[0])/(d.span[1]-d.span[0])*(d.width-d.names-0.3)
	}
	top, bottom := height-dodgedHead, dodgedFoot+legend
	quiet := t.Text(8, t.Quiet)
	for v := math.Ceil(d.span[0]/d.tick) * d.tick; v <= d.span[1]; v += d.tick {
		line := t.Line(t.Faint)
		line.Width = vg.Points(0.5)
		if v == 0 {
			line = t.Line(t.Ink)
			line.Width, line.Dashes = vg.Points(1), []vg.Length{3, 2}
		}
		c.StrokeLines(line, []vg.Point{at(x(v), bottom), at(x(v), top)})
		middled(c, quiet, at(x(v), bottom-0.4), tickText(v))
	}
	if d.zero != "" {
		middled(c, quiet, at(x(0), top+0.12), d.zero)
	}
	middled(c, quiet, at(d.names+(d.width-d.names)/2, bottom-0.85), d.axis)
	for r, row0 := range d.rows {
		y := top - float64(r)*row
		c.FillText(t.Text(9, t.Ink), at(0.25, y-row/2-0.12), row0.name)
		for i, n := range row0.numbers {
			if n.N > 0 {
				d.mark(c, t, n, d.color(t, i), x, y-dodgedGap/2-(float64(i)+0.5)*dodgedMark)
			}
		}
	}
	for i, name := range d.settings {
		if legend > 0 {
			y := legend - dodgedLegend*(float64(i)+0.6)
			square(c, d.color(t, i), at(d.names+0.15, y+0.1))
			c.FillText(quiet, at(d.names+0.5, y), name)
		}
	}
}

// mark draws a value, its interval and a number of one run without fill.
func (d dodged) mark(c draw.Canvas, t *viz.Theme, n verdictNumber, color color.Color, x func(float64) float64,
	y float64) {
	line := t.Line(color)
	line.Width = vg.Points(1.5)
	if n.N == 1 {
		line.Width, line.Dashes = vg.Points(0.8), []vg.Length{2, 2}
	}
	if n.CI.Known() {
		c.StrokeLines(line, []vg.Point{at(x(100*n.CI.Lo), y), at(x(100*n.CI.Hi), y)})
	}
	square(c, color, at(x(100*float64(n.Value)), y))
}

// color is that of a setting.
func (d dodged) color(t *viz.Theme, i int) color.Color {
	if len(d.settings) == 2 && i == 1 {
		return t.Quiet
	}
	return t.Head(i)
}
