package viz

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/option"
)

// A Map is an attention map: for one query, the attention probability of every token of an image in row-major order, or
// its score before the softmax.
type Map struct {
	Rows, Cols int
	Values     []float64
}

// A MapLayer is the maps of a layer's heads; Number counts from 1.
type MapLayer struct {
	Number int
	Heads  []Map
}

// A View is the attention maps of all heads for one query.
type View struct {
	Title  string // such as "query (8, 8), mean over 100 test images"; may be empty
	Query  [2]int // (row, column) in tokens, from 0
	Layers []MapLayer
	Image  image.Image // the input, or nil
}

// MapsOptions say how Maps draws.
type MapsOptions struct {
	Zoom    int     // draw a square of so many tokens per side around the query; 0: the whole image
	Sort    string  // order of a layer's heads, one of Sorts
	Scores  bool    // the values are scores before the softmax
	Overlay bool    // draw maps over the view's image, instead of next to it
	Width   float64 // of the figure; 0: that of the maps
}

// Sorts are the orders of heads.
var Sorts = option.List[Sort]{
	{"number", "by number", func(Map, [2]int) float64 { return 0 }},
	{"center", "by the distance of the mean of their attention from the query", Map.distance},
	{"peak", "by their peak, largest first", func(m Map, _ [2]int) float64 { return -slices.Max(m.Values) }},
}

// A Sort is an order of the heads of a layer: by key, the smallest first, and by number where keys are equal.
type Sort struct {
	Name, Help string
	key        func(m Map, query [2]int) float64
}

// Entry implements option.Named.
func (s Sort) Entry() (name, help string) { return s.Name, s.Help }

// Maps draws views below each other, each with a row of maps for every layer and a column for every head, as in Figures
// 5 to 10 of the paper. A layer whose maps do not fit side by side has several rows. Every map has its own scale, from
// 0 to its peak, which is written above it. An arrow points to a peak that is outside of a zoom.
func Maps(views []View, o MapsOptions) (*Figure, error) {
	if err := o.check(views); err != nil {
		return nil, err
	}
	l := newMapsLayout(views, o)
	f := &Figure{Width: l.width, Height: l.height, Alt: mapsAlt(views, o), Data: mapsTable(views)}
	f.Drawing = func(c draw.Canvas, t *Theme) {
		top := c.Max.Y
		for _, v := range views {
			l.view(c, t, top, v)
			top -= cm(l.viewHeight(v))
		}
		l.key.draw(c, t)
	}
	return f, nil
}

func (o *MapsOptions) check(views []View) error {
	if o.Sort != "" && !Sorts.Has(o.Sort) {
		return fault.Usagef("no order %q; known: %s", o.Sort, strings.Join(Sorts.Names(), ", "))
	}
	if o.Zoom < 0 || o.Zoom > 0 && o.Zoom%2 == 0 {
		return fault.Usagef("a zoom of %d tokens: want an odd number, so that the query is in the middle", o.Zoom)
	}
	maps := 0
	for _, v := range views {
		for _, l := range v.Layers {
			for _, m := range l.Heads {
				maps++
				if m.Rows < 1 || m.Cols < 1 || len(m.Values) != m.Rows*m.Cols {
					return fault.Usagef("a map of %d × %d tokens with %d values", m.Rows, m.Cols, len(m.Values))
				}
				if err := (Grid{m.Rows, m.Cols, v.Query}).check(); err != nil {
					return err
				}
			}
		}
	}
	if maps == 0 {
		return fault.Usagef("no maps to draw")
	}
	return nil
}

// order returns the indices of a layer's heads in drawing order.
func (o *MapsOptions) order(heads []Map, query [2]int) []int {
	order := make([]int, len(heads))
	by, s := make([]float64, len(heads)), Sorts[0]
	if o.Sort != "" {
		s = *Sorts.Find(o.Sort)
	}
	for i, m := range heads {
		order[i], by[i] = i, s.key(m, query)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(by[a], by[b]) })
	return order
}

// distance returns the distance of the mean of the attention from the query, in tokens.
func (m Map) distance(query [2]int) float64 {
	var sum, row, col float64
	for i, x := range m.Values {
		sum += x
		row += x * float64(i/m.Cols-query[0])
		col += x * float64(i%m.Cols-query[1])
	}
	return math.Hypot(row/sum, col/sum)
}

// window returns the frame of the drawn tokens in a box: the image, or the square around the query.
func (o *MapsOptions) window(box vg.Rectangle, m Map, query [2]int) frame {
	if o.Zoom == 0 {
		return onImage(box, m.Rows, m.Cols)
	}
	half, row, col := float64(o.Zoom)/2, float64(query[0]), float64(query[1])
	return frame{box, [2]float64{row - half, row + half}, [2]float64{col - half, col + half}}
}

// draw draws one map and its query into a frame.
func (m Map) draw(c draw.Canvas, t *Theme, f frame, v View, o MapsOptions) {
	if o.Overlay && v.Image != nil {
		f.image(c, grayed(v.Image, t), m)
	}
	f.shades(c, t, m, o)
	f.square(c, t, v.Query)
	outline(c, f.box, draw.LineStyle{Color: t.Quiet, Width: t.points(gridWidth)})
	if at := m.peak(o); !f.contains(m, at, o) {
		f.peakArrow(c, t, [2]int{at[0] - v.Query[0], at[1] - v.Query[1]}, v.Query)
	}
}

// peak returns the token with the largest attention or, of scores, the largest deviation from the mean.
func (m Map) peak(o MapsOptions) (token [2]int) {
	_, zero := m.scale(o)
	at := 0
	for i, x := range m.Values {
		if math.Abs(x-zero) > math.Abs(m.Values[at]-zero) {
			at = i
		}
	}
	return [2]int{at / m.Cols, at % m.Cols}
}

// contains reports whether a token, or another with nearly its value, is in the frame.
func (f frame) contains(m Map, token [2]int, o MapsOptions) bool {
	_, zero := m.scale(o)
	most := math.Abs(m.Values[token[0]*m.Cols+token[1]] - zero)
	for i, x := range m.Values {
		if math.Abs(x-zero) >= 0.999*most && f.has(float64(i/m.Cols), float64(i%m.Cols), 0) {
			return true
		}
	}
	return false
}

// peakArrow marks a token outside of the frame: an arrow at the edge, away from the query, and the token's shift.
func (f frame) peakArrow(c draw.Canvas, t *Theme, shift, query [2]int) {
	row, col := float64(shift[0]), float64(shift[1])
	out := min(share([2]float64{f.rows[0] - float64(query[0]), f.rows[1] - float64(query[0])}, row),
		share([2]float64{f.cols[0] - float64(query[1]), f.cols[1] - float64(query[1])}, col)) * 0.97
	from := f.at(float64(query[0]), float64(query[1]))
	tip := f.at(float64(query[0])+out*row, float64(query[1])+out*col)
	d := tip.Sub(from)
	d = d.Scale(min(vg.Points(6), f.box.Size().X/7) / size(d))
	tail, side := tip.Sub(d), vg.Point{X: -d.Y * 0.5, Y: d.X * 0.5}
	c.StrokeLines(draw.LineStyle{Color: t.Ground, Width: vg.Points(1.6)},
		[]vg.Point{tip, tail.Add(side), tail.Sub(side), tip})
	c.FillPolygon(t.Ink, []vg.Point{tip, tail.Add(side), tail.Sub(side)})
	text := strings.ReplaceAll(fmt.Sprintf("(%+d, %+d)", shift[0], shift[1]), "+0", "0")
	st := t.Text(numberSize, t.Ink)
	half := st.Width(typeset(text))/2 + 1.5
	at := vg.Point{X: min(max(tip.X, f.box.Min.X+half), f.box.Max.X-half), Y: f.box.Min.Y + numberSize*0.7}
	if d.Y < 0 { // at the edge opposite to the arrow
		at.Y = f.box.Max.Y - numberSize*0.7
	}
	t.halo(c, st, at, text)
}

// square outlines a token.
func (f frame) square(c draw.Canvas, t *Theme, token [2]int) {
	r := f.token(float64(token[0]), float64(token[1]), 1)
	width := min(vg.Points(1), f.unit()/4)
	outline(c, r, draw.LineStyle{Color: t.Ground, Width: 2.4 * width})
	outline(c, r, draw.LineStyle{Color: t.Ink, Width: width})
}

// scale returns the range of the shades: most is the deviation from zero with the deepest shade. Of scores, zero is the
// mean. Of attention it is 0, and most is at least fullShade, so that nearly uniform attention is pale.
func (m Map) scale(o MapsOptions) (most, zero float64) {
	if !o.Scores {
		return max(slices.Max(m.Values), m.fullShade()), 0
	}
	for _, x := range m.Values {
		zero += x / float64(len(m.Values))
	}
	for _, x := range m.Values {
		most = max(most, math.Abs(x-zero))
	}
	return most, zero
}

// fullShade returns the smallest attention that may have the deepest shade: four times the uniform attention.
func (m Map) fullShade() float64 { return min(1, 4/float64(len(m.Values))) }

func mapsAlt(views []View, o MapsOptions) string {
	what := "how much each head attends to every token"
	if o.Scores {
		what = "each head's scores of every token"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Maps of %s.", what)
	for _, v := range views {
		fmt.Fprintf(&b, " %s:", strings.TrimSpace(fmt.Sprintf("Query (%d, %d) %s", v.Query[0], v.Query[1], v.Title)))
		for _, l := range v.Layers {
			fmt.Fprintf(&b, " layer %d, %d heads;", l.Number, len(l.Heads))
		}
	}
	return strings.TrimSuffix(b.String(), ";") + "."
}

func mapsTable(views []View) Table {
	t := Table{Columns: []string{"view", "query_row", "query_column", "layer", "head", "row", "column", "value"}}
	for n, v := range views {
		for _, l := range v.Layers {
			for h, m := range l.Heads {
				for i, x := range m.Values {
					t.add(n+1, v.Query[0], v.Query[1], l.Number, h+1, i/m.Cols, i%m.Cols, x)
				}
			}
		}
	}
	return t
}
