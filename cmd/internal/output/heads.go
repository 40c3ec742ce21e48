package output

import (
	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/viz"
)

// NewHeadRow describes a head of a layer; isotropic says that it has one width.
func NewHeadRow(layer, number int, h viz.Head, isotropic bool) report.Head {
	long, short := h.Axes(0.5)
	row := report.Head{Layer: layer, Head: number, Kind: "quadratic-general", Center: h.Center, Precision: h.Precision,
		Axes: [2]*float64{cli.Finite(long), cli.Finite(short)}, Condition: cli.Finite(h.Condition()),
		Angle: h.Angle(), Degenerate: h.Uniform()}
	if isotropic {
		alpha := h.Precision[0][0] / 2
		r90, _ := h.Axes(0.9)
		row.Kind, row.Alpha, row.R50, row.R90, row.Angle = "quadratic", &alpha, cli.Finite(long), cli.Finite(r90), 0
	}
	return row
}
