package viz

import (
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Span is a range of Y behind the curves of a panel, such as what is seen by chance. The first of a panel is gray,
// others are hatched; the legend has the names of those of the first panel.
type Span struct {
	Name   string
	Lo, Hi float64
}

// drawSpans draws the spans between thin lines.
func (p Panel) drawSpans(c draw.Canvas, t *Theme, f frame) {
	edge := draw.LineStyle{Color: blend(t.Ground, t.Quiet, 0.6), Width: t.points(gridWidth)}
	for i, s := range p.Spans {
		low, high := max(s.Lo, f.rows[1]), min(s.Hi, f.rows[0])
		r := vg.Rectangle{Min: f.at(low, f.cols[0]), Max: f.at(high, f.cols[1])}
		if i == 0 {
			fill(c, r, blend(t.Ground, t.Quiet, 0.2))
		} else {
			hatch(c, r, edge, vg.Points(5))
		}
		for _, y := range []float64{low, high} {
			f.stroke(c, edge, [][2]float64{{y, f.cols[0]}, {y, f.cols[1]}})
		}
	}
}

// hatch fills a rectangle with lines that rise to the right.
func hatch(c draw.Canvas, r vg.Rectangle, lines draw.LineStyle, gap vg.Length) {
	inside := draw.Canvas{Canvas: c.Canvas, Rectangle: r}
	rise := r.Size().X
	for y := r.Min.Y - rise; y < r.Max.Y; y += gap {
		c.StrokeLines(lines, inside.ClipLinesXY([]vg.Point{{X: r.Min.X, Y: y}, {X: r.Max.X, Y: y + rise}})...)
	}
}

// spansKey names the spans of the first panel that has some.
func spansKey(panels []Panel) (texts []string) {
	for _, p := range panels {
		for i, s := range p.Spans {
			look := "gray: "
			if i > 0 {
				look = "hatched: "
			}
			texts = append(texts, look+s.Name)
		}
		if texts != nil {
			return texts
		}
	}
	return nil
}

// spansAlt says where the spans are.
func spansAlt(p Panel) (words []string) {
	for _, s := range p.Spans {
		words = append(words, fmt.Sprintf("%s, %s: %.4g to %.4g", p.Title, s.Name, s.Lo, s.Hi))
	}
	return words
}
