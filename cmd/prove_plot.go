package cmd

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/attnconv/attnconv/theorem"
	"github.com/attnconv/attnconv/viz"
)

// figure draws the error over α for some borders: a panel for each type, a curve for each kernel. Curves need more α
// than the table has: ten per octave.
func (p *plan) figure(ctx context.Context, borders []string) (*viz.Figure, error) {
	fine := *p
	fine.alphas = nil
	for i := range 70 {
		fine.alphas = append(fine.alphas, math.Exp2(float64(i)/10))
	}
	fine.borders, fine.base.Trials = borders, 1
	all := fine.experiments()
	found, err := theorem.RunAll(ctx, all)
	if err != nil {
		return nil, err
	}
	var panels []viz.ErrorPanel
	for i := 0; i < len(all); i += len(fine.alphas) {
		e := all[i]
		at := slices.IndexFunc(panels, func(q viz.ErrorPanel) bool { return q.Title == e.Type })
		if at < 0 {
			at = len(panels)
			panels = append(panels, viz.ErrorPanel{Title: e.Type, Unit: "relative error"})
			if !e.Elliptic { // there the nearest pixels do not have weight e^−α
				panels[at].Thresholds = thresholds(e.Type)
			}
		}
		panel := &panels[at]
		panel.Tolerance = max(panel.Tolerance, p.limit(e))
		curve := viz.ErrorCurve{Name: fmt.Sprintf("%d × %d", e.Kernel, e.Kernel), Border: e.Border}
		for j, alpha := range fine.alphas {
			curve.Points = append(curve.Points, viz.Point{X: alpha, Y: found[i+j].Rel})
		}
		panel.Curves = append(panel.Curves, curve)
	}
	return viz.Errors(panels, 0)
}

// thresholds returns the α from which on the softmax in this type is exactly 1 at the center, and 0 next to it.
func thresholds(kind string) []viz.Threshold {
	if kind == theorem.Types[0] {
		return []viz.Threshold{
			{Alpha: 25 * math.Ln2, Label: "center exactly 1"}, {Alpha: 150 * math.Ln2, Label: "neighbors exactly 0"},
		}
	}
	return []viz.Threshold{{Alpha: 54 * math.Ln2, Label: "center exactly 1"}}
}
