package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/viz"
)

// Sizes of the drawing, in cm, and the reach of a frame from the query, in tokens.
const (
	outwardLeft, outwardGap = 1.5, 0.15
	outwardPlot             = 3.9
	outwardReach            = 6.5
)

// outward is where the heads of one network are before and after training, layer by layer, above the mean shift of the
// heads of all networks of study half, which has learned heads at two rates, frozen heads and a fixed grid.
func outward(p *program, width float64) (*viz.Figure, error) {
	b, err := os.ReadFile(filepath.Join(p.root, "studies/half/quadratic-tuned-seed0.json"))
	if err != nil {
		return nil, err
	}
	var result struct{ Heads map[string]event.Heads }
	if err := json.Unmarshal(b, &result); err != nil {
		return nil, err
	}
	before, after := heads.Recorded(result.Heads["000"]), heads.Recorded(result.Heads["004"])
	lines, err := outwardLines(p)
	if err != nil {
		return nil, err
	}
	column := (width - outwardLeft) / float64(len(after))
	f := &viz.Figure{Width: width, Height: 2*column + outwardPlot + 1}
	f.Caption = "A circle has half of a head's attention; the square is the query. Half width, CIFAR-10; circles: seed 0."
	f.Alt = fmt.Sprintf("Nine heads in each of six layers. Before training they are wide and scattered alike in all layers. "+
		"After it those of layer 1 are near the query, and those of layer 6 narrow and far from it. Below, the mean "+
		"shift of the heads over the layers: %s.", strings.Join(outwardWords(lines), "; "))
	f.Data.Columns = []string{"heads", "layer", "mean shift, tokens", "n"}
	for _, l := range lines {
		for i, n := range l.numbers {
			f.Data.Rows = append(f.Data.Rows, []any{l.name, i + 1, float64(n.Value), n.N})
		}
	}
	f.Drawing = func(c draw.Canvas, t *viz.Theme) {
		o := outwardDrawing{c, t, column}
		o.frames("before", before, f.Height-column)
		o.frames("after", after, f.Height-2*column)
		o.plot(lines)
	}
	return f, nil
}

// An outwardLine is the mean shift of heads over depth.
type outwardLine struct {
	name    string
	numbers []verdictNumber // by layer
	learned bool
}

func outwardLines(p *program) (lines []outwardLine, err error) {
	for _, of := range []struct {
		name, prefix string
		learned      bool
	}{
		{"learning rate 0.01", "own/layers/shift/quadratic/", true},
		{"learning rate 0.003", "half/layers/shift/quadratic/", true},
		{"frozen heads", "own/layers/shift/quadratic-frozen/", false},
		{"3 × 3 grid", "own/layers/shift/quadratic-grid/", false},
	} {
		numbers, err := verdictNumbers(p, of.prefix)
		if err != nil {
			return nil, err
		}
		if len(numbers) == 0 {
			return nil, fmt.Errorf("docs/data/verdict.json has no numbers %s", of.prefix)
		}
		lines = append(lines, outwardLine{fmt.Sprintf("%s (n = %d)", of.name, numbers[0].N), numbers, of.learned})
	}
	return lines, nil
}

func outwardWords(lines []outwardLine) (words []string) {
	for _, l := range lines {
		words = append(words, fmt.Sprintf("%s, %.1f tokens in layer 1 and %.1f in layer %d", l.name,
			float64(l.numbers[0].Value), float64(l.numbers[len(l.numbers)-1].Value), len(l.numbers)))
	}
	return words
}

// An outwardDrawing draws the parts of the figure.
type outwardDrawing struct {
	c      draw.Canvas
	t      *viz.Theme
	column float64 // width of a layer, in cm
}

// frames draws a row of layers, with circles that have half of a head's attention around the query.
func (o outwardDrawing) frames(name string, layers [][]posenc.Head, bottom float64) {
	o.c.FillText(o.t.Text(8, o.t.Quiet), at(0.1, bottom+o.column/2-0.1), name)
	side := o.column - outwardGap
	for l, layer := range layers {
		left := outwardLeft + float64(l)*o.column
		lo, hi := at(left, bottom), at(left+side, bottom+side)
		frame := draw.Crop(o.c, lo.X, hi.X-o.c.Max.X, lo.Y, hi.Y-o.c.Max.Y)
		middle, token := at(left+side/2, bottom+side/2), vg.Length(side/(2*outwardReach))*vg.Centimeter
		grid := o.t.Line(o.t.Faint)
		grid.Width = vg.Points(0.5)
		o.c.StrokeLines(grid, []vg.Point{lo, {X: hi.X, Y: lo.Y}, hi, {X: lo.X, Y: hi.Y}, lo})
		for h, head := range layer {
			center := vg.Point{X: middle.X + vg.Length(head.Center[1])*token,
				Y: middle.Y - vg.Length(head.Center[0])*token}
			radius := vg.Length(max(0.35, math.Sqrt(2*math.Ln2/head.Precision[0][0]))) * token
			line := o.t.Line(o.t.Head(h))
			frame.StrokeLines(line, frame.ClipLinesXY(circle(center, radius))...)
		}
		o.c.StrokeLines(o.t.Line(o.t.Quiet), []vg.Point{{X: middle.X - token/2, Y: middle.Y - token/2},
			{X: middle.X + token/2, Y: middle.Y - token/2}, {X: middle.X + token/2, Y: middle.Y + token/2},
			{X: middle.X - token/2, Y: middle.Y + token/2}, {X: middle.X - token/2, Y: middle.Y - token/2}})
	}
}

// plot draws the mean shifts below the layers that they are of.
func (o outwardDrawing) plot(lines []outwardLine) {
	const most, bottom = 3.0, 1.05
	y := func(shift float64) float64 { return bottom + 0.15 + shift/most*(outwardPlot-0.45) }
	x := func(layer int) float64 { return outwardLeft + (float64(layer)+0.5)*o.column - outwardGap/2 }
	small := o.t.Text(8, o.t.Quiet)
	for shift := 0.0; shift <= most; shift++ {
		grid := o.t.Line(o.t.Faint)
		grid.Width = vg.Points(0.5)
		o.c.StrokeLines(grid, []vg.Point{at(outwardLeft, y(shift)), at(x(5)+o.column/2, y(shift))})
		o.c.FillText(small, at(outwardLeft-0.35, y(shift)-0.1), fmt.Sprint(shift))
	}
	o.c.FillText(small, at(0.1, y(most)-0.1), "mean")
	o.c.FillText(small, at(0.1, y(most)-0.45), "shift,")
	o.c.FillText(small, at(0.1, y(most)-0.8), "tokens")
	for layer := range lines[0].numbers {
		o.c.FillText(small, at(x(layer)-0.5, 0.68), fmt.Sprintf("layer %d", layer+1))
	}
	for i, l := range lines {
		color := o.t.Head(i)
		if !l.learned {
			color = o.t.Quiet
		}
		line := o.t.Line(color)
		if line.Width = vg.Points(1.8); !l.learned {
			line.Width, line.Dashes = vg.Points(1), []vg.Length{vg.Points(3), vg.Points(2)}
		}
		if i%2 == 1 {
			line.Dashes = []vg.Length{vg.Points(5), vg.Points(2)}
		}
		var points []vg.Point
		for layer, n := range l.numbers {
			points = append(points, at(x(layer), y(float64(n.Value))))
			if n.CI.Known() {
				thin := o.t.Line(color)
				thin.Width = vg.Points(0.7)
				o.c.StrokeLines(thin, []vg.Point{at(x(layer), y(n.CI.Lo)), at(x(layer), y(min(most, n.CI.Hi)))})
			}
		}
		o.c.StrokeLines(line, points)
		key := at(outwardLeft+[]float64{0, 4.2, 8.4, 12}[i], 0.12)
		o.c.StrokeLines(line, []vg.Point{{X: key.X, Y: key.Y + vg.Points(3)},
			{X: key.X + vg.Points(16), Y: key.Y + vg.Points(3)}})
		o.c.FillText(small, vg.Point{X: key.X + vg.Points(19), Y: key.Y}, l.name)
	}
}
