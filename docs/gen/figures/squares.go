package main

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/viz"
)

// verdictRates is a table of squares: how many of 54 heads are taps, by two learning rates.
func verdictRates(p *program, width float64) (*viz.Figure, error) {
	all, err := readVerdict(p)
	if err != nil {
		return nil, err
	}
	matrices, positions := []string{"0.003", "0.01", "0.03"}, []string{"0.003", "0.01", "0.03", "0.1", "0.3"}
	const left, bottom, high = 4.0, 1.3, 1.15
	side := (width - left - 0.3) / float64(len(positions))
	f := &viz.Figure{Width: width, Height: bottom + high*float64(len(matrices)) + 0.2,
		Alt: "Heads of 54 that are single tokens:", Caption: "Of 54 heads, those with more than half of their attention on one token (n = 2)."}
	f.Data.Columns = []string{"rate of matrices", "rate of positions", "heads"}
	counts := map[[2]int]float64{}
	for i, w := range matrices {
		for j, v := range positions {
			n := all.find("rates/taps/quadratic-w" + w + "-p" + v)
			counts[[2]int{i, j}] = float64(n.Value)
			f.Alt += fmt.Sprintf(" %s and %s, %g;", w, v, float64(n.Value))
			f.Data.Rows = append(f.Data.Rows, []any{w, v, float64(n.Value)})
		}
	}
	f.Drawing = func(c draw.Canvas, t *viz.Theme) {
		for i, w := range matrices {
			y := bottom + high*float64(len(matrices)-1-i)
			c.FillText(t.Text(9, t.Ink), at(left-1.1, y+high/2-0.12), w)
			for j := range positions {
				n, x := counts[[2]int{i, j}], left+side*float64(j)
				tile(c, mixed(t.Ground, t.Head(0), n/54), at(x+0.04, y+0.04), at(x+side-0.04, y+high-0.04))
				ink := t.Ink
				if n > 38 {
					ink = t.Ground
				}
				middled(c, t.Text(10, ink), at(x+side/2, y+high/2-0.13), strconv.FormatFloat(n, 'g', -1, 64))
			}
		}
		for j, v := range positions {
			middled(c, t.Text(9, t.Ink), at(left+side*(float64(j)+0.5), bottom-0.45), v)
		}
		middled(c, t.Text(9, t.Quiet), at(left+side*2.5, 0.2), "learning rate of positions →")
		c.FillText(t.Text(9, t.Quiet), at(0.25, bottom+high*1.5-0.12), "of matrices ↓")
	}
	return f, nil
}

// Outcomes of predictions, in the order of the legend.
var outcomes = []string{"as predicted", "undecided", "wrong", "surprising", "open"}

// verdictPredictions has a square for each prediction, in a row for each time at which some were written.
func verdictPredictions(p *program, width float64) (*viz.Figure, error) {
	all, err := readVerdict(p)
	if err != nil {
		return nil, err
	}
	var groups []string
	of := map[string][]int{}
	for _, f := range all.Predictions {
		if !slices.Contains(groups, f.Group) {
			groups = append(groups, f.Group)
		}
		of[f.Group] = append(of[f.Group], slices.Index(outcomes, f.Outcome))
	}
	for _, g := range groups {
		slices.Sort(of[g])
	}
	const left, row, legend = 4.6, 0.62, 1.0
	f := &viz.Figure{Width: width, Height: row*float64(len(groups)) + legend,
		Caption: "A square is a prediction. Undecided: the interval has values inside and outside of the predicted range."}
	f.Data.Columns = []string{"written for", "outcome"}
	f.Alt = "Predictions and what became of them."
	for _, g := range groups {
		for _, o := range of[g] {
			f.Data.Rows = append(f.Data.Rows, []any{g, outcomes[o]})
		}
	}
	f.Drawing = func(c draw.Canvas, t *viz.Theme) {
		paint := func(x, y float64, outcome int) {
			fill, lo, hi := outcomeColor(t, outcome), at(x, y), at(x+0.42, y+0.42)
			if outcomes[outcome] == "open" {
				line := t.Line(t.Quiet)
				line.Width = vg.Points(0.7)
				c.StrokeLines(line, append(corners(lo, hi), lo))
				return
			}
			tile(c, fill, lo, hi)
		}
		for i, g := range groups {
			y := legend + row*float64(len(groups)-1-i)
			c.FillText(t.Text(9, t.Ink), at(0.25, y+0.1), g)
			for j, o := range of[g] {
				paint(left+0.5*float64(j), y, o)
			}
		}
		x := 0.25
		for i, name := range outcomes {
			paint(x, 0.15, i)
			c.FillText(t.Text(9, t.Quiet), at(x+0.55, 0.25), name)
			x += 0.9 + float64(t.Text(9, t.Quiet).Width(name)/vg.Centimeter) + 0.35
		}
	}
	return f, nil
}

// outcomeColor is one of the colors of heads, which color-blind readers can tell apart.
func outcomeColor(t *viz.Theme, outcome int) color.Color {
	return []color.Color{t.Head(2), t.Faint, t.Head(1), t.Head(3), t.Ground}[outcome]
}

// mixed is a color between two: share 0 is a, 1 is b.
func mixed(a, b color.Color, share float64) color.Color {
	ar, ag, ab, _ := a.RGBA()
	br, bg, bb, _ := b.RGBA()
	mix := func(x, y uint32) uint8 { return uint8((float64(x)*(1-share) + float64(y)*share) / 257) }
	return color.RGBA{mix(ar, br), mix(ag, bg), mix(ab, bb), 255}
}
