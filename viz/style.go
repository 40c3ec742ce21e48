// Package viz draws figures from plain values, not from models, so that it can draw heads of any origin. Lengths on
// paper are in centimeters.
//
// A figure is made by one function, such as Heads, Maps or Curves, from values and options whose zero value is usable.
// The *Figure has the plotted values as a Table; WriteFile and Encode write it as SVG, PNG or PDF, Draw draws it on a
// canvas of gonum/plot. A program's own Figure has a function as its Drawing. Positions are (row, column) in tokens,
// rows downwards.
//
// Values that cannot be drawn, or that do not go together, are an error that names them.
//
// Stable: the functions, their options, and the columns of tables, to which more are only added. How a figure looks may
// change with any version.
package viz

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/option"
)

// A Theme is how figures look. No meaning is carried by color alone: numbers, dashes or marks carry it, too.
type Theme struct {
	Name, Help string
	Anonymous  bool          // without Figure.Source
	Ground     color.NRGBA   // behind everything
	Ink        color.NRGBA   // of letters
	Quiet      color.NRGBA   // of letters and lines that stand back
	Faint      color.NRGBA   // of grids
	Heads      []color.NRGBA // of heads and curves, distinct for the color-blind; one or more
	Ramp       []color.NRGBA // shades of 0..1, two or more
	Negative   []color.NRGBA // shades of 0..-1, two or more

	// Letters has the font, and the handler that knows it; the zero value is Liberation Sans. Figures leave as much
	// room as words take in Liberation Sans.
	Letters text.Style
	Lines   float64 // factor of the widths of lines; 0: 1
}

// Entry implements option.Named.
func (t Theme) Entry() (name, help string) { return t.Name, t.Help }

// Themes lists the themes that Output names, the default first. A program may add its own. They have the colors of
// Okabe and Ito without their yellow, then those of Tol; lighter ones on a dark ground.
var Themes = option.List[Theme]{lightTheme, darkTheme, paperTheme}

// oranges are the shades of negative values on white, from none to the deepest.
var oranges = rgbs(0xFFFFFF, 0xFBE3D4, 0xF5B895, 0xE5814F, 0xC44E1B, 0x8E2F07, 0x501703)

var lightTheme = Theme{
	Name: "light", Help: "colors on white",
	Ground: rgb(0xFFFFFF), Ink: rgb(0x1A1A1A), Quiet: rgb(0x5F5F5F), Faint: rgb(0xE4E4E4),
	Heads: rgbs(0x0072B2, 0xD55E00, 0x009E73, 0xC05A94, 0xDB9200, 0x3C9BD6, 0x882255, 0x332288, 0x8A8A2B, 0x2F9486,
		0x661100, 0x6699CC, 0x117733, 0xAA4499, 0x888888, 0x222222),
	Ramp:     rgbs(0xFFFFFF, 0xDCE9F5, 0xA6CBE5, 0x5C9FCE, 0x2270B0, 0x0B4489, 0x06234F),
	Negative: oranges,
}

var darkTheme = Theme{
	Name: "dark", Help: "lighter colors on black",
	Ground: rgb(0x14171C), Ink: rgb(0xF2F2F2), Quiet: rgb(0xA9AFB8), Faint: rgb(0x333A44),
	Heads: rgbs(0x4DB3EF, 0xFF8A3D, 0x2BD3A4, 0xF08FC4, 0xFFC23D, 0x9AD9FF, 0xE0709F, 0xA79BFF, 0xD6D66B, 0x5FD9CB,
		0xE08A73, 0x9DBEE6, 0x6CCB84, 0xDB86D0, 0xB5B5B5, 0xF0F0F0),
	Ramp:     rgbs(0x1B2027, 0x123556, 0x15568C, 0x2C80BE, 0x62ACDC, 0xABD6F0, 0xF3FBFF),
	Negative: rgbs(0x1B2027, 0x4A240F, 0x7C3912, 0xB1561F, 0xDE8247, 0xF5B88E, 0xFFEFE3),
}

var paperTheme = Theme{
	Name: "paper", Help: "as light, in full black, for print that may be gray; without the run's name", Anonymous: true,
	Ground: rgb(0xFFFFFF), Ink: rgb(0x000000), Quiet: rgb(0x303030), Faint: rgb(0xD0D0D0),
	Heads: rgbs(0x00568A, 0xB04A00, 0x00795A, 0x9C3F74, 0xA86F00, 0x2478AE, 0x701845, 0x261A70, 0x66661C, 0x1F7469,
		0x551000, 0x44719E, 0x0B5C26, 0x8C3380, 0x606060, 0x000000),
	Ramp:     rgbs(0xFFFFFF, 0xE0E0E0, 0xB8B8B8, 0x8A8A8A, 0x5A5A5A, 0x2C2C2C, 0x000000),
	Negative: oranges,
}

const (
	lineWidth   = 0.9 // points
	gridWidth   = 0.4
	leaderWidth = 0.5
	headingSize = 11
	titleSize   = 10
	labelSize   = 8
	numberSize  = 7 // the smallest letters of all figures

	quarter = math.Pi / 2 // rotation of upward text
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

// Head returns the color of head or curve h, from 0.
func (t *Theme) Head(h int) color.NRGBA { return t.Heads[h%len(t.Heads)] }

// Shade returns the color of x in -1..1.
func (t *Theme) Shade(x float64) color.NRGBA {
	ramp := t.Ramp
	if x < 0 {
		ramp, x = t.Negative, -x
	}
	at := min(x, 1) * float64(len(ramp)-1)
	i := min(int(at), len(ramp)-2)
	return blend(ramp[i], ramp[i+1], at-float64(i))
}

// Text returns the style of letters; size is in points. Figures have headings of 11 points, titles of 10, labels of 8,
// and numbers of 7.
func (t *Theme) Text(size float64, c color.Color) text.Style {
	st := t.Letters
	if st.Handler == nil {
		return sans(size, c)
	}
	st.Color, st.Font = c, font.From(st.Font, font.Length(size))
	return st
}

// Line returns the style of lines.
func (t *Theme) Line(c color.Color) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: t.points(lineWidth)}
}

// points returns the width of a line that has so many points unless the theme says otherwise.
func (t *Theme) points(width float64) vg.Length {
	if t.Lines != 0 {
		width *= t.Lines
	}
	return vg.Points(width)
}

// contrasting returns the theme's ink or ground, whichever is legible on a shade.
func (t *Theme) contrasting(shade color.NRGBA) color.NRGBA {
	light := func(c color.NRGBA) float64 { return 0.3*float64(c.R) + 0.6*float64(c.G) + 0.1*float64(c.B) }
	if math.Abs(light(t.Ink)-light(shade)) > math.Abs(light(t.Ground)-light(shade)) {
		return t.Ink
	}
	return t.Ground
}

// blend interpolates from a to b as x goes from 0 to 1.
func blend(a, b color.NRGBA, x float64) color.NRGBA {
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*(1-x) + float64(b)*x)) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), mix(a.A, b.A)}
}

func cm(v float64) vg.Length { return vg.Length(v) * vg.Centimeter }

// Alignments of a text to a point: the point is at the left, middle or right of the text.
const (
	left   = draw.XLeft
	middle = draw.XCenter
	right  = draw.XRight
	top    = draw.YTop
	center = draw.YCenter
	bottom = draw.YBottom
)

// write writes s, aligned to the point at.
func write(c draw.Canvas, st text.Style, at vg.Point, x text.XAlignment, y text.YAlignment, s string) {
	st.XAlign, st.YAlign = x, y
	c.FillText(st, at, typeset(s))
}

// halo writes s, centered at a point, with a border in the ground's color, so that it is legible on top of lines.
func (t *Theme) halo(c draw.Canvas, st text.Style, at vg.Point, s string) {
	around := st
	around.Color = t.Ground
	for i := range 8 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 4)
		write(c, around, at.Add(vg.Point{X: vg.Points(cos), Y: vg.Points(sin)}), middle, center, s)
	}
	write(c, st, at, middle, center, s)
}

// bar draws a scale of shades from 0 to 1, as one image without seams.
func (t *Theme) bar(c draw.Canvas, box vg.Rectangle, shade func(x float64) color.NRGBA) {
	const steps, high = 256, 32 // dots
	img := image.NewNRGBA(image.Rect(0, 0, steps, high))
	for i := range steps {
		paint(img, image.Rect(i, 0, i+1, high), shade((float64(i)+0.5)/steps))
	}
	c.DrawImage(box, img)
	outline(c, box, draw.LineStyle{Color: t.Quiet, Width: t.points(gridWidth)})
}
