package viz

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/internal/fault"
)

// A Term of an equation is a matrix, drawn as squares whose shades are its elements, or a sign.
type Term struct {
	Matrix [][]float64 // rows; nil for a sign
	Name   string      // below the matrix; or the sign
	Max    float64     // absolute value with the deepest shade; 0: the largest in the matrix
	Size   float64     // side of a square relative to others; 0: 1
	Head   int         // from 1: the matrix and its name have the color of this head; 0: colors are signs

	Numbers bool // each square has its element as a number
}

// Sign returns a sign: text between matrices.
func Sign(s string) Term { return Term{Name: s} }

// EquationOptions say how Equation draws.
type EquationOptions struct {
	Width float64 // of the figure; 0: squares of half a centimeter, up to 17 cm
}

// Equation draws lines of terms, centered. Positive elements are blue, negative ones orange with a minus, in deeper
// shades for larger absolute values. Terms of a head are in shades of its color instead.
func Equation(title string, lines [][]Term, o EquationOptions) (*Figure, error) {
	if err := checkTerms(lines); err != nil {
		return nil, err
	}
	e := newEquation(lines, o)
	height := equationTop + equationEdge
	for _, line := range lines {
		height += e.height(line)
	}
	return &Figure{Width: e.width, Height: height, Alt: equationAlt(title, lines), Data: equationTable(lines),
		Drawing: func(c draw.Canvas, t *Theme) {
			at := vg.Point{X: c.Min.X + cm(equationEdge), Y: c.Max.Y - cm(0.25)}
			write(c, t.Text(titleSize, t.Ink), at, left, top, title)
			y := c.Max.Y - cm(equationTop)
			for _, line := range lines {
				e.draw(c, t, y, line)
				y -= cm(e.height(line))
			}
		}}, nil
}

func checkTerms(lines [][]Term) error {
	n := 0
	for _, line := range lines {
		for _, term := range line {
			n++
			for _, row := range term.Matrix {
				if len(row) == 0 || len(row) != len(term.Matrix[0]) {
					return fault.Usagef("matrix %s: rows of %d and %d elements", term.Name, len(term.Matrix[0]),
						len(row))
				}
			}
		}
	}
	if n == 0 {
		return fault.Usagef("no terms to draw")
	}
	return nil
}

// Lengths of an equation, in cm.
const (
	equationEdge = 0.4
	equationTop  = 1.0
	equationGap  = 0.22 // between terms
	equationName = 0.62 // below a matrix, up to the next line
)

// An equation is the layout of a figure: side of a square and width, in cm.
type equation struct{ unit, width float64 }

func newEquation(lines [][]Term, o EquationOptions) *equation {
	e := &equation{unit: 0.5, width: o.Width}
	squares, fixed := 0.0, 0.0
	for _, line := range lines {
		wide, rest := 0.0, 2*equationEdge
		for _, term := range line {
			if term.Matrix == nil {
				rest += signWidth(term.Name)
			} else {
				wide += term.size() * float64(len(term.Matrix[0]))
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

func (term Term) size() float64 {
	if term.Size == 0 {
		return 1
	}
	return term.Size
}

func signWidth(s string) float64 { return float64(sans(titleSize, nil).Width(s) / vg.Centimeter) }

func (e *equation) termWidth(term Term) float64 {
	if term.Matrix == nil {
		return signWidth(term.Name)
	}
	return e.unit * term.size() * float64(len(term.Matrix[0]))
}

func (e *equation) height(line []Term) float64 {
	most := 0.0
	for _, term := range line {
		most = max(most, e.unit*term.size()*float64(len(term.Matrix)))
	}
	return max(0.5, most) + equationName
}

// draw draws one line below y.
func (e *equation) draw(c draw.Canvas, t *Theme, y vg.Length, line []Term) {
	total := -equationGap
	for _, term := range line {
		total += e.termWidth(term) + equationGap
	}
	x := c.Min.X + cm((e.width-total)/2)
	middleY := y - cm((e.height(line)-equationName)/2)
	for _, term := range line {
		w := cm(e.termWidth(term))
		if term.Matrix == nil {
			write(c, t.Text(titleSize, t.Ink), vg.Point{X: x, Y: middleY}, left, center, term.Name)
		} else {
			half := cm(e.unit*term.size()*float64(len(term.Matrix))) / 2
			box := vg.Rectangle{Min: vg.Point{X: x, Y: middleY - half}, Max: vg.Point{X: x + w, Y: middleY + half}}
			squares(c, t, box, term)
			name := t.Text(labelSize, t.Ink)
			if term.Head > 0 {
				name.Color = t.Head(term.Head - 1)
			}
			write(c, name, vg.Point{X: mid(box).X, Y: box.Min.Y - vg.Points(3)}, middle, top, term.Name)
		}
		x += w + cm(equationGap)
	}
}

// squares draws a matrix.
func squares(c draw.Canvas, t *Theme, box vg.Rectangle, term Term) {
	f := onImage(box, len(term.Matrix), len(term.Matrix[0]))
	most := term.Max
	if most == 0 {
		most = largest(term.Matrix)
	}
	for i, row := range term.Matrix {
		for j, x := range row {
			shade := term.shade(t, x/max(most, math.SmallestNonzeroFloat64))
			fill(c, f.token(float64(i), float64(j), 1), shade)
			if term.Numbers {
				word := strconv.FormatFloat(math.Round(x*100)/100+0, 'g', 3, 64)
				write(c, t.Text(numberSize, t.contrasting(shade)), f.at(float64(i), float64(j)), middle, center, word)
				continue
			}
			if dash := f.token(float64(i), float64(j), 0.3); x < 0 && dash.Size().X > vg.Points(2) {
				y := mid(dash).Y
				c.StrokeLine2(draw.LineStyle{Color: t.contrasting(shade), Width: vg.Points(0.7)}, dash.Min.X, y,
					dash.Max.X, y)
			}
		}
	}
	line := draw.LineStyle{Color: t.Quiet, Width: min(t.points(gridWidth), f.unit()/12)}
	for i := range len(term.Matrix) + 1 {
		f.stroke(c, line, [][2]float64{{float64(i) - 0.5, f.cols[0]}, {float64(i) - 0.5, f.cols[1]}})
	}
	for j := range len(term.Matrix[0]) + 1 {
		f.stroke(c, line, [][2]float64{{f.rows[0], float64(j) - 0.5}, {f.rows[1], float64(j) - 0.5}})
	}
}

// shade returns the color of x in -1..1.
func (term Term) shade(t *Theme, x float64) color.NRGBA {
	if term.Head == 0 {
		return t.Shade(x)
	}
	return blend(t.Ground, t.Head(term.Head-1), min(1, math.Abs(x)))
}

func equationAlt(title string, lines [][]Term) string {
	var b strings.Builder
	b.WriteString(title + ":")
	for i, line := range lines {
		if i > 0 {
			b.WriteString(";")
		}
		for _, term := range line {
			b.WriteString(" " + term.Name)
			if term.Matrix != nil {
				fmt.Fprintf(&b, " (%d × %d)", len(term.Matrix), len(term.Matrix[0]))
			}
		}
	}
	return b.String() + "."
}

func equationTable(lines [][]Term) Table {
	t := Table{Columns: []string{"line", "term", "name", "row", "column", "value"}}
	for n, line := range lines {
		for k, term := range line {
			for i, row := range term.Matrix {
				for j, x := range row {
					t.add(n+1, k+1, term.Name, i, j, x)
				}
			}
		}
	}
	return t
}
