package viz

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A mapsLayout is the layout of maps: a row for each layer, or several if its heads do not fit side by side, and the
// input image at the left.
type mapsLayout struct {
	o             MapsOptions
	width, height float64 // cm
	across        int     // maps side by side
	cell, aspect  float64 // width of a map in cm, height / width
	left          float64 // cm, to the first map
	image         float64 // cm, width of the input image; 0: none
	key           mapsKey
}

// Lengths of a figure of maps, in cm.
const (
	mapsEdge   = 0.3
	mapsNumber = 0.36 // above a map
	mapsGap    = 0.18
	mapsName   = 1.25 // "layer 1"
	mapsLeast  = 1.1  // smallest width of a map
	mapsMost   = 9    // maps side by side, if the width is not given
)

func newMapsLayout(views []View, o MapsOptions) *mapsLayout {
	l := &mapsLayout{o: o, aspect: 1, left: mapsEdge + mapsName, width: o.Width}
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
		if v.Image != nil && !o.Overlay {
			l.image = 3.2
		}
	}
	if l.width > 0 {
		l.image = min(l.image, l.width/5)
	}
	if l.image > 0 {
		l.left += l.image + 0.4
	}
	most := mapsMost
	if l.width > 0 {
		most = max(1, int((l.width-l.left-mapsEdge)/(mapsLeast+mapsGap)))
	}
	rows := (heads + most - 1) / most
	l.across = (heads + rows - 1) / rows
	if l.width == 0 {
		l.width = max(11, l.left+mapsEdge+float64(l.across)*(1.65+mapsGap))
	}
	l.cell = min(3.5, (l.width-l.left-mapsEdge)/float64(l.across)-mapsGap)
	l.key = newMapsKey(views, o, l.width)
	l.height = l.key.height()
	for _, v := range views {
		l.height += l.viewHeight(v)
	}
	return l
}

// row returns the height of a row of maps, in cm.
func (l *mapsLayout) row() float64 { return l.cell*l.aspect + mapsNumber + mapsGap/2 }

// rows returns the number of rows of maps of a layer.
func (l *mapsLayout) rows(layer MapLayer) int { return (len(layer.Heads) + l.across - 1) / l.across }

func (l *mapsLayout) title(v View) []string {
	title := v.Title
	if title == "" {
		title = fmt.Sprintf("query (%d, %d)", v.Query[0], v.Query[1])
	}
	return wrapWords(title, sans(titleSize, nil), cm(l.width-2*mapsEdge))
}

// head returns the height of a view's title, in cm.
func (l *mapsLayout) head(v View) float64 { return lineOfTitle*float64(len(l.title(v))) + 0.3 }

func (l *mapsLayout) viewHeight(v View) float64 {
	maps := 0.0
	for _, layer := range v.Layers {
		maps += l.row() * float64(l.rows(layer))
	}
	if l.image > 0 {
		maps = max(maps, l.image*l.aspect+mapsNumber)
	}
	return l.head(v) + maps + 0.15
}

// view draws one view, below top.
func (l *mapsLayout) view(c draw.Canvas, t *Theme, top vg.Length, v View) {
	for i, line := range l.title(v) {
		at := vg.Point{X: c.Min.X + cm(mapsEdge), Y: top - cm(0.2+lineOfTitle*float64(i))}
		write(c, t.Text(titleSize, t.Ink), at, left, draw.YTop, line)
	}
	y := top - cm(l.head(v))
	if l.image > 0 && v.Image != nil {
		box := l.box(c.Min.X+cm(mapsEdge), y-cm(mapsNumber), l.image)
		m := v.Layers[0].Heads[0]
		f := onImage(box, m.Rows, m.Cols)
		f.image(c, v.Image, m)
		f.square(c, t, v.Query)
		outline(c, box, draw.LineStyle{Color: t.Quiet, Width: t.points(gridWidth)})
	}
	for _, layer := range v.Layers {
		name := vg.Point{X: c.Min.X + cm(l.left-0.15), Y: y - cm(mapsNumber+l.cell*l.aspect/2)}
		write(c, t.Text(labelSize, t.Ink), name, right, center, fmt.Sprintf("layer %d", layer.Number))
		for k, h := range l.o.order(layer.Heads, v.Query) {
			at := vg.Point{X: c.Min.X + cm(l.left+float64(k%l.across)*(l.cell+mapsGap)),
				Y: y - cm(l.row()*float64(k/l.across))}
			l.drawMap(c, t, at, v, layer.Heads[h], h+1)
		}
		y -= cm(l.row() * float64(l.rows(layer)))
	}
}

// drawMap draws the map of a head with its number and its peak, below and right of a corner.
func (l *mapsLayout) drawMap(c draw.Canvas, t *Theme, corner vg.Point, v View, m Map, number int) {
	box := l.box(corner.X, corner.Y-cm(mapsNumber), l.cell)
	m.draw(c, t, l.o.window(box, m, v.Query), v, l.o)
	above := vg.Point{X: corner.X, Y: box.Max.Y + vg.Points(1.5)}
	write(c, t.Text(numberSize, t.Ink), above, left, bottom, fmt.Sprint(number))
	above.X += cm(l.cell)
	write(c, t.Text(numberSize, t.Quiet), above, right, bottom, l.o.peakText(m))
}

// box returns the box of a map below and right of a corner.
func (l *mapsLayout) box(x, y vg.Length, width float64) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x, Y: y - cm(width*l.aspect)}, Max: vg.Point{X: x + cm(width), Y: y}}
}

// peakText formats the map's peak or, of scores, the largest deviation from the mean.
func (o *MapsOptions) peakText(m Map) string {
	most, _ := m.scale(*o)
	sign, unit := "±", ""
	if !o.Scores {
		sign, unit, most = "", " %", 100*slices.Max(m.Values)
	}
	switch {
	case !o.Scores && most < 0.05:
		return "<0.1 %"
	case !o.Scores && most >= 99.5 && most < 100-1e-6:
		return ">99 %"
	case most < 9.95:
		return fmt.Sprintf("%s%.1f%s", sign, most, unit)
	}
	return fmt.Sprintf("%s%.0f%s", sign, most, unit)
}

// A mapsKey is the legend below the maps: of shades, numbers and marks.
type mapsKey struct {
	o     MapsOptions
	from  string   // before the scale
	lines []string // after the scale, and below it
}

const (
	mapsKeyBar  = 1.4 // cm
	mapsKeyLine = 0.42
)

func newMapsKey(views []View, o MapsOptions, width float64) mapsKey {
	k := mapsKey{o: o, from: "0"}
	words := "full color: the map's peak, the number above it"
	if o.Scores {
		k.from, words = "lower", "higher than the map's mean; full color: the number above it"
	}
	pale, outside := 0.0, false
	for _, v := range views {
		for _, layer := range v.Layers {
			for _, m := range layer.Heads {
				if full := m.fullShade(); !o.Scores && slices.Max(m.Values) < full {
					pale = max(pale, full)
				}
				f := o.window(vg.Rectangle{}, m, v.Query)
				outside = outside || !f.contains(m, m.peak(o), o)
			}
		}
	}
	if pale > 0 {
		words += fmt.Sprintf(", or %s where the peak is less", percent(math.Round(1000*pale)/1000))
	}
	texts := []string{words, "square: the query"}
	if outside {
		texts = append(texts, "arrow: the peak is outside, at this shift (rows, columns)")
	}
	k.lines = wrap(texts, cm(width-2*mapsEdge)-k.bar())
	return k
}

// bar returns the width of the scale with the text before it.
func (k mapsKey) bar() vg.Length {
	return sans(labelSize, nil).Width(k.from) + cm(mapsKeyBar) + vg.Points(8)
}

// height returns the height of the legend in cm.
func (k mapsKey) height() float64 { return 0.4 + mapsKeyLine*float64(len(k.lines)) }

func (k mapsKey) draw(c draw.Canvas, t *Theme) {
	from := 0.0
	if k.o.Scores {
		from = -1
	}
	st := t.Text(labelSize, t.Quiet)
	x, y := c.Min.X+cm(mapsEdge), c.Min.Y+cm(k.height()-0.35)
	write(c, st, vg.Point{X: x, Y: y}, left, center, k.from)
	x += st.Width(k.from) + vg.Points(4)
	box := vg.Rectangle{Min: vg.Point{X: x, Y: y - cm(0.12)}, Max: vg.Point{X: x + cm(mapsKeyBar), Y: y + cm(0.12)}}
	t.bar(c, box, func(x float64) color.NRGBA { return k.o.color(t, from+(1-from)*x) })
	x += cm(mapsKeyBar) + vg.Points(4)
	for i, line := range k.lines {
		write(c, st, vg.Point{X: x, Y: y - cm(mapsKeyLine*float64(i))}, left, center, line)
	}
}
