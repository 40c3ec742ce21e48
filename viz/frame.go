package viz

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A frame is a box on the page with coordinates (row, column): rows count downwards, columns to the right, as in an
// image.
type frame struct {
	box  vg.Rectangle
	rows [2]float64 // at the top and at the bottom
	cols [2]float64 // at the left and at the right
}

// around returns a frame with the query in the middle that reaches equally far to all sides.
func around(box vg.Rectangle, reach float64) frame {
	return frame{box, [2]float64{-reach, reach}, [2]float64{-reach, reach}}
}

// onImage returns the frame of an image of rows × cols tokens; the middle of the first is at (0, 0).
func onImage(box vg.Rectangle, rows, cols int) frame {
	return frame{box, [2]float64{-0.5, float64(rows) - 0.5}, [2]float64{-0.5, float64(cols) - 0.5}}
}

// at converts coordinates to a point on the page.
func (f frame) at(row, col float64) vg.Point {
	u := (col - f.cols[0]) / (f.cols[1] - f.cols[0])
	v := (row - f.rows[0]) / (f.rows[1] - f.rows[0])
	size := f.box.Size()
	return vg.Point{X: f.box.Min.X + vg.Length(u)*size.X, Y: f.box.Max.Y - vg.Length(v)*size.Y}
}

// token returns the square of the token at (row, col), scaled about its middle.
func (f frame) token(row, col, scale float64) vg.Rectangle {
	a, b := f.at(row+scale/2, col-scale/2), f.at(row-scale/2, col+scale/2)
	return vg.Rectangle{Min: a, Max: b}
}

// unit returns the width of a token on the page.
func (f frame) unit() vg.Length { return f.box.Size().X / vg.Length(f.cols[1]-f.cols[0]) }

// has reports whether (row, col) is inside the frame and at least margin from its edge.
func (f frame) has(row, col, margin float64) bool {
	return row >= f.rows[0]+margin && row <= f.rows[1]-margin && col >= f.cols[0]+margin && col <= f.cols[1]-margin
}

// share returns the fraction of the way from 0 to x that is inside a range around 0.
func share(span [2]float64, x float64) float64 {
	if x < 0 {
		return min(1, span[0]/x)
	}
	return min(1, span[1]/max(x, math.SmallestNonzeroFloat64))
}

// shows reports whether some point of a line is inside.
func (f frame) shows(line [][2]float64) bool {
	return slices.ContainsFunc(line, func(p [2]float64) bool { return f.has(p[0], p[1], 0) })
}

// clip returns the canvas clipped to the frame.
func (f frame) clip(c draw.Canvas) draw.Canvas {
	return draw.Canvas{Canvas: c.Canvas, Rectangle: f.box}
}

// stroke draws lines, clipped to the frame.
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

// scale draws the grid of shifts, with coordinates below and at the left if wanted.
func (f frame) scale(c draw.Canvas, t *Theme, below, atLeft bool) {
	faint := draw.LineStyle{Color: t.Faint, Width: t.points(gridWidth)}
	every := 2.0
	if f.cols[1]-f.cols[0] > 12 {
		every = 4
	}
	st := t.Text(labelSize, t.Quiet)
	gap := vg.Points(3)
	for _, x := range multiples(f.cols, every) {
		f.stroke(c, faint, [][2]float64{{f.rows[0], x}, {f.rows[1], x}})
		if below {
			write(c, st, vg.Point{X: f.at(0, x).X, Y: f.box.Min.Y - gap}, middle, top, fmt.Sprint(x))
		}
	}
	for _, x := range multiples(f.rows, every) {
		f.stroke(c, faint, [][2]float64{{x, f.cols[0]}, {x, f.cols[1]}})
		if atLeft {
			write(c, st, vg.Point{X: f.box.Min.X - gap, Y: f.at(x, 0).Y}, right, center, fmt.Sprint(x))
		}
	}
	outline(c, f.box, faint)
}

// multiples returns the multiples of step in a range.
func multiples(span [2]float64, step float64) (values []float64) {
	for v := math.Ceil(span[0]/step) * step; v <= span[1]; v += step {
		values = append(values, v+0) // + 0: no -0
	}
	return values
}

// panels divides an area into n squares, across of them side by side, with gaps right and down between them.
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

// mid returns the middle of a rectangle.
func mid(r vg.Rectangle) vg.Point { return r.Min.Add(r.Max).Scale(0.5) }

// inset returns a rectangle without its margins, in cm.
func inset(r vg.Rectangle, left, right, bottom, top float64) vg.Rectangle {
	return vg.Rectangle{
		Min: vg.Point{X: r.Min.X + cm(left), Y: r.Min.Y + cm(bottom)},
		Max: vg.Point{X: r.Max.X - cm(right), Y: r.Max.Y - cm(top)},
	}
}
