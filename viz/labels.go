package viz

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// labels are the heads' numbers in a frame, each where it is farthest from the others.
type labels struct {
	list   []label
	steady bool // they are at the curves' lowest points instead, and do not jump from one picture to the next
}

type label struct {
	at   vg.Point
	head int
	text string
}

// add finds a place on the lines for the number of a head; a head that is too small for that has it beside itself.
func (l *labels) add(f frame, head int, center [2]float64, lines [][][2]float64) {
	middle := f.at(center[0], center[1])
	best, most := middle, math.Inf(-1)
	for _, line := range lines {
		for _, p := range line {
			at := f.at(p[0], p[1])
			if d := at.Sub(middle); size(d) < numberSize && d != (vg.Point{}) {
				at = middle.Add(d.Scale(numberSize / size(d)))
			}
			room := l.room(f, at)
			if l.steady && f.has(p[0], p[1], 0.3) {
				room = plenty + p[0]
			}
			if room > most+1e-6 {
				best, most = at, room
			}
		}
	}
	l.list = append(l.list, label{best, head, fmt.Sprint(head + 1)})
}

func size(p vg.Point) vg.Length { return vg.Length(math.Hypot(float64(p.X), float64(p.Y))) }

// plenty is more room than a label needs, in points.
const plenty = 2.2 * numberSize

// room is how far a place is from other labels, the query and the edge, up to where it no longer matters.
func (l labels) room(f frame, at vg.Point) float64 {
	edge := min(at.X-f.box.Min.X, f.box.Max.X-at.X, at.Y-f.box.Min.Y, f.box.Max.Y-at.Y)
	room := min(plenty, 2*edge, size(at.Sub(f.at(0, 0))))
	for _, other := range l.list {
		room = min(room, size(at.Sub(other.at)))
	}
	return float64(room)
}

// arrow draws a head whose center is outside of the frame: at the edge, with its coordinates.
func (l *labels) arrow(c draw.Canvas, t *theme, f frame, head int, center [2]float64) {
	scale := min(share(f.rows, center[0]), share(f.cols, center[1])) * 0.98
	tip := f.at(center[0]*scale, center[1]*scale)
	d := tip.Sub(f.at(0, 0))
	d = d.Scale(vg.Points(6) / size(d))
	tail, side := tip.Sub(d), vg.Point{X: -d.Y * 0.45, Y: d.X * 0.45}
	c.FillPolygon(t.head(head), []vg.Point{tip, tail.Add(side), tail.Sub(side)})
	text := fmt.Sprintf("%d %s", head+1, place(center))
	half := sans(numberSize, nil).Width(minus(text))/2 + 2
	at := tail.Sub(d.Scale(0.8))
	at.X = min(max(at.X, f.box.Min.X+half), f.box.Max.X-half)
	for l.crowded(at, half) && at.Y > f.box.Min.Y+2*numberSize { // below the words of other arrows
		at.Y -= numberSize + 1
	}
	l.list = append(l.list, label{at, head, text})
}

// crowded reports whether words half as wide as said would lie on others.
func (l labels) crowded(at vg.Point, half vg.Length) bool {
	for _, other := range l.list {
		d := at.Sub(other.at)
		if max(d.Y, -d.Y) < numberSize && max(d.X, -d.X) < half+sans(numberSize, nil).Width(other.text)/2 {
			return true
		}
	}
	return false
}

// draw writes the labels, on top of everything else.
func (l labels) draw(c draw.Canvas, t *theme) {
	for _, one := range l.list {
		t.halo(c, sans(numberSize, t.head(one.head)), one.at, one.text)
	}
}
