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

func cm(v float64) vg.Length { return vg.Length(v) * vg.Centimeter }

// at is a place in a drawing, in cm from its lower left corner.
func at(x, y float64) vg.Point { return vg.Point{X: cm(x), Y: cm(y)} }

// letter writes s, aligned to a place.
func letter(c draw.Canvas, st draw.TextStyle, at vg.Point, x draw.XAlignment, y draw.YAlignment, s string) {
	st.XAlign, st.YAlign = x, y
	c.FillText(st, at, s)
}

// halo writes s, centered at a place, with a border in the ground's color, so that it is legible on top of lines.
func halo(c draw.Canvas, t *viz.Theme, st draw.TextStyle, at vg.Point, s string) {
	around := st
	around.Color = t.Ground
	for i := range 8 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 4)
		letter(c, around, at.Add(vg.Point{X: vg.Points(cos), Y: vg.Points(sin)}), draw.XCenter, draw.YCenter, s)
	}
	letter(c, st, at, draw.XCenter, draw.YCenter, s)
}

// mid is the middle of a rectangle.
func mid(r vg.Rectangle) vg.Point { return r.Min.Add(r.Max).Scale(0.5) }

// paint fills a rectangle.
func paint(c draw.Canvas, r vg.Rectangle, col color.Color) { tile(c, col, r.Min, r.Max) }

// outline draws the border of a rectangle.
func outline(c draw.Canvas, r vg.Rectangle, st draw.LineStyle) {
	c.StrokeLines(st, append(corners(r.Min, r.Max), r.Min))
}

// dot paints a disc.
func dot(c draw.Canvas, at vg.Point, radius vg.Length, col color.Color) {
	c.SetColor(col)
	var p vg.Path
	p.Move(at.Add(vg.Point{X: radius}))
	p.Arc(at, radius, 0, 2*math.Pi)
	p.Close()
	c.Fill(p)
}

// bend draws a curve that is horizontal at both ends: y moves by the smoothstep u²(3-2u).
func bend(c draw.Canvas, st draw.LineStyle, from, to vg.Point) {
	points := make([]vg.Point, 33)
	for i := range points {
		u := float64(i) / 32
		v := u * u * (3 - 2*u)
		points[i] = vg.Point{X: from.X + vg.Length(u)*(to.X-from.X), Y: from.Y + vg.Length(v)*(to.Y-from.Y)}
	}
	c.StrokeLines(st, points)
}

// blend interpolates from a to b as x goes from 0 to 1.
func blend(a, b color.NRGBA, x float64) color.NRGBA {
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*(1-x) + float64(b)*x)) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), mix(a.A, b.A)}
}

// legible is the theme's ink or ground, whichever is legible on a shade.
func legible(t *viz.Theme, shade color.NRGBA) color.NRGBA {
	light := func(c color.NRGBA) float64 { return 0.3*float64(c.R) + 0.6*float64(c.G) + 0.1*float64(c.B) }
	if math.Abs(light(t.Ink)-light(shade)) > math.Abs(light(t.Ground)-light(shade)) {
		return t.Ink
	}
	return t.Ground
}

// A frame is a box on the page with coordinates (row, column): rows count downwards, columns to the right.
type frame struct {
	box  vg.Rectangle
	rows [2]float64 // at the top and at the bottom
	cols [2]float64 // at the left and at the right
}

// gridOf is the frame of rows × cols squares; the middle of the first is at (0, 0).
func gridOf(box vg.Rectangle, rows, cols int) frame {
	return frame{box, [2]float64{-0.5, float64(rows) - 0.5}, [2]float64{-0.5, float64(cols) - 0.5}}
}

// at converts coordinates to a place on the page.
func (f frame) at(row, col float64) vg.Point {
	u := (col - f.cols[0]) / (f.cols[1] - f.cols[0])
	v := (row - f.rows[0]) / (f.rows[1] - f.rows[0])
	size := f.box.Size()
	return vg.Point{X: f.box.Min.X + vg.Length(u)*size.X, Y: f.box.Max.Y - vg.Length(v)*size.Y}
}

// square returns the unit square around (row, col), scaled about its middle.
func (f frame) square(row, col, scale float64) vg.Rectangle {
	return vg.Rectangle{Min: f.at(row+scale/2, col-scale/2), Max: f.at(row-scale/2, col+scale/2)}
}

// stroke draws lines, clipped to the frame.
func (f frame) stroke(c draw.Canvas, st draw.LineStyle, places ...[][2]float64) {
	inside := draw.Canvas{Canvas: c.Canvas, Rectangle: f.box}
	for _, line := range places {
		points := make([]vg.Point, len(line))
		for i, p := range line {
			points[i] = f.at(p[0], p[1])
		}
		c.StrokeLines(st, inside.ClipLinesXY(points)...)
	}
}

// tile fills a rectangle between two corners.
func tile(c draw.Canvas, fill color.Color, lo, hi vg.Point) {
	c.FillPolygon(fill, corners(lo, hi))
}

// corners are the corners of a rectangle.
func corners(lo, hi vg.Point) []vg.Point {
	return []vg.Point{lo, {X: hi.X, Y: lo.Y}, hi, {X: lo.X, Y: hi.Y}}
}

// square is a mark at a value.
func square(c draw.Canvas, fill color.Color, at vg.Point) {
	half := vg.Point{X: 3, Y: 3}
	tile(c, fill, at.Sub(half), at.Add(half))
}

// circle is a closed line around a place.
func circle(center vg.Point, radius vg.Length) (points []vg.Point) {
	const parts = 96
	for i := range parts + 1 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / parts)
		points = append(points, vg.Point{X: center.X + radius*vg.Length(cos), Y: center.Y + radius*vg.Length(sin)})
	}
	return points
}

// middled writes a text around a place on the line.
func middled(c draw.Canvas, style draw.TextStyle, at vg.Point, text string) {
	at.X -= style.Width(text) / 2
	c.FillText(style, at, text)
}

// tickText is the text of a value at an axis.
func tickText(v float64) string { return minus(fmt.Sprint(v)) }

// minus writes the sign of numbers.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }
