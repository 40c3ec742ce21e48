package viz

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// labels are the numbers of the heads in a frame. A head has its number on its contour where there is room, and else
// beside the crowd, with a line to its center.
type labels struct {
	f      frame // the part of the page that they may lie on
	fixed  []label
	dotted [][]vg.Point // lines that numbers had better not lie on
	heads  []labelled
	steady bool // they are at the curves' lowest points instead, and do not jump from one image to the next
}

// A label is a text around a point.
type label struct {
	at     vg.Point
	leader bool // a line goes from here to the head's center
	head   int
	text   string
	half   vg.Point // of what it covers
	cost   float64  // of its place alone, without the other labels
}

// A labelled is a head that wants its number somewhere.
type labelled struct {
	head   int
	center vg.Point
	line   []vg.Point // its solid contour, as far as it is in the frame
}

// add asks for the number of a head whose solid contour is lines.
func (l *labels) add(f frame, head int, center [2]float64, line [][2]float64) {
	one := labelled{head: head, center: f.at(center[0], center[1])}
	every := max(1, len(line)/90)
	for i, p := range line {
		if i%every == 0 && f.has(p[0], p[1], 0) {
			one.line = append(one.line, f.at(p[0], p[1]))
		}
	}
	l.f, l.heads = f, append(l.heads, one)
}

// avoid tells of a line that numbers had better not lie on.
func (l *labels) avoid(f frame, line [][2]float64) {
	points := make([]vg.Point, 0, len(line)/4+1)
	for i, p := range line {
		if i%4 == 0 && f.has(p[0], p[1], 0) {
			points = append(points, f.at(p[0], p[1]))
		}
	}
	l.dotted = append(l.dotted, points)
}

func size(p vg.Point) vg.Length { return vg.Length(math.Hypot(float64(p.X), float64(p.Y))) }

func newLabel(head int, text string) label {
	half := vg.Point{X: sans(numberSize, nil).Width(minus(text))/2 + 0.7, Y: numberSize*0.42 + 0.5}
	return label{head: head, text: text, half: half}
}

// box is what a label covers.
func (l label) box() vg.Rectangle { return vg.Rectangle{Min: l.at.Sub(l.half), Max: l.at.Add(l.half)} }

func meet(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

func within(p vg.Point, r vg.Rectangle) bool {
	return p.X > r.Min.X && p.X < r.Max.X && p.Y > r.Min.Y && p.Y < r.Max.Y
}

// What a place costs: the more, the harder the number is to read, or to tell whose it is.
const (
	costOverlap = 100  // on another label
	costQuery   = 40   // on the query
	costDot     = 12   // on the center of another head
	costContour = 5    // on the solid contour of another head
	costDotted  = 1.5  // on a dotted one
	costLeader  = 8    // away from its own contour
	costPoint   = 0.35 // each point of the leader's length
	costCross   = 25   // leaders that cross
	costThrough = 60   // a leader through another label
)

// place finds a place for every number: each takes its cheapest in turn, a few times over.
func (l *labels) place() []label {
	options := make([][]label, len(l.heads))
	at := make([]int, len(l.heads))
	for i := range l.heads {
		options[i] = l.options(i)
		for k, o := range options[i] {
			if o.cost < options[i][at[i]].cost {
				at[i] = k
			}
		}
	}
	const rounds = 5
	for range rounds {
		for i := range options {
			best := math.Inf(1)
			for k, o := range options[i] {
				if cost := o.cost + l.among(o, i, options, at, best-o.cost); cost < best {
					best, at[i] = cost, k
				}
			}
		}
	}
	placed := l.fixed
	for i := range options {
		if len(options[i]) > 0 {
			placed = append(placed, options[i][at[i]])
		}
	}
	return placed
}

// among is what a place costs beside the labels that are placed; more than most need not be counted.
func (l *labels) among(o label, i int, options [][]label, at []int, most float64) (cost float64) {
	box := o.box()
	for _, other := range l.fixed {
		if meet(box, other.box()) {
			cost += costOverlap
		}
	}
	for j := range options {
		if j == i || len(options[j]) == 0 || cost >= most {
			continue
		}
		other := options[j][at[j]]
		there := other.box()
		if meet(box, there) {
			cost += costOverlap
		}
		if o.leader && cuts(o.at, l.heads[i].center, there) || other.leader && cuts(other.at, l.heads[j].center, box) {
			cost += costThrough
		}
		if o.leader && other.leader && cross(o.at, l.heads[i].center, other.at, l.heads[j].center) {
			cost += costCross
		}
	}
	return cost
}

// options are the places that the number of head i may have, each with what it costs by itself.
func (l *labels) options(i int) (list []label) {
	one := l.heads[i]
	blank := newLabel(one.head, fmt.Sprint(one.head+1))
	add := func(at vg.Point, leader bool) {
		o := blank
		o.at, o.leader = at, leader
		if box := o.box(); within(box.Min, l.f.box) && within(box.Max, l.f.box) {
			o.cost = l.alone(o, i)
			list = append(list, o)
		}
	}
	if l.steady {
		if len(one.line) > 0 {
			lowest := one.line[0]
			for _, p := range one.line {
				if p.Y < lowest.Y {
					lowest = p
				}
			}
			blank.at = lowest
			list = []label{blank}
		}
		return list
	}
	for _, p := range one.line {
		if d := p.Sub(one.center); size(d) < numberSize && d != (vg.Point{}) {
			p = one.center.Add(d.Scale(numberSize / size(d)))
		}
		add(p, false)
	}
	if !within(one.center, l.f.box) {
		return list
	}
	const angles = 24
	for _, away := range []float64{11, 15, 20, 26, 33, 41, 50, 60, 75} {
		for a := range angles {
			sin, cos := math.Sincos(2 * math.Pi * float64(a) / angles)
			add(one.center.Add(vg.Point{X: vg.Length(away * cos), Y: vg.Length(away * sin)}), true)
		}
	}
	return list
}

// alone is what a place costs without regard to other labels.
func (l *labels) alone(o label, i int) (cost float64) {
	box := o.box()
	if meet(box, l.f.token(0, 0, 1)) {
		cost += costQuery
	}
	if o.leader {
		cost += costLeader + costPoint*float64(size(o.at.Sub(l.heads[i].center)))
	}
	for j, other := range l.heads {
		if j == i {
			continue
		}
		if within(other.center, box) {
			cost += costDot
		}
		if slices.ContainsFunc(other.line, func(p vg.Point) bool { return within(p, box) }) {
			cost += costContour
		}
	}
	for _, line := range l.dotted {
		if slices.ContainsFunc(line, func(p vg.Point) bool { return within(p, box) }) {
			cost += costDotted
		}
	}
	return cost
}

// cross reports whether the ways from a to b and from c to d meet.
func cross(a, b, c, d vg.Point) bool {
	side := func(p, q, r vg.Point) bool { return (q.X-p.X)*(r.Y-p.Y)-(q.Y-p.Y)*(r.X-p.X) > 0 }
	return side(a, b, c) != side(a, b, d) && side(c, d, a) != side(c, d, b)
}

// cuts reports whether the way from a to b leads through a rectangle.
func cuts(a, b vg.Point, r vg.Rectangle) bool {
	return within(b, r) || cross(a, b, r.Min, r.Max) || cross(a, b, vg.Point{X: r.Min.X, Y: r.Max.Y}, vg.Point{X: r.Max.X, Y: r.Min.Y})
}

// arrow draws a head whose center is outside of the frame: at the edge, with its coordinates.
func (l *labels) arrow(c draw.Canvas, t *theme, f frame, head int, center [2]float64) {
	scale := min(share(f.rows, center[0]), share(f.cols, center[1])) * 0.98
	tip := f.at(center[0]*scale, center[1]*scale)
	d := tip.Sub(f.at(0, 0))
	d = d.Scale(vg.Points(6) / size(d))
	tail, side := tip.Sub(d), vg.Point{X: -d.Y * 0.45, Y: d.X * 0.45}
	c.FillPolygon(t.head(head), []vg.Point{tip, tail.Add(side), tail.Sub(side)})
	one := newLabel(head, fmt.Sprintf("%d %s", head+1, place(center)))
	one.at = tail.Sub(d.Scale(0.8))
	half := one.box().Size().X/2 + 1
	one.at.X = min(max(one.at.X, f.box.Min.X+half), f.box.Max.X-half)
	for l.taken(one.box()) && one.at.Y > f.box.Min.Y+2*numberSize { // below the words of other arrows
		one.at.Y -= numberSize + 1
	}
	l.fixed = append(l.fixed, one)
}

// taken reports whether the words of an arrow are in the way.
func (l *labels) taken(box vg.Rectangle) bool {
	for _, other := range l.fixed {
		if meet(box, other.box()) {
			return true
		}
	}
	return false
}

// draw writes the labels, on top of everything else.
func (l *labels) draw(c draw.Canvas, t *theme) {
	placed := l.place()
	for _, one := range placed {
		if !one.leader {
			continue
		}
		for _, h := range l.heads {
			if h.head == one.head {
				c.StrokeLines(draw.LineStyle{Color: t.head(one.head), Width: vg.Points(leaderWidth)}, []vg.Point{one.at, h.center})
			}
		}
	}
	for _, one := range placed {
		t.halo(c, sans(numberSize, t.head(one.head)), one.at, one.text)
	}
}
