// Package viz draws. It takes plain numbers, not models: heads that came from anywhere can be drawn. Lengths on paper
// are in centimetres.
package viz

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A theme is the colours of a figure; everything else is the same in all of them. No colour carries a meaning that
// numbers, dashes or marks do not.
type theme struct {
	name                      string
	ground, ink, quiet, faint color.NRGBA
	heads                     []color.NRGBA // one after the other, that the colour-blind tell apart
	ramp                      []color.NRGBA // shades from nothing to most
	below                     []color.NRGBA // likewise for what is negative
}

// themes: Okabe and Ito's colours without their yellow, then Tol's; on a dark ground their lighter relatives.
var themes = []theme{
	{
		name: "light", ground: rgb(0xFFFFFF), ink: rgb(0x1A1A1A), quiet: rgb(0x5F5F5F), faint: rgb(0xE4E4E4),
		heads: rgbs(0x0072B2, 0xD55E00, 0x009E73, 0xC05A94, 0xDB9200, 0x3C9BD6, 0x882255, 0x332288, 0x8A8A2B, 0x2F9486,
			0x661100, 0x6699CC, 0x117733, 0xAA4499, 0x888888, 0x222222),
		ramp:  rgbs(0xFFFFFF, 0xDCE9F5, 0xA6CBE5, 0x5C9FCE, 0x2270B0, 0x0B4489, 0x06234F),
		below: rgbs(0xFFFFFF, 0xFBE3D4, 0xF5B895, 0xE5814F, 0xC44E1B, 0x8E2F07, 0x501703),
	},
	{
		name: "dark", ground: rgb(0x14171C), ink: rgb(0xF2F2F2), quiet: rgb(0xA9AFB8), faint: rgb(0x333A44),
		heads: rgbs(0x4DB3EF, 0xFF8A3D, 0x2BD3A4, 0xF08FC4, 0xFFC23D, 0x9AD9FF, 0xE0709F, 0xA79BFF, 0xD6D66B, 0x5FD9CB,
			0xE08A73, 0x9DBEE6, 0x6CCB84, 0xDB86D0, 0xB5B5B5, 0xF0F0F0),
		ramp:  rgbs(0x1B2027, 0x123556, 0x15568C, 0x2C80BE, 0x62ACDC, 0xABD6F0, 0xF3FBFF),
		below: rgbs(0x1B2027, 0x4A240F, 0x7C3912, 0xB1561F, 0xDE8247, 0xF5B88E, 0xFFEFE3),
	},
	{ // for paper: as light, in full black, for print that may be grey
		name: "paper", ground: rgb(0xFFFFFF), ink: rgb(0x000000), quiet: rgb(0x303030), faint: rgb(0xD0D0D0),
		heads: rgbs(0x00568A, 0xB04A00, 0x00795A, 0x9C3F74, 0xA86F00, 0x2478AE, 0x701845, 0x261A70, 0x66661C, 0x1F7469,
			0x551000, 0x44719E, 0x0B5C26, 0x8C3380, 0x606060, 0x000000),
		ramp:  rgbs(0xFFFFFF, 0xE0E0E0, 0xB8B8B8, 0x8A8A8A, 0x5A5A5A, 0x2C2C2C, 0x000000),
		below: rgbs(0xFFFFFF, 0xFBE3D4, 0xF5B895, 0xE5814F, 0xC44E1B, 0x8E2F07, 0x501703),
	},
}

// Themes returns the names of the themes, the usual one first.
func Themes() []string {
	names := make([]string, len(themes))
	for i, t := range themes {
		names[i] = t.name
	}
	return names
}

const (
	lineWidth   = 0.9 // points
	gridWidth   = 0.4
	leaderWidth = 0.5
	headingSize = 11
	titleSize   = 10
	labelSize   = 8
	numberSize  = 7

	quarter = math.Pi / 2 // of a turn, for texts that go upwards
)

func rgb(v uint32) color.NRGBA {
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 255}
}

func rgbs(values ...uint32) []color.NRGBA {
	colors := make([]color.NRGBA, len(values))
	for i, v := range values {
		colors[i] = rgb(v)
	}
	return colors
}

// head is the colour of head h, from 0.
func (t *theme) head(h int) color.NRGBA { return t.heads[h%len(t.heads)] }

// shade is the colour of x in -1..1: along the ramp, or the one below.
func (t *theme) shade(x float64) color.NRGBA {
	ramp := t.ramp
	if x < 0 {
		ramp, x = t.below, -x
	}
	at := min(x, 1) * float64(len(ramp)-1)
	i := min(int(at), len(ramp)-2)
	return blend(ramp[i], ramp[i+1], at-float64(i))
}

// over is the theme's ink or ground, whichever can be read on a shade.
func (t *theme) over(shade color.NRGBA) color.NRGBA {
	light := func(c color.NRGBA) float64 { return 0.3*float64(c.R) + 0.6*float64(c.G) + 0.1*float64(c.B) }
	if math.Abs(light(t.ink)-light(shade)) > math.Abs(light(t.ground)-light(shade)) {
		return t.ink
	}
	return t.ground
}

// blend goes from a to b as x goes from 0 to 1.
func blend(a, b color.NRGBA, x float64) color.NRGBA {
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*(1-x) + float64(b)*x)) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), mix(a.A, b.A)}
}

func cm(v float64) vg.Length { return vg.Length(v) * vg.Centimeter }

// sans is the style of a text of size points.
func sans(size float64, c color.Color) text.Style {
	return text.Style{
		Color: c, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, font.Length(size)),
		Handler: plot.DefaultTextHandler,
	}
}

// The places of a text around a point: left, middle and right of it say where the point is in the text.
const (
	left   = draw.XLeft
	middle = draw.XCenter
	right  = draw.XRight
	top    = draw.YTop
	centre = draw.YCenter
	bottom = draw.YBottom
)

// write writes s; the point at is where x and y say in it.
func write(c draw.Canvas, st text.Style, at vg.Point, x text.XAlignment, y text.YAlignment, s string) {
	st.XAlign, st.YAlign = x, y
	c.FillText(st, at, minus(s))
}

// halo writes s around the point at with the ground's colour around it, so that it can be read on top of lines.
func (t *theme) halo(c draw.Canvas, st text.Style, at vg.Point, s string) {
	around := st
	around.Color = t.ground
	for i := range 8 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 4)
		write(c, around, at.Add(vg.Point{X: vg.Points(cos), Y: vg.Points(sin)}), middle, centre, s)
	}
	write(c, st, at, middle, centre, s)
}

// minus gives negative numbers their sign; other hyphens stay.
func minus(s string) string {
	b := []byte(nil)
	for i := range len(s) {
		number := i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9'
		if s[i] == '-' && number && (i == 0 || strings.IndexByte(" (", s[i-1]) >= 0) {
			b = append(b, "−"...)
		} else {
			b = append(b, s[i])
		}
	}
	return string(b)
}
