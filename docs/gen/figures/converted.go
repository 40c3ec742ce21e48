package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/viz"
)

// converted has the logits of a trained ResNet for one image, and those of the attention that convert makes of it.
func converted(p *program, width float64) (*viz.Figure, error) {
	before, classes, err := logits(p, "rn18")
	if err != nil {
		return nil, err
	}
	if _, err := p.files([]string{"convert", "rn18", "--alpha", "0.5", "--force", "-o", "soft.ckpt"}, "soft.ckpt"); err != nil {
		return nil, err
	}
	after, _, err := logits(p, "soft.ckpt")
	if err != nil {
		return nil, err
	}
	apart := 0.0
	for i := range before {
		apart = max(apart, math.Abs(before[i]-after[i]))
	}
	const left, bottom, high, lo, hi = 1.2, 1.6, 3.6, -1.5, 4.0
	f := &viz.Figure{Width: width, Height: bottom + high + 0.2,
		Caption: fmt.Sprintf("attnconv convert rn18 --alpha 0.5, on a drawn star. The largest difference is %.1g.", apart)}
	f.Data.Columns = []string{"class", "convolutions", "attention"}
	f.Alt = "Ten logits of a ResNet as bars, and those of the same network as attention as rings on their ends."
	for i, class := range classes {
		f.Data.Rows = append(f.Data.Rows, []any{class, before[i], after[i]})
	}
	f.Drawing = func(c draw.Canvas, t *viz.Theme) {
		y := func(v float64) float64 { return bottom + (v-lo)/(hi-lo)*high }
		step := (width - left - 0.3) / float64(len(before))
		for v := -1.0; v <= hi; v++ {
			line := t.Line(t.Faint)
			line.Width = vg.Points(0.5)
			c.StrokeLines(line, []vg.Point{at(left, y(v)), at(width-0.3, y(v))})
			c.FillText(t.Text(8, t.Quiet), at(left-0.5, y(v)-0.1), tickText(v))
		}
		for i := range before {
			x := left + step*(float64(i)+0.5)
			tile(c, t.Faint, at(x-0.25, min(y(0), y(before[i]))), at(x+0.25, max(y(0), y(before[i]))))
			end := t.Line(t.Quiet)
			end.Width = vg.Points(2)
			c.StrokeLines(end, []vg.Point{at(x-0.25, y(before[i])), at(x+0.25, y(before[i]))})
			ring(c, t, at(x, y(after[i])))
			middled(c, t.Text(8, t.Ink), at(x, bottom-0.4), classes[i])
		}
		tile(c, t.Faint, at(left, 0.45), at(left+0.4, 0.75))
		c.FillText(t.Text(8, t.Quiet), at(left+0.55, 0.5), "logits of a trained ResNet")
		ring(c, t, at(left+6.2, 0.6))
		c.FillText(t.Text(8, t.Quiet), at(left+6.5, 0.5), "the same network as attention, nine soft heads a convolution")
	}
	return f, nil
}

func ring(c draw.Canvas, t *viz.Theme, at vg.Point) {
	line := t.Line(t.Head(1))
	line.Width = vg.Points(1.5)
	c.StrokeLines(line, circle(at, 4))
}

// logits of a network for the star of the example images, and the names of their classes.
func logits(p *program, network string) ([]float64, []string, error) {
	out, err := p.run("predict", network, "runs/example-images/star.png", "--top", "10", "--json")
	if err != nil {
		return nil, nil, err
	}
	var answer struct {
		Predictions []struct {
			Classes []struct{ Class string }
			Logits  []float64
		}
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		return nil, nil, err
	}
	var classes []string
	for _, c := range answer.Predictions[0].Classes {
		classes = append(classes, c.Class)
	}
	// Classes come by probability, so the logits do as well.
	values := answer.Predictions[0].Logits
	slices.SortFunc(values, func(a, b float64) int { return cmp.Compare(b, a) })
	return values, classes, nil
}
