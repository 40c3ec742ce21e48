package prove

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/attnconv/attnconv/cmd/internal/claims"
	"github.com/attnconv/attnconv/viz"
)

// drawErrors draws the relative error of attention over α: a panel for each type, a curve for each border and kernel of
// p. It takes one random kernel each and, instead of p's, ten α per octave from 1 to 120.
func drawErrors(ctx context.Context, p claims.Proof, width float64) (*viz.Figure, error) {
	p.Alphas, p.Base.Trials = nil, 1
	for i := range 70 {
		p.Alphas = append(p.Alphas, math.Exp2(float64(i)/10))
	}
	all, err := p.Run(ctx)
	if err != nil {
		return nil, err
	}
	var panels []viz.ErrorPanel
	for i := 0; i < len(all); i += len(p.Alphas) {
		e := all[i].Experiment
		at := slices.IndexFunc(panels, func(q viz.ErrorPanel) bool { return q.Title == e.Type })
		if at < 0 {
			at = len(panels)
			panels = append(panels, viz.ErrorPanel{Title: e.Type, Unit: "relative error"})
			if !e.Elliptic { // there the nearest pixels do not have weight e^−α
				panels[at].Thresholds = thresholds(e.Type)
			}
		}
		panel := &panels[at]
		panel.Tolerance = max(panel.Tolerance, p.Limit(e))
		curve := viz.ErrorCurve{Name: fmt.Sprintf("%d × %d", e.Kernel, e.Kernel), Border: e.Border}
		for _, j := range all[i : i+len(p.Alphas)] {
			curve.Points = append(curve.Points, viz.Point{X: j.Alpha, Y: j.Rel})
		}
		panel.Curves = append(panel.Curves, curve)
	}
	return viz.Errors(panels, width)
}

// thresholds returns the α from which on the softmax in this type is exactly 1 at the center, and 0 next to it.
func thresholds(kind string) []viz.Threshold {
	if kind == claims.Types[0] {
		return []viz.Threshold{
			{Alpha: 25 * math.Ln2, Label: "center = 1"}, {Alpha: 150 * math.Ln2, Label: "neighbors = 0"},
		}
	}
	return []viz.Threshold{{Alpha: 54 * math.Ln2, Label: "center = 1"}}
}
