package viz

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/internal/fault"
)

// SimilarityOptions say how Similarity draws.
type SimilarityOptions struct {
	RowsOf, ColsOf string      // whose layers the rows and the columns are
	Null           [][]float64 // of untrained networks, in parentheses below each value; nil: none
	Width          float64     // of the figure; 0: as the layers need, up to 24 cm
}

// A similarity is the layout of a matrix of similarities, in cm.
type similarity struct {
	values     [][]float64
	rows, cols []string
	o          SimilarityOptions
	cell, left float64
}

// Lengths of a matrix of similarities, in cm.
const (
	similarityEdge = 0.3
	similarityWord = 0.55 // whose layers they are
	similarityFoot = 0.75
	similarityBoth = 0.65 // cells that have room for a second number
)

// Similarity draws how similar layers are, from 0 to 1: a row for each of one network, a column for each of another or
// the same, the first at the top left, and the value in each cell, in per cent. Negative estimates are drawn as 0; a
// value that is NaN is left empty.  values (rows, cols)
func Similarity(values [][]float64, rows, cols []string, o SimilarityOptions) (*Figure, error) {
	s := &similarity{values: values, rows: rows, cols: cols, o: o}
	if len(rows) == 0 || len(cols) == 0 || len(values) != len(rows) {
		return nil, fault.Usagef("similarities of %d rows and %d columns for %d and %d layers", len(values), len(cols),
			len(rows), len(cols))
	}
	if o.Null != nil && len(o.Null) != len(rows) {
		return nil, fault.Usagef("%d rows of untrained networks for %d layers", len(o.Null), len(rows))
	}
	for _, row := range slices.Concat(values, o.Null) {
		if len(row) != len(cols) {
			return nil, fault.Usagef("similarities have a row of %d for %d layers", len(row), len(cols))
		}
		for _, v := range row {
			if v > 1+1e-6 || math.IsInf(v, 0) {
				return nil, fault.Usagef("a similarity of %v: want 1 at most", v)
			}
		}
	}
	name := vg.Length(0)
	for _, r := range rows {
		name = max(name, sans(labelSize, nil).Width(r))
	}
	s.left = similarityEdge + similarityWord + min(3, float64(name/vg.Centimeter)) + 0.15
	if s.o.Width == 0 {
		s.o.Width = min(24, max(9, s.left+similarityEdge+0.95*float64(len(cols))))
	}
	s.cell = min(1.2, (s.o.Width-s.left-similarityEdge)/float64(len(cols)))
	f := &Figure{Width: s.o.Width, Height: s.head() + s.cell*float64(len(rows)) + similarityFoot, Alt: s.alt(),
		Data: s.table()}
	f.Drawing = s.draw
	return f, nil
}

func (s *similarity) head() float64 { return similarityEdge + similarityWord + 0.5 }

func (s *similarity) draw(c draw.Canvas, t *Theme) {
	corner := vg.Point{X: c.Min.X + cm(s.left), Y: c.Max.Y - cm(s.head())}
	cell := cm(s.cell)
	every := max(1, int(0.45/s.cell+0.99)) // leaves out names that would overlap
	for i, name := range s.rows {
		if i%every == 0 {
			write(c, t.Text(labelSize, t.Ink), corner.Add(vg.Point{X: -vg.Points(4), Y: -cell * (vg.Length(i) + 0.5)}),
				right, center, name)
		}
	}
	for k, name := range s.cols {
		if k%every == 0 {
			write(c, t.Text(labelSize, t.Ink), corner.Add(vg.Point{X: cell * (vg.Length(k) + 0.5), Y: vg.Points(4)}),
				middle, bottom, name)
		}
	}
	for i, row := range s.values {
		for k, v := range row {
			if math.IsNaN(v) {
				continue
			}
			box := vg.Rectangle{
				Min: corner.Add(vg.Point{X: cell * vg.Length(k), Y: -cell * vg.Length(i+1)}),
				Max: corner.Add(vg.Point{X: cell * vg.Length(k+1), Y: -cell * vg.Length(i)}),
			}
			shade := t.Shade(max(0, v))
			fill(c, box, shade)
			st, word := t.Text(numberSize, t.contrasting(shade)), fmt.Sprintf("%.0f", 100*v)
			at := mid(box)
			if null := s.null(i, k); !math.IsNaN(null) && cell > cm(similarityBoth) {
				write(c, t.Text(numberSize, t.contrasting(shade)), at.Add(vg.Point{Y: -cell * 0.22}), middle, center,
					fmt.Sprintf("(%.0f)", 100*null))
				at.Y += cell * 0.2
			}
			if fits(st, word, box) {
				write(c, st, at, middle, center, word)
			}
		}
	}
	box := vg.Rectangle{Min: corner.Add(vg.Point{Y: -cell * vg.Length(len(s.rows))}),
		Max: corner.Add(vg.Point{X: cell * vg.Length(len(s.cols))})}
	outline(c, box, draw.LineStyle{Color: t.Quiet, Width: t.points(gridWidth)})
	quiet := t.Text(labelSize, t.Quiet)
	write(c, quiet, vg.Point{X: mid(box).X, Y: c.Max.Y - cm(similarityEdge)}, middle, top, s.o.ColsOf)
	quiet.Rotation = quarter
	write(c, quiet, vg.Point{X: c.Min.X + cm(similarityEdge), Y: mid(box).Y}, middle, top, s.o.RowsOf)
	s.scale(c, t)
}

// scale draws the shades and says what they are.
func (s *similarity) scale(c draw.Canvas, t *Theme) {
	st, at := t.Text(numberSize, t.Quiet), vg.Point{X: c.Min.X + cm(similarityEdge), Y: c.Min.Y + cm(0.35)}
	const from = "CKA, 0"
	write(c, st, at, left, center, from)
	x := at.X + st.Width(from) + vg.Points(4)
	box := vg.Rectangle{Min: vg.Point{X: x, Y: at.Y - cm(0.12)},
		Max: vg.Point{X: x + cm(mapsKeyBar), Y: at.Y + cm(0.12)}}
	t.bar(c, box, t.Shade)
	write(c, st, vg.Point{X: box.Max.X + vg.Points(4), Y: at.Y}, left, center, "to 100 %")
}

// null is what untrained networks have in place of a value; NaN if nothing is known.
func (s *similarity) null(i, k int) float64 {
	if s.o.Null == nil {
		return math.NaN()
	}
	return s.o.Null[i][k]
}

func (s *similarity) alt() string {
	least, row, col := math.Inf(1), 0, 0
	for i := range s.values {
		for k, v := range s.values[i] {
			if v < least {
				least, row, col = v, i, k
			}
		}
	}
	return fmt.Sprintf("Similarity of %d layers with %d. Least: %.2f, of %s and %s.", len(s.rows), len(s.cols), least,
		s.rows[row], s.cols[col])
}

func (s *similarity) table() Table {
	t := Table{Columns: []string{"row", "column", "cka", "untrained"}}
	for i, row := range s.rows {
		for k, col := range s.cols {
			t.add(row, col, s.values[i][k], s.null(i, k))
		}
	}
	return t
}
