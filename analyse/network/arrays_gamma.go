package network

import (
	"fmt"

	"github.com/attnconv/attnconv/analyse"
)

// gauge is what the layer norms around the layer hide, if gamma is known. With zeros around the grid, a constant in the
// input is not one in the output, so the norm in front hides nothing.
func (l *stored) gauge(padded bool) (analyse.Gauge, error) {
	g := analyse.Gauge{Center: true}
	if padded {
		return g, nil
	}
	v, err := l.gamma.Read()
	if err != nil {
		return g, fmt.Errorf("gamma: %w", err)
	}
	g.Gamma = v.Of()
	if l.fresh {
		for i := range g.Gamma {
			g.Gamma[i] = 1
		}
	}
	return g, nil
}
