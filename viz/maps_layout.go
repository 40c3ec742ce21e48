package viz

import (
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A mapsLayout is where maps stand: a row for each layer, a column for each head, a picture at the left.
type mapsLayout struct {
	o             MapsOptions
	width, height float64 // cm
	cell, aspect  float64 // width of a map in cm, and its height by its width
	left          float64 // cm, to the first map
	picture       float64 // cm, of the picture beside; 0: none
}

// Lengths of a figure of maps, in cm.
const (
	mapsEdge   = 0.3
	mapsTitle  = 0.75 // above a view
	mapsNumber = 0.34 // above a map
	mapsGap    = 0.18
	mapsName   = 1.25 // "layer 1"
	mapsKey    = 0.9
)

func newMapsLayout(views []View, o MapsOptions) *mapsLayout {
	l := &mapsLayout{o: o, aspect: 1, left: mapsEdge + mapsName}
	heads := 1
	for _, v := range views {
		for _, layer := range v.Layers {
			heads = max(heads, len(layer.Heads))
			for _, m := range layer.Heads {
				if o.Zoom == 0 {
					l.aspect = float64(m.Rows) / float64(m.Cols)
				}
			}
		}
		if v.Picture != nil && !o.Over {
			l.picture = 3.2
		}
	}
	if l.picture > 0 {
		l.left += l.picture + 0.4
	}
	l.width = o.Width
	if l.width == 0 {
		l.width = max(11, l.left+mapsEdge+float64(heads)*(1.65+mapsGap))
	}
	l.cell = min(3.5, (l.width-l.left-mapsEdge)/float64(heads)-mapsGap)
	l.height = mapsKey
	for _, v := range views {
		l.height += l.viewHeight(v)
	}
	return l
}

// row is the height of a row of maps, in cm.
func (l *mapsLayout) row() float64 { return l.cell*l.aspect + mapsNumber + mapsGap/2 }

func (l *mapsLayout) viewHeight(v View) float64 {
	maps := l.row() * float64(len(v.Layers))
	if l.picture > 0 {
		maps = max(maps, l.picture*l.aspect+mapsNumber)
	}
	return mapsTitle + maps + 0.15
}

// view draws one view, below top.
func (l *mapsLayout) view(c draw.Canvas, t *theme, top vg.Length, v View) {
	title := v.Title
	if title == "" {
		title = fmt.Sprintf("query (%d, %d)", v.Query[0], v.Query[1])
	}
	write(c, sans(titleSize, t.ink), vg.Point{X: c.Min.X + cm(mapsEdge), Y: top - cm(0.2)}, left, draw.YTop, title)
	y := top - cm(mapsTitle)
	if l.picture > 0 && v.Picture != nil {
		box := l.box(c.Min.X+cm(mapsEdge), y-cm(mapsNumber), l.picture)
		m := v.Layers[0].Heads[0]
		f := onPicture(box, m.Rows, m.Cols)
		f.picture(c, v.Picture, m)
		f.square(c, t, v.Query)
		outline(c, box, draw.LineStyle{Color: t.quiet, Width: vg.Points(gridWidth)})
	}
	for _, layer := range v.Layers {
		name := vg.Point{X: c.Min.X + cm(l.left-0.15), Y: y - cm(mapsNumber+l.cell*l.aspect/2)}
		write(c, sans(labelSize, t.ink), name, right, centre, fmt.Sprintf("layer %d", layer.Number))
		for k, h := range l.o.order(layer.Heads, v.Query) {
			x := c.Min.X + cm(l.left+float64(k)*(l.cell+mapsGap))
			box := l.box(x, y-cm(mapsNumber), l.cell)
			m := layer.Heads[h]
			m.draw(c, t, l.o.window(box, m, v.Query), v, l.o)
			above := vg.Point{X: x, Y: box.Max.Y + vg.Points(1.5)}
			write(c, sans(numberSize, t.ink), above, left, bottom, fmt.Sprint(h+1))
			above.X += cm(l.cell)
			write(c, sans(smallSize, t.quiet), above, right, bottom, l.o.end(m))
		}
		y -= cm(l.row())
	}
}

// box is a map's place below and right of a corner.
func (l *mapsLayout) box(x, y vg.Length, width float64) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x, Y: y - cm(width*l.aspect)}, Max: vg.Point{X: x + cm(width), Y: y}}
}

// end is the number of the deepest shade, in words.
func (o *MapsOptions) end(m Map) string {
	most, _ := m.scale(*o)
	sign, unit := "±", ""
	if !o.Scores {
		sign, unit, most = "", " %", 100*most
	}
	if most < 9.95 {
		return fmt.Sprintf("%s%.1f%s", sign, most, unit)
	}
	return fmt.Sprintf("%s%.0f%s", sign, most, unit)
}

// key says at the bottom what shades are.
func (l *mapsLayout) key(c draw.Canvas, t *theme) {
	from, words := 0.0, [2]string{"0", "share above the map"}
	if l.o.Scores {
		from, words = -1, [2]string{"lower", "higher, from the map's mean"}
	}
	st := sans(labelSize, t.quiet)
	x, y := c.Min.X+cm(l.left), c.Min.Y+cm(0.45)
	write(c, st, vg.Point{X: x, Y: y}, left, centre, words[0])
	x += st.Width(words[0]) + vg.Points(4)
	const steps, step = 40, 0.045
	for i := range steps {
		at := vg.Rectangle{Min: vg.Point{X: x + cm(step*float64(i)), Y: y - cm(0.12)}}
		at.Max = at.Min.Add(vg.Point{X: cm(step), Y: cm(0.24)})
		fill(c, at, l.o.color(t, from+(1-from)*(float64(i)+0.5)/steps))
	}
	outline(c, vg.Rectangle{Min: vg.Point{X: x, Y: y - cm(0.12)}, Max: vg.Point{X: x + cm(step*steps), Y: y + cm(0.12)}},
		draw.LineStyle{Color: t.quiet, Width: vg.Points(gridWidth)})
	x += cm(step*steps) + vg.Points(4)
	write(c, st, vg.Point{X: x, Y: y}, left, centre, words[1]+"     square: the query")
}
