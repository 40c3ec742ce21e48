package network

import (
	"math"
	"testing"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/null"
)

// Means are over the layers that have the value, and then over runs; a layer without an operator has no part.
func TestMeans(t *testing.T) {
	run := func(within ...float64) (d Analysis) {
		for _, w := range within {
			d.Layers = append(d.Layers, Layer{TapScore: null.Unknown,
				Shares: &analyse.Shares{K1: w / 2, K3: w / 2, Place: 1 - w}, Rank: &analyse.Rank{Effective: 2},
				Borders: &Borders{Zeros: BorderShares{Any: NullTest{Value: null.Float(w)}},
					Repeated: BorderShares{Any: NullTest{Value: null.Float(w / 2)}}}})
		}
		d.Layers = append(d.Layers, Layer{TapScore: null.Unknown})
		return d
	}
	m := layerMeans([]Analysis{run(0.2, 0.6), run(0.8, 0.8)}, []Analysis{run(0.1, 0.3)})
	if m.Layers != 2 || m.Draws != 1 || math.Abs(float64(m.Within3.Mean)-0.6) > 1e-12 ||
		math.Abs(float64(m.Within3.Std)-0.2*math.Sqrt2) > 1e-12 ||
		math.Abs(float64(m.Within3.Null)-0.2) > 1e-12 || math.Abs(float64(m.Place.Mean)-0.4) > 1e-12 ||
		m.Zeros != m.Within3 || math.Abs(float64(m.Repeated.Mean)-0.3) > 1e-12 ||
		math.Abs(float64(m.Repeated.Null)-0.1) > 1e-12 || float64(m.Rank.Mean) != 2 || m.Tap.Mean.Known() {
		t.Errorf("%+v", m)
	}
	if m := layerMeans([]Analysis{run()}, nil); m != nil {
		t.Errorf("no layer has an operator: %+v", m)
	}
}
