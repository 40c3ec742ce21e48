package viz

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A frame is a part of the page on which places are (row, column): rows count downwards, columns to the right, as in an
// image.
type frame struct {
	box  vg.Rectangle
	rows [2]float64 // at the top and at the bottom
	cols [2]float64 // at the left and at the right
}

// around is a frame that reaches as far from the query to all sides.
func around(box vg.Rectangle, reach float64) frame {
	return frame{box, [2]float64{-reach, reach}, [2]float64{-reach, reach}}
}

// onImage is the frame of an image of rows × cols tokens, whose first has its middle at (0, 0).
func onImage(box vg.Rectangle, rows, cols int) frame {
	return frame{box, [2]float64{-0.5, float64(rows) - 0.5}, [2]float64{-0.5, float64(cols) - 0.5}}
}

// at returns where a place is on the page.
func (f frame) at(row, col float64) vg.Point {
	u := (col - f.cols[0]) / (f.cols[1] - f.cols[0])
	v := (row - f.rows[0]) / (f.rows[1] - f.rows[0])
	size := f.box.Size()
	return vg.Point{X: f.box.Min.X + vg.Length(u)*size.X, Y: f.box.Max.Y - vg.Length(v)*size.Y}
}

// token is the square of the token at (row, col), or a part of it.
func (f frame) token(row, col, part float64) vg.Rectangle {
	a, b := f.at(row+part/2, col-part/2), f.at(row-part/2, col+part/2)
	return vg.Rectangle{Min: a, Max: b}
}

// unit is how wide a token is on the page.
func (f frame) unit() vg.Length { return f.box.Size().X / vg.Length(f.cols[1]-f.cols[0]) }

// has reports whether a place is inside, a margin away from the edge.
func (f frame) has(row, col, margin float64) bool {
	return row >= f.rows[0]+margin && row <= f.rows[1]-margin && col >= f.cols[0]+margin && col <= f.cols[1]-margin
}

// share is how much of the way from the query to x lies inside of a range.
func share(span [2]float64, x float64) float64 {
	if x < 0 {
		return min(1, span[0]/x)
	}
	return min(1, span[1]/max(x, math.SmallestNonzeroFloat64))
}

// shows reports whether some place of a line is inside.
func (f frame) shows(line [][2]float64) bool {
	return slices.ContainsFunc(line, func(p [2]float64) bool { return f.has(p[0], p[1], 0) })
}

// clip is a canvas on which lines end at the frame's edge.
func (f frame) clip(c draw.Canvas) draw.Canvas {
	return draw.Canvas{Canvas: c.Canvas, Rectangle: f.box}
}

// stroke draws lines through places, cut at the frame's edge.
func (f frame) stroke(c draw.Canvas, st draw.LineStyle, places ...[][2]float64) {
	inside := f.clip(c)
	for _, line := range places {
		points := make([]vg.Point, len(line))
		for i, p := range line {
			points[i] = f.at(p[0], p[1])
		}
		c.StrokeLines(st, inside.ClipLinesXY(points)...)
	}
}

// scale draws the grid of shifts, with numbers below and at the left where they are wanted.
func (f frame) scale(c draw.Canvas, t *theme, below, beside bool) {
	faint := draw.LineStyle{Color: t.faint, Width: vg.Points(gridWidth)}
	every := 2.0
	if f.cols[1]-f.cols[0] > 12 {
		every = 4
	}
	st := sans(labelSize, t.quiet)
	gap := vg.Points(3)
	for _, x := range multiples(f.cols, every) {
		f.stroke(c, faint, [][2]float64{{f.rows[0], x}, {f.rows[1], x}})
		if below {
			write(c, st, vg.Point{X: f.at(0, x).X, Y: f.box.Min.Y - gap}, middle, top, fmt.Sprint(x))
		}
	}
	for _, x := range multiples(f.rows, every) {
		f.stroke(c, faint, [][2]float64{{x, f.cols[0]}, {x, f.cols[1]}})
		if beside {
			write(c, st, vg.Point{X: f.box.Min.X - gap, Y: f.at(x, 0).Y}, right, centre, fmt.Sprint(x))
		}
	}
	outline(c, f.box, faint)
}

// multiples are those of a step inside of a range.
func multiples(span [2]float64, step float64) (values []float64) {
	for v := math.Ceil(span[0]/step) * step; v <= span[1]; v += step {
		values = append(values, v+0) // + 0: no -0
	}
	return values
}

// panels cuts an area into as many squares as wanted, across beside each other, with room between them.
func panels(area vg.Rectangle, n, across int, right, down vg.Length) []vg.Rectangle {
	size := (area.Size().X - vg.Length(across-1)*right) / vg.Length(across)
	boxes := make([]vg.Rectangle, n)
	for i := range boxes {
		x := area.Min.X + vg.Length(i%across)*(size+right)
		y := area.Max.Y - vg.Length(i/across)*(size+down)
		boxes[i] = vg.Rectangle{Min: vg.Point{X: x, Y: y - size}, Max: vg.Point{X: x + size, Y: y}}
	}
	return boxes
}

// mid is the middle of a rectangle.
func mid(r vg.Rectangle) vg.Point { return r.Min.Add(r.Max).Scale(0.5) }

// inset is a rectangle without margins at its sides, in cm.
func inset(r vg.Rectangle, left, right, bottom, top float64) vg.Rectangle {
	return vg.Rectangle{
		Min: vg.Point{X: r.Min.X + cm(left), Y: r.Min.Y + cm(bottom)},
		Max: vg.Point{X: r.Max.X - cm(right), Y: r.Max.Y - cm(top)},
	}
}
