package viz

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// labels places the numbers of the heads in a frame: on a head's contour if there is space, else next to the heads,
// with a line to the center.
type labels struct {
	f      frame        // numbers must be inside
	fixed  []label      // of arrows
	dotted [][]vg.Point // lines that numbers should not cover
	heads  []labeled
	steady bool // numbers are at the lowest points of the contours, so that they do not jump in an animation
}

// A label is a text around a point.
type label struct {
	at     vg.Point
	leader bool // a line goes from here to the head's center
	head   int
	text   string
	half   vg.Point // half of its width and height
	cost   float64  // of its place, without the other labels
}

// A labeled is a head whose number is to be placed.
type labeled struct {
	head   int
	center vg.Point
	line   []vg.Point // points of its solid contour in the frame
}

// add adds a head with its solid contour.
func (l *labels) add(f frame, head int, center [2]float64, line [][2]float64) {
	one := labeled{head: head, center: f.at(center[0], center[1])}
	every := max(1, len(line)/90)
	for i, p := range line {
		if i%every == 0 && f.has(p[0], p[1], 0) {
			one.line = append(one.line, f.at(p[0], p[1]))
		}
	}
	l.f, l.heads = f, append(l.heads, one)
}

// avoid adds a line that numbers should not cover.
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
	half := vg.Point{X: sans(numberSize, nil).Width(typeset(text))/2 + 0.7, Y: numberSize*0.42 + 0.5}
	return label{head: head, text: text, half: half}
}

// box returns the rectangle that a label covers.
func (l label) box() vg.Rectangle { return vg.Rectangle{Min: l.at.Sub(l.half), Max: l.at.Add(l.half)} }

func meet(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

func within(p vg.Point, r vg.Rectangle) bool {
	return p.X > r.Min.X && p.X < r.Max.X && p.Y > r.Min.Y && p.Y < r.Max.Y
}

// Costs of a place, higher if the number is harder to read or to attribute to its head.
const (
	costOverlap = 100  // covers another label
	costQuery   = 40   // covers the query
	costDot     = 12   // covers the center of another head
	costContour = 5.0  // covers the solid contour of another head
	costDotted  = 1.5  // covers a dotted contour
	costLeader  = 8    // is off the head's own contour
	costPoint   = 0.35 // per point of the leader's length
	costCross   = 25   // leader crosses another leader
	costThrough = 60   // leader crosses another label
)

// In a layer of more heads than comfortable, numbers are better off in the free space around the heads, at long
// leaders.
const (
	comfortable  = 9
	crowdContour = 12.0 // instead of costContour
	crowdDotted  = 4.0  // instead of costDotted
	crowdPoint   = 0.15 // instead of costPoint
)

// crowded reports whether a layer has more heads than comfortable.
func (l *labels) crowded() bool { return len(l.heads) > comfortable }

// place finds a place for every number by coordinate descent: each in turn moves to its cheapest place, for a few
// rounds.
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
				if cost := o.cost + l.interaction(o, i, options, at, best-o.cost); cost < best {
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

// interaction returns the cost of a place relative to the other labels; it stops counting at limit.
func (l *labels) interaction(o label, i int, options [][]label, at []int, limit float64) (cost float64) {
	box := o.box()
	for _, other := range l.fixed {
		if meet(box, other.box()) {
			cost += costOverlap
		}
	}
	for j := range options {
		if j == i || len(options[j]) == 0 || cost >= limit {
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

// options returns the possible places of the number of head i with their costs.
func (l *labels) options(i int) (list []label) {
	one := l.heads[i]
	template := newLabel(one.head, fmt.Sprint(one.head+1))
	add := func(at vg.Point, leader bool) {
		o := template
		o.at, o.leader = at, leader
		if box := o.box(); within(box.Min, l.f.box) && within(box.Max, l.f.box) {
			o.cost = l.ownCost(o, i)
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
			template.at = lowest
			list = []label{template}
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
	distances := []float64{11, 15, 20, 26, 33, 41, 50, 60, 75}
	if l.crowded() {
		distances = append(distances, 90, 105, 120)
	}
	for _, away := range distances {
		for a := range angles {
			sin, cos := math.Sincos(2 * math.Pi * float64(a) / angles)
			add(one.center.Add(vg.Point{X: vg.Length(away * cos), Y: vg.Length(away * sin)}), true)
		}
	}
	return list
}

// ownCost returns the cost of a place without the other labels.
func (l *labels) ownCost(o label, i int) (cost float64) {
	box, contour, dotted, point := o.box(), costContour, costDotted, costPoint
	if l.crowded() {
		contour, dotted, point = crowdContour, crowdDotted, crowdPoint
	}
	if meet(box, l.f.token(0, 0, 1)) {
		cost += costQuery
	}
	if o.leader {
		cost += costLeader + point*float64(size(o.at.Sub(l.heads[i].center)))
	}
	for j, other := range l.heads {
		if j == i {
			continue
		}
		if within(other.center, box) {
			cost += costDot
		}
		if slices.ContainsFunc(other.line, func(p vg.Point) bool { return within(p, box) }) {
			cost += contour
		}
	}
	for _, line := range l.dotted {
		if slices.ContainsFunc(line, func(p vg.Point) bool { return within(p, box) }) {
			cost += dotted
		}
	}
	return cost
}

// cross reports whether the segments ab and cd intersect.
func cross(a, b, c, d vg.Point) bool {
	side := func(p, q, r vg.Point) bool { return (q.X-p.X)*(r.Y-p.Y)-(q.Y-p.Y)*(r.X-p.X) > 0 }
	return side(a, b, c) != side(a, b, d) && side(c, d, a) != side(c, d, b)
}

// cuts reports whether the segment ab, with a outside, intersects a rectangle.
func cuts(a, b vg.Point, r vg.Rectangle) bool {
	return within(b, r) || cross(a, b, r.Min, r.Max) || cross(a, b, vg.Point{X: r.Min.X, Y: r.Max.Y},
		vg.Point{X: r.Max.X, Y: r.Min.Y})
}

// arrow draws a head whose center is outside of the frame: an arrow at the edge with its coordinates.
func (l *labels) arrow(c draw.Canvas, t *Theme, f frame, head int, center [2]float64) {
	scale := min(share(f.rows, center[0]), share(f.cols, center[1])) * 0.98
	tip := f.at(center[0]*scale, center[1]*scale)
	d := tip.Sub(f.at(0, 0))
	d = d.Scale(vg.Points(6) / size(d))
	tail, side := tip.Sub(d), vg.Point{X: -d.Y * 0.45, Y: d.X * 0.45}
	c.FillPolygon(t.Head(head), []vg.Point{tip, tail.Add(side), tail.Sub(side)})
	one := newLabel(head, fmt.Sprintf("%d %s", head+1, place(center)))
	one.at = tail.Sub(d.Scale(0.8))
	half := one.box().Size().X/2 + 1
	one.at.X = min(max(one.at.X, f.box.Min.X+half), f.box.Max.X-half)
	for l.taken(one.box()) && one.at.Y > f.box.Min.Y+2*numberSize { // below the texts of other arrows
		one.at.Y -= numberSize + 1
	}
	l.fixed = append(l.fixed, one)
}

// taken reports whether a box overlaps the text of an arrow.
func (l *labels) taken(box vg.Rectangle) bool {
	for _, other := range l.fixed {
		if meet(box, other.box()) {
			return true
		}
	}
	return false
}

// draw draws the labels, on top of everything else.
func (l *labels) draw(c draw.Canvas, t *Theme) {
	placed := l.place()
	for _, one := range placed {
		if !one.leader {
			continue
		}
		for _, h := range l.heads {
			if h.head == one.head {
				c.StrokeLines(draw.LineStyle{Color: t.Head(one.head), Width: t.points(leaderWidth)},
					[]vg.Point{one.at, h.center})
			}
		}
	}
	for _, one := range placed {
		t.halo(c, t.Text(numberSize, t.Head(one.head)), one.at, one.text)
	}
}
