// Package viz draws. It takes plain numbers, not models: heads that came from anywhere can be drawn. Lengths on paper
// are in centimetres.
package viz

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gonum.org/v1/plot"
)

// One style for all figures: colours that the colour-blind tell apart (Okabe and Ito's without their yellow, then
// Tol's), none of which carries a meaning that numbers and dashes do not.
var palette = []color.Color{
	rgb(0x0072B2), rgb(0xD55E00), rgb(0x009E73), rgb(0xCC79A7), rgb(0xE69F00), rgb(0x56B4E9), rgb(0x882255), rgb(0x332288),
	rgb(0x999933), rgb(0x44AA99), rgb(0x661100), rgb(0x6699CC), rgb(0x117733), rgb(0xAA4499), rgb(0x888888), rgb(0x222222),
}

var (
	ink   = rgb(0x222222)
	faint = rgb(0xE6E6E6)
	quiet = rgb(0x666666)
)

const (
	lineWidth  = 0.9 // points
	gridWidth  = 0.4
	titleSize  = 10
	labelSize  = 8
	numberSize = 7
)

func rgb(v uint32) color.Color {
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 255}
}

// headColor is the colour of head h, from 0.
func headColor(h int) color.Color { return palette[h%len(palette)] }

func cm(v float64) vg.Length { return vg.Length(v) * vg.Centimeter }

// restyle gives a text of gonum's own our font and colour.
func restyle(st *text.Style, size float64, c color.Color) {
	st.Font, st.Color = sans(size, c).Font, c
}

// sans is the style of a text of size points.
func sans(size float64, c color.Color) text.Style {
	return text.Style{
		Color: c, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, font.Length(size)),
		Handler: plot.DefaultTextHandler,
	}
}

// halo writes s at (x, y) with white around it, so that it can be read on top of lines.
func halo(c draw.Canvas, st text.Style, at vg.Point, s string) {
	white := st
	white.Color = color.White
	for i := range 8 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 4)
		c.FillText(white, at.Add(vg.Point{X: vg.Points(cos), Y: vg.Points(sin)}), s)
	}
	c.FillText(st, at, s)
}
