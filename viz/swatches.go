package viz

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// swatches are the fills of stacked bars and their key: shades from deep to pale, and a hatched one of the other hue
// for the last part. The key is beside the bars, in their order, or below them.
type swatches struct {
	names  []string
	note   string  // below the entries
	width  float64 // of the figure, in cm
	beside float64 // width of the key beside the bars, in cm; 0: it is below
}

func newSwatches(names []string, width float64) swatches {
	s := swatches{names: names, width: width}
	if width >= barsBeside {
		for _, name := range names {
			s.beside = max(s.beside, min(4.2, float64(sans(labelSize, nil).Width(name)/vg.Centimeter)+barsSwatch+0.55))
		}
		s.beside = max(s.beside, 3.2)
	}
	return s
}

// shade returns the ground of part k.
func (s swatches) shade(t *Theme, k int) color.NRGBA {
	if k == len(s.names)-1 {
		return t.Shade(-0.3)
	}
	const deepest, palest = 0.92, 0.14
	return t.Shade(deepest - (deepest-palest)*float64(k)/float64(max(2, len(s.names)-2)))
}

// fill paints a rectangle with the pattern of part k, and returns its ground.
func (s swatches) fill(c draw.Canvas, t *Theme, r vg.Rectangle, k int) color.NRGBA {
	shade := s.shade(t, k)
	fill(c, r, shade)
	if k < len(s.names)-1 {
		return shade
	}
	hatch(c, r, draw.LineStyle{Color: t.Shade(-0.62), Width: vg.Points(0.5)}, vg.Points(3.2))
	return shade
}

// rows divides the key into lines: one for each name beside the bars, the last part first, else as many as fit.
func (s swatches) rows() (rows [][]int) {
	if s.beside > 0 {
		for k := range s.names {
			rows = append(rows, []int{len(s.names) - 1 - k})
		}
		return rows
	}
	least, used := cm(s.width-2*marginRight), vg.Length(0)
	for k := range s.names {
		if used += s.entry(k); len(rows) == 0 || used > least {
			rows, used = append(rows, nil), s.entry(k)
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], k)
	}
	return rows
}

// entry returns the width of one in the key.
func (s swatches) entry(k int) vg.Length {
	return sans(labelSize, nil).Width(s.names[k]) + cm(barsSwatch+0.45)
}

// notes returns the lines of the note.
func (s swatches) notes() []string {
	width := s.width - 2*marginRight
	if s.beside > 0 {
		width = s.beside - 0.3
	}
	return wrapWords(s.note, sans(labelSize, nil), cm(width))
}

// below returns the height of the key below the bars, in cm.
func (s swatches) below() float64 {
	if s.beside > 0 {
		return 0
	}
	return keyLine*float64(len(s.rows())+len(s.notes())) + 0.2
}

func (s swatches) draw(c draw.Canvas, t *Theme, b *bars) {
	at := vg.Point{X: c.Min.X + cm(marginRight), Y: c.Min.Y + cm(s.below()-keyLine/2-0.05)}
	if s.beside > 0 {
		at = vg.Point{X: b.box.Max.X + cm(0.3), Y: b.box.Max.Y - cm(keyLine/2)}
	}
	st := t.Text(labelSize, t.Ink)
	for _, row := range s.rows() {
		x := at.X
		for _, k := range row {
			half := cm(barsSwatch / 2)
			box := vg.Rectangle{Min: vg.Point{X: x, Y: at.Y - half}, Max: vg.Point{X: x + 2*half, Y: at.Y + half}}
			s.fill(c, t, box, k)
			outline(c, box, draw.LineStyle{Color: t.Quiet, Width: t.points(gridWidth)})
			write(c, st, vg.Point{X: box.Max.X + cm(0.13), Y: at.Y}, left, center, s.names[k])
			x += s.entry(k)
		}
		at.Y -= cm(keyLine)
	}
	if s.beside > 0 {
		at.Y -= cm(0.15)
	}
	for _, line := range s.notes() {
		write(c, t.Text(labelSize, t.Quiet), vg.Point{X: at.X, Y: at.Y}, left, center, line)
		at.Y -= cm(keyLine)
	}
}
