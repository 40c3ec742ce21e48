package main

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// at is a place in a drawing, in cm from its lower left corner.
func at(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(x) * vg.Centimeter, Y: vg.Length(y) * vg.Centimeter}
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
func tickText(v float64) string { return strings.Replace(fmt.Sprint(v), "-", "−", 1) }
