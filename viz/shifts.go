package viz

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/posenc/geometry"
)

// ShiftsOptions say how Shifts draws.
type ShiftsOptions struct {
	Weights [][][]float64 // of each head, (in, out), drawn as shades; nil: an empty square each
	Reach   int           // tokens to each side of the query; 0: up to the farthest center, from 2 to 8
	Width   float64       // of the figure; 0: 17 cm
}

// Shifts draws a layer of Gaussian heads as a sum over shifts, as in Figure 1 of the paper: each head attends, in its
// color, to a shift of its own from the query (outlined) and multiplies the result by its matrix; Y at the query is the
// sum over heads. Maps of uniform heads are left empty.
func Shifts(l Layer, o ShiftsOptions) (*Figure, error) {
	if len(l.Heads) == 0 {
		return nil, fault.Usagef("no heads to draw")
	}
	if o.Weights != nil && len(o.Weights) != len(l.Heads) {
		return nil, fault.Usagef("%d heads with %d matrices", len(l.Heads), len(o.Weights))
	}
	if o.Reach == 0 {
		o.Reach = 2
		for _, h := range l.Heads {
			if !h.Uniform() {
				o.Reach = max(o.Reach, min(8, int(math.Ceil(max(math.Abs(h.Center[0]), math.Abs(h.Center[1]))))))
			}
		}
	}
	if o.Width == 0 {
		o.Width = 17
	}
	s := newShifts(l, o)
	f := &Figure{Width: o.Width, Height: s.height, Drawing: s.draw}
	contour := HeadsOptions{Contours: []float64{0.5}, Frame: float64(o.Reach) + 0.5}
	f.Alt, f.Data = headsAlt([]Layer{l}, contour), headsTable([]Layer{l}, contour)
	return f, nil
}

// shifts is the layout of the figure, in cm.
type shifts struct {
	l             Layer
	o             ShiftsOptions
	height        float64
	side          float64     // of the two images
	columns, rows int         // of the heads between them
	cell          float64     // side of a head's map and of its matrix
	gap           float64     // on both sides of the heads
	below         [3][]string // texts below the image, the heads and the sum
	lines         int         // of the longest of these
}

// shiftsWords describe the image, the heads and the sum.
var shiftsWords = [3]string{"X with the query's attention", "attention × matrix", "Y at the query"}

// foot returns the height of the texts below, in cm.
func (s *shifts) foot() float64 { return shiftsBottom + captionLine*float64(s.lines) }

// Lengths of the figure, in cm.
const (
	shiftsTop    = 1.1
	shiftsBottom = 0.62 // without the lines of text
	shiftsEdge   = 0.4
	shiftsGap    = 0.9 // on both sides of the heads, at most
)

func newShifts(l Layer, o ShiftsOptions) *shifts {
	s := &shifts{l: l, o: o, side: o.Width * 0.31}
	s.columns = (len(l.Heads) + 8) / 9
	s.rows = (len(l.Heads) + s.columns - 1) / s.columns
	s.gap = min(shiftsGap, o.Width/20)
	between := o.Width - 2*s.side - 2*shiftsEdge
	for i, words := range shiftsWords {
		width := cm([]float64{s.side, between, s.side}[i])
		s.below[i] = wrapWords(words, sans(labelSize, nil), width)
		s.lines = max(s.lines, len(s.below[i]))
	}
	width := between - 2*s.gap
	s.cell = min(1.3, width/float64(s.columns)/3.1, 0.85*s.side*1.25/float64(s.rows))
	high := max(s.side, s.cell*1.15*float64(s.rows))
	s.height = shiftsTop + high + s.foot()
	return s
}

func (s *shifts) draw(c draw.Canvas, t *Theme) {
	in := vg.Rectangle{Min: vg.Point{X: c.Min.X + cm(shiftsEdge), Y: s.middle(c) - cm(s.side/2)}}
	in.Max = in.Min.Add(vg.Point{X: cm(s.side), Y: cm(s.side)})
	out := in.Add(vg.Point{X: cm(s.o.Width - 2*shiftsEdge - s.side)})
	reach := float64(s.o.Reach) + 0.5
	from, to := around(in, reach), around(out, reach)
	s.tokens(c, t, from)
	s.tokens(c, t, to)
	most := 0.0
	for _, h := range s.l.Heads {
		most = max(most, s.most(h))
	}
	for i, h := range s.l.Heads {
		if !h.Uniform() {
			s.glaze(c, t, from, i, most)
		}
	}
	for i, h := range s.l.Heads {
		attention, matrix := s.boxes(c, i)
		line := draw.LineStyle{Color: blend(t.Ground, t.Head(i), 0.7), Width: vg.Points(0.7)}
		if from.has(h.Center[0], h.Center[1], 0) && !h.Uniform() {
			bend(c, line, from.at(h.Center[0], h.Center[1]), vg.Point{X: attention.Min.X, Y: mid(attention).Y})
		}
		bend(c, line, vg.Point{X: matrix.Max.X, Y: mid(matrix).Y}, to.at(0, 0))
	}
	for i := range s.l.Heads {
		s.head(c, t, i)
	}
	fill(c, to.token(0, 0, 1), t.Ink)
	query := from.token(0, 0, 1)
	outline(c, query, draw.LineStyle{Color: t.Ground, Width: vg.Points(3)})
	outline(c, query, draw.LineStyle{Color: t.Ink, Width: vg.Points(1.4)})
	for i, h := range s.l.Heads {
		if from.has(h.Center[0], h.Center[1], 0) && !h.Uniform() {
			t.halo(c, t.Text(numberSize, t.Ink), from.at(h.Center[0], h.Center[1]), fmt.Sprint(i+1))
		}
	}
	s.words(c, t, in, out)
}

// tokens draws the grid of tokens.
func (s *shifts) tokens(c draw.Canvas, t *Theme, f frame) {
	line := draw.LineStyle{Color: t.Faint, Width: vg.Points(0.6)}
	for x := f.rows[0]; x <= f.rows[1]; x++ {
		f.stroke(c, line, [][2]float64{{x, f.cols[0]}, {x, f.cols[1]}}, [][2]float64{{f.rows[0], x}, {f.rows[1], x}})
	}
}

// middle returns the middle of the drawing between the texts above and below.
func (s *shifts) middle(c draw.Canvas) vg.Length {
	return c.Min.Y + cm(s.foot()+(s.height-shiftsTop-s.foot())/2)
}

// attention returns the attention probabilities of a head on the drawn tokens.
func (s *shifts) attention(h geometry.Head) []float64 {
	n := 2*s.o.Reach + 1
	return probabilities(h, Middle(n, n))
}

func (s *shifts) most(h geometry.Head) float64 { return slices.Max(s.attention(h)) }

// glaze colors the tokens by the attention of head i; full color is most.
func (s *shifts) glaze(c draw.Canvas, t *Theme, f frame, i int, most float64) {
	n := 2*s.o.Reach + 1
	img := image.NewNRGBA(image.Rect(0, 0, n*grain, n*grain))
	for k, x := range s.attention(s.l.Heads[i]) {
		col := t.Head(i)
		col.A = uint8(math.Round(190 * x / most))
		paint(img, image.Rect(k%n*grain, k/n*grain, (k%n+1)*grain, (k/n+1)*grain), col)
	}
	c.DrawImage(f.box, img)
}

// boxes returns the boxes of a head's attention and of its matrix.
func (s *shifts) boxes(c draw.Canvas, i int) (attention, matrix vg.Rectangle) {
	step := 1.15 * s.cell
	left := shiftsEdge + s.side + s.gap
	wide := (s.o.Width - 2*left) / float64(s.columns)
	x := c.Min.X + cm(left+wide*float64(i/s.rows)+(wide-2.6*s.cell)/2)
	y := s.middle(c) + cm(step*float64(s.rows)/2-step*(float64(i%s.rows)+0.5)-s.cell/2)
	attention = vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + cm(s.cell), Y: y + cm(s.cell)}}
	return attention, attention.Add(vg.Point{X: cm(1.6 * s.cell)})
}

// head draws the attention of a head and its matrix.
func (s *shifts) head(c draw.Canvas, t *Theme, i int) {
	h := s.l.Heads[i]
	attention, matrix := s.boxes(c, i)
	y := mid(attention).Y
	own := around(attention, float64(s.o.Reach)+0.5)
	fill(c, attention, t.Ground)
	if !h.Uniform() {
		s.glaze(c, t, own, i, s.most(h))
	}
	fill(c, own.token(0, 0, 0.5), t.Ink)
	outline(c, attention, draw.LineStyle{Color: t.Head(i), Width: t.points(lineWidth)})
	fill(c, matrix, t.Ground)
	if s.o.Weights != nil {
		f := onImage(matrix, len(s.o.Weights[i]), len(s.o.Weights[i][0]))
		m := Map{Rows: len(s.o.Weights[i]), Cols: len(s.o.Weights[i][0])}
		for _, row := range s.o.Weights[i] {
			m.Values = append(m.Values, row...)
		}
		f.shades(c, t, m, MapsOptions{Scores: true})
	}
	outline(c, matrix, draw.LineStyle{Color: t.Head(i), Width: t.points(lineWidth)})
	st := t.Text(numberSize, t.Ink)
	write(c, st, vg.Point{X: (attention.Max.X + matrix.Min.X) / 2, Y: y}, middle, center, "×")
	if s.o.Weights == nil {
		write(c, st, vg.Point{X: matrix.Min.X + cm(s.cell/2), Y: y}, middle, center, "W"+subscript(i+1))
	}
	t.halo(c, t.Text(numberSize, t.Head(i)), vg.Point{X: attention.Min.X - vg.Points(5), Y: y}, fmt.Sprint(i+1))
}

// bend draws a curve that is horizontal at both ends: y moves by the smoothstep u²(3-2u).
func bend(c draw.Canvas, st draw.LineStyle, from, to vg.Point) {
	points := make([]vg.Point, 33)
	for i := range points {
		u := float64(i) / 32
		v := u * u * (3 - 2*u)
		points[i] = vg.Point{X: from.X + vg.Length(u)*(to.X-from.X), Y: from.Y + vg.Length(v)*(to.Y-from.Y)}
	}
	c.StrokeLines(st, points)
}

// words writes the titles above and the texts below.
func (s *shifts) words(c draw.Canvas, t *Theme, in, out vg.Rectangle) {
	title, quiet := t.Text(titleSize, t.Ink), t.Text(labelSize, t.Quiet)
	y := c.Max.Y - cm(0.3)
	write(c, title, vg.Point{X: in.Min.X, Y: y}, left, top, fmt.Sprintf("layer %d", s.l.Number))
	between := (in.Max.X + out.Min.X) / 2
	write(c, title, vg.Point{X: between, Y: y}, middle, top, "heads")
	write(c, title, vg.Point{X: out.Max.X, Y: y}, right, top, "sum")
	for i, x := range []vg.Length{mid(in).X, between, mid(out).X} {
		for n, line := range s.below[i] {
			write(c, quiet, vg.Point{X: x, Y: c.Min.Y + cm(s.foot()-0.35-captionLine*float64(n))}, middle, top, line)
		}
	}
}

// subscript formats n in subscript digits.
func subscript(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + '₀' }, fmt.Sprint(n))
}
