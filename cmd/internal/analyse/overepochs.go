package analyse

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/viz"
)

// drawEpochs draws the shares of each layer over epochs, a panel each: what is a 3 × 3 convolution or a 1 × 1, and
// what depends on the place, with the middle 95 % of untrained networks in gray. Of several runs, which must have the
// same layers, it draws means with a band over the runs. A width of 0 is as the layers need, in cm.
func drawEpochs(runs []network.Epochs, width float64) (*viz.Figure, error) {
	if len(runs) == 0 || len(runs[0].Epochs) == 0 {
		return nil, errors.New("no epochs: want those of network.Over")
	}
	for _, d := range runs {
		for _, e := range d.Epochs {
			if len(e.Layers) != len(runs[0].Epochs[0].Layers) {
				return nil, term.Usagef("", "%s and %s have different layers: no curves to draw", runs[0].Source,
					d.Source)
			}
		}
	}
	var panels []viz.Panel
	for i, l := range runs[0].Epochs[0].Layers {
		if l.Shares == nil {
			continue
		}
		p := viz.Panel{Title: fmt.Sprintf("layer %d", l.Layer), Percent: true, Whole: true, Curves: []viz.Curve{
			{Name: "1 × 1 and further 3 × 3", Runs: shareCurves(runs, i,
				func(s analyse.Shares) float64 { return s.K1 + s.K3 })},
			{Name: "depends on the place", Runs: shareCurves(runs, i,
				func(s analyse.Shares) float64 { return s.Place })},
		}}
		if l.Null != nil {
			middle := "the middle 95 % of " + table.Count(l.Null.Draws, "untrained network")
			p.Spans = append(spanOf(middle, l.Null.Within), spanOf("theirs that depends on the place", l.Null.Place)...)
		}
		panels = append(panels, p)
	}
	if len(panels) == 0 {
		return nil, term.Usagef("", "no layer of %s has an operator: no shares to draw", runs[0].Source)
	}
	f, err := viz.Curves(panels, viz.CurvesOptions{Width: width})
	if err != nil {
		return nil, err
	}
	f.Title = "How much of each layer's operator is a 3 × 3 convolution, by epoch"
	d := runs[0]
	f.Source, f.Caption = d.Source, analyzed(&network.Analysis{Source: d.Source, Model: d.Model, Encoding: d.Encoding,
		Data: d.Data, Seed: d.Seed})
	if len(runs) > 1 {
		f.Source, f.Caption = "", table.Count(len(runs), "run")+" · "+cmp.Or(d.Encoding, d.Model)
	}
	f.Caption += " · percent of the layer's squared norm"
	return f, nil
}

func shareCurves(runs []network.Epochs, layer int, of func(analyse.Shares) float64) (all [][]viz.Point) {
	for _, d := range runs {
		var points []viz.Point
		for _, e := range d.Epochs {
			if s := e.Layers[layer].Shares; s != nil {
				points = append(points, viz.Point{X: float64(e.Epoch), Y: of(*s)})
			}
		}
		all = append(all, points)
	}
	return all
}

func spanOf(name string, b *analyse.Band) []viz.Span {
	if b == nil || !b.Lo.Known() || !b.Hi.Known() {
		return nil
	}
	return []viz.Span{{Name: name, Lo: float64(b.Lo), Hi: float64(b.Hi)}}
}
