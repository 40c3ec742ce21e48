package main

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/viz"
)

// A term of an equation is a matrix, drawn as squares whose shades are its elements, or a sign.
type term struct {
	matrix [][]float64 // rows; nil for a sign
	name   string      // below the matrix; or the sign
	max    float64     // absolute value with the deepest shade; 0: the largest in the matrix
	scale  float64     // side of a square relative to others; 0: 1
	head   int         // from 1: the matrix and its name have the color of this head; 0: colors are signs

	numbers bool // each square has its element as a number
}

// sign is text between matrices.
func sign(s string) term { return term{name: s} }

// equation draws lines of terms, centered. Positive elements are blue, negative ones orange with a minus, in deeper
// shades for larger absolute values. Terms of a head are in shades of its color instead. With a width of 0, the
// sides of squares are half a centimeter, and the figure is at most 17 cm wide.
func equation(title string, lines [][]term, width float64) *viz.Figure {
	e := newLayout(lines, width)
	height := equationTop + equationEdge
	for _, line := range lines {
		height += e.height(line)
	}
	return &viz.Figure{Width: e.width, Height: height, Alt: equationAlt(title, lines), Data: equationTable(lines),
		Drawing: func(c draw.Canvas, t *viz.Theme) {
			begin := vg.Point{X: c.Min.X, Y: c.Max.Y}.Add(at(equationEdge, -0.25))
			letter(c, t.Text(titleSize, t.Ink), begin, draw.XLeft, draw.YTop, title)
			y := c.Max.Y - cm(equationTop)
			for _, line := range lines {
				e.draw(c, t, y, line)
				y -= cm(e.height(line))
			}
		}}
}

// Sizes of letters, in points.
const (
	titleSize  = 10
	labelSize  = 8
	numberSize = 7
)

// Lengths of an equation, in cm.
const (
	equationEdge = 0.4
	equationTop  = 1.0
	equationGap  = 0.22 // between terms
	equationName = 0.62 // below a matrix, up to the next line
)

// A layout of an equation is the side of a square and the width, in cm.
type layout struct{ unit, width float64 }

func newLayout(lines [][]term, width float64) *layout {
	e := &layout{unit: 0.5, width: width}
	squares, fixed := 0.0, 0.0
	for _, line := range lines {
		wide, rest := 0.0, 2*equationEdge
		for _, m := range line {
			if m.matrix == nil {
				rest += signWidth(m.name)
			} else {
				wide += m.size() * float64(len(m.matrix[0]))
			}
			rest += equationGap
		}
		if wide*e.unit+rest > squares*e.unit+fixed {
			squares, fixed = wide, rest
		}
	}
	if e.width == 0 {
		e.width = max(9, min(17, fixed+squares*e.unit))
	}
	e.unit = max(0.03, min(e.unit, (e.width-fixed)/max(1, squares)))
	return e
}

func (m term) size() float64 {
	if m.scale == 0 {
		return 1
	}
	return m.scale
}

func signWidth(s string) float64 {
	return float64(viz.Themes[0].Text(titleSize, nil).Width(s) / vg.Centimeter)
}

func (e *layout) termWidth(m term) float64 {
	if m.matrix == nil {
		return signWidth(m.name)
	}
	return e.unit * m.size() * float64(len(m.matrix[0]))
}

func (e *layout) height(line []term) float64 {
	most := 0.0
	for _, m := range line {
		most = max(most, e.unit*m.size()*float64(len(m.matrix)))
	}
	return max(0.5, most) + equationName
}

// draw draws one line below y.
func (e *layout) draw(c draw.Canvas, t *viz.Theme, y vg.Length, line []term) {
	total := -equationGap
	for _, m := range line {
		total += e.termWidth(m) + equationGap
	}
	x := c.Min.X + cm((e.width-total)/2)
	middleY := y - cm((e.height(line)-equationName)/2)
	for _, m := range line {
		w := cm(e.termWidth(m))
		if m.matrix == nil {
			letter(c, t.Text(titleSize, t.Ink), vg.Point{X: x, Y: middleY}, draw.XLeft, draw.YCenter, m.name)
		} else {
			half := cm(e.unit*m.size()*float64(len(m.matrix))) / 2
			box := vg.Rectangle{Min: vg.Point{X: x, Y: middleY - half}, Max: vg.Point{X: x + w, Y: middleY + half}}
			squares(c, t, box, m)
			name := t.Text(labelSize, t.Ink)
			if m.head > 0 {
				name.Color = t.Head(m.head - 1)
			}
			letter(c, name, vg.Point{X: mid(box).X, Y: box.Min.Y - vg.Points(3)}, draw.XCenter, draw.YTop,
				minus(m.name))
		}
		x += w + cm(equationGap)
	}
}

// squares draws a matrix.
func squares(c draw.Canvas, t *viz.Theme, box vg.Rectangle, m term) {
	f := gridOf(box, len(m.matrix), len(m.matrix[0]))
	most := m.max
	if most == 0 {
		most = largest(m.matrix)
	}
	for i, row := range m.matrix {
		for j, x := range row {
			shade := m.shade(t, x/max(most, math.SmallestNonzeroFloat64))
			paint(c, f.square(float64(i), float64(j), 1), shade)
			if m.numbers {
				word := minus(strconv.FormatFloat(math.Round(x*100)/100+0, 'g', 3, 64))
				letter(c, t.Text(numberSize, legible(t, shade)), f.at(float64(i), float64(j)), draw.XCenter,
					draw.YCenter, word)
				continue
			}
			if dash := f.square(float64(i), float64(j), 0.3); x < 0 && dash.Size().X > vg.Points(2) {
				y := mid(dash).Y
				c.StrokeLine2(draw.LineStyle{Color: legible(t, shade), Width: vg.Points(0.7)}, dash.Min.X, y,
					dash.Max.X, y)
			}
		}
	}
	line := draw.LineStyle{Color: t.Quiet, Width: min(vg.Points(0.4), f.box.Size().X/vg.Length(len(m.matrix[0]))/12)}
	for i := range len(m.matrix) + 1 {
		f.stroke(c, line, [][2]float64{{float64(i) - 0.5, f.cols[0]}, {float64(i) - 0.5, f.cols[1]}})
	}
	for j := range len(m.matrix[0]) + 1 {
		f.stroke(c, line, [][2]float64{{f.rows[0], float64(j) - 0.5}, {f.rows[1], float64(j) - 0.5}})
	}
}

// shade returns the color of x in -1..1.
func (m term) shade(t *viz.Theme, x float64) color.NRGBA {
	if m.head == 0 {
		return t.Shade(x)
	}
	return blend(t.Ground, t.Head(m.head-1), min(1, math.Abs(x)))
}

func equationAlt(title string, lines [][]term) string {
	var b strings.Builder
	b.WriteString(title + ":")
	for i, line := range lines {
		if i > 0 {
			b.WriteString(";")
		}
		for _, m := range line {
			b.WriteString(" " + m.name)
			if m.matrix != nil {
				fmt.Fprintf(&b, " (%d × %d)", len(m.matrix), len(m.matrix[0]))
			}
		}
	}
	return b.String() + "."
}

func equationTable(lines [][]term) viz.Table {
	t := viz.Table{Columns: []string{"line", "term", "name", "row", "column", "value"}}
	for n, line := range lines {
		for k, m := range line {
			for i, row := range m.matrix {
				for j, x := range row {
					t.Rows = append(t.Rows, []any{n + 1, k + 1, m.name, i, j, x})
				}
			}
		}
	}
	return t
}
