package output

import (
	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/viz"
)

// A HeadRow describes a Gaussian head.
type HeadRow struct {
	Layer      int           `json:"layer"`
	Head       int           `json:"head"`
	Kind       string        `json:"kind"`
	Center     [2]float64    `json:"center"` // row, column
	Alpha      *float64      `json:"alpha,omitempty"`
	Precision  [2][2]float64 `json:"precision"`
	R50        *float64      `json:"r50"`
	R90        *float64      `json:"r90"`
	Axes       [2]*float64   `json:"axes"`  // of the 50 % contour, longer first
	Angle      float64       `json:"angle"` // of the longer axis, in degrees: 0 is down, 90 to the right
	Condition  *float64      `json:"condition"`
	Degenerate bool          `json:"degenerate"`
	Start      *HeadStart    `json:"start,omitempty"` // in inspect, if known
}

// A HeadStart is a head before training.
type HeadStart struct {
	Center [2]float64  `json:"center"`
	Alpha  *float64    `json:"alpha,omitempty"`
	R50    *float64    `json:"r50"`
	Axes   [2]*float64 `json:"axes"`
}

// NewHeadRow describes a head of a layer; isotropic says that it has one width.
func NewHeadRow(layer, number int, h viz.Head, isotropic bool) HeadRow {
	long, short := h.Axes(0.5)
	row := HeadRow{Layer: layer, Head: number, Kind: "quadratic-general", Center: h.Center, Precision: h.Precision,
		Axes: [2]*float64{cli.Finite(long), cli.Finite(short)}, Condition: cli.Finite(h.Condition()),
		Angle: h.Angle(), Degenerate: h.Uniform()}
	if isotropic {
		alpha := h.Precision[0][0] / 2
		r90, _ := h.Axes(0.9)
		row.Kind, row.Alpha, row.R50, row.R90, row.Angle = "quadratic", &alpha, cli.Finite(long), cli.Finite(r90), 0
	}
	return row
}
