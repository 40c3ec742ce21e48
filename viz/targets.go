package viz

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// reaches returns where a run first is at or above a target: a measurement, with nothing between two of them. Its Y is
// the target.
func reaches(run []Point, target float64) (Point, bool) {
	for _, p := range run {
		if p.Y >= target { // false for NaN
			return Point{p.X, target}, true
		}
	}
	return Point{}, false
}

// drawTargets draws a line at each target, with its value at the left end, where curves that rise are still low.
func (p Panel) drawTargets(c draw.Canvas, t *Theme, f frame) {
	line := draw.LineStyle{Color: t.Quiet, Width: t.points(gridWidth * 1.5), Dashes: []vg.Length{3, 2}}
	for _, target := range p.Targets {
		f.stroke(c, line, [][2]float64{{target, f.cols[0]}, {target, f.cols[1]}})
		st, words := t.Text(labelSize, t.Quiet), p.value(target)
		at := vg.Point{X: f.box.Min.X + vg.Points(3) + st.Width(words)/2,
			Y: f.at(target, 0).Y + vg.Points(labelSize*0.65)}
		t.halo(c, st, at, words)
	}
}

// drawReached marks, on the line of each target, where each run of curve i first reaches it.
func (p Panel) drawReached(c draw.Canvas, t *Theme, f frame, i int) {
	inside := f.clip(c)
	for _, target := range p.Targets {
		for _, run := range p.Curves[i].Runs {
			first, ok := reaches(run, target)
			if at := f.at(first.Y, first.X); ok && inside.Contains(at) {
				largeMark(c, at, i, t.Ground, t.Head(i))
			}
		}
	}
}

// largeMark draws the mark of curve i larger than those along the curve, on a ring of the ground's color.
func largeMark(c draw.Canvas, at vg.Point, i int, ground, col color.Color) {
	shape := glyphs[i%len(glyphs)]
	c.DrawGlyph(draw.GlyphStyle{Color: ground, Radius: vg.Points(4.6), Shape: draw.CircleGlyph{}}, at)
	c.DrawGlyph(draw.GlyphStyle{Color: col, Radius: vg.Points(3.5), Shape: shape}, at)
}

// value formats a value of the vertical axis.
func (p Panel) value(y float64) string {
	if p.Percent {
		return fmt.Sprintf("%.4g %%", 100*y)
	}
	return fmt.Sprintf("%.6g", y)
}

// targetsAlt says for each curve and target how many runs reach it, and from where to where.
func targetsAlt(p Panel, o CurvesOptions) (words []string) {
	for _, c := range p.Curves {
		for _, target := range p.Targets {
			var from, to float64
			n := 0
			for _, run := range c.Runs {
				first, ok := reaches(run, target)
				if !ok {
					continue
				}
				if n++; n == 1 {
					from, to = first.X, first.X
				}
				from, to = min(from, first.X), max(to, first.X)
			}
			text := c.Name + " reaches " + p.value(target)
			if len(c.Runs) > 1 {
				text += fmt.Sprintf(" in %d of %d runs,", n, len(c.Runs))
			}
			if text += fmt.Sprintf(" at %s %.4g", o.X, from); to > from {
				text += fmt.Sprintf(" to %.4g", to)
			}
			if n == 0 {
				text = c.Name + " does not reach " + p.value(target)
			}
			words = append(words, text)
		}
	}
	return words
}
