package cmd

import (
	"context"
	"fmt"
	"math"

	"github.com/attnconv/attnconv/theorem"
	"github.com/attnconv/attnconv/viz"
)

// plot draws how the error falls with α, for the first of the borders: a panel for each type, a curve for each kernel.
func (p *plan) plot(ctx context.Context, name string) error {
	var alphas []float64
	for a := 1.0; a <= 112; a += 3 {
		alphas = append(alphas, a)
	}
	fine := *p
	fine.alphas, fine.borders, fine.base.Trials = alphas, p.borders[:1], 1
	all := fine.experiments()
	found, err := theorem.RunAll(ctx, all)
	if err != nil {
		return err
	}
	var panels []viz.Panel
	for i := 0; i < len(all); i += len(alphas) {
		e, curve := all[i], viz.Curve{Name: fmt.Sprintf("%d × %d", all[i].Kernel, all[i].Kernel)}
		title := "relative error in " + e.Type + ", powers of ten"
		if len(panels) == 0 || panels[len(panels)-1].Title != title {
			panels = append(panels, viz.Panel{Title: title})
		}
		panel := &panels[len(panels)-1]
		curve.Runs = [][]viz.Point{logs(alphas, func(j int) float64 { return found[i+j].Rel })}
		if len(panel.Curves) == 0 {
			curve.Dim = [][]viz.Point{logs(alphas, func(j int) float64 { return found[i+j].Leak })}
		}
		panel.Curves = append(panel.Curves, curve)
	}
	figure, err := viz.Curves(panels, viz.CurvesOptions{X: "α", Dim: "weight of a wrong pixel"})
	if err != nil {
		return err
	}
	b, err := figure.Encode(name, viz.Output{})
	if err != nil {
		return err
	}
	return writeFile(name, b)
}

// logs are decimal logarithms over α; zeros have none, and are left out.
func logs(alphas []float64, of func(i int) float64) (points []viz.Point) {
	for i, a := range alphas {
		if v := of(i); v > 0 {
			points = append(points, viz.Point{X: a, Y: math.Log10(v)})
		}
	}
	return points
}
