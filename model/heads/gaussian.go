package heads

import (
	"math"

	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/posenc"
)

// A Gaussian is one Gaussian head. Lengths are in tokens.
type Gaussian struct {
	Layer int `json:"layer"` // from 1
	Head  int `json:"head"`  // from 1
	// encoding of its layer: quadratic (isotropic) or quadratic-general
	Kind       string         `json:"kind"`
	Center     [2]float64     `json:"center"`          // relative to the query: row, column
	Alpha      *null.Float    `json:"alpha,omitempty"` // of an isotropic head, 1/tokens²
	Precision  [2][2]float64  `json:"precision"`       // inverse covariance
	R50        null.Float     `json:"r50"`             // radius of the disc with half of the weight
	R90        null.Float     `json:"r90"`             // radius of the disc with 90 % of the weight
	Axes       [2]null.Float  `json:"axes"`            // of the 50 % contour, longer first
	Angle      float64        `json:"angle"`           // of the longer axis, in degrees: 0 is down, 90 to the right
	Condition  null.Float     `json:"condition"`       // number of the precision
	Degenerate bool           `json:"degenerate"`      // it attends (almost) uniformly
	Start      *GaussianStart `json:"start,omitempty"` // of inspect, if known
}

// A GaussianStart is a head before the first step.
type GaussianStart struct {
	Center [2]float64    `json:"center"`          // relative to the query: row, column
	Alpha  *null.Float   `json:"alpha,omitempty"` // of an isotropic head
	R50    null.Float    `json:"r50"`             // radius of the disc with half of the weight
	Axes   [2]null.Float `json:"axes"`            // of the 50 % contour, longer first
}

// Describe describes a Gaussian head of a layer, both counted from 1. An isotropic one has one width.
func Describe(layer, number int, h posenc.Head, isotropic bool) Gaussian {
	long, short := h.Axes(0.5)
	d := Gaussian{Layer: layer, Head: number, Kind: "quadratic-general", Center: h.Center, Precision: h.Precision,
		R50: null.Unknown, R90: null.Unknown, Axes: [2]null.Float{null.Float(long), null.Float(short)},
		Condition: null.Float(h.Condition()), Angle: h.Angle(), Degenerate: h.Uniform()}
	if isotropic {
		r90, _ := h.Axes(0.9)
		alpha := null.Float(h.Precision[0][0] / 2)
		d.Kind, d.Alpha, d.R50, d.R90, d.Angle = "quadratic", &alpha, null.Float(long), null.Float(r90), 0
	}
	return d
}

// Reach returns the largest distance from the query, in pixels of the image, that 90 % of the weight of every head of a
// layer lies within: max_h ‖Δ_h‖ + r90_h. Degenerate heads do not count; it is unknown if there are no others.
func Reach(heads []Gaussian, pool int) null.Float {
	most := math.Inf(-1)
	for _, h := range heads {
		if long, _ := (posenc.Head{Center: h.Center, Precision: h.Precision}).Axes(0.9); !h.Degenerate {
			most = max(most, float64(pool)*(math.Hypot(h.Center[0], h.Center[1])+long))
		}
	}
	return null.Float(most)
}
