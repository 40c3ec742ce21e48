package viz

import (
	"math"
	"testing"

	"github.com/attnconv/attnconv/posenc/geometry"
)

func round(alpha float64) geometry.Head { return geometry.Isotropic([2]float64{}, alpha) }

// golden is S·Sᵀ of S = [[1, 0.5], [0.2, 0.8]].
var golden = geometry.Head{Center: [2]float64{0.5, -1}, Precision: [2][2]float64{{1.25, 0.6}, {0.6, 0.68}}}

// Every point of a contour has the same Mahalanobis distance from the center.
func TestContour(t *testing.T) {
	for _, p := range contour(golden, 0.9, 32) {
		d0, d1 := p[0]-golden.Center[0], p[1]-golden.Center[1]
		q := golden.Precision
		if got, want := d0*d0*q[0][0]+2*d0*d1*q[0][1]+d1*d1*q[1][1], -2*math.Log(0.1); math.Abs(got-want) > 1e-9 {
			t.Errorf("at %v: distance² %.9f, want %.9f", p, got, want)
		}
	}
}
