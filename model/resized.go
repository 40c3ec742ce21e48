package model

import (
	"fmt"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// Resized returns the network for images that show the same in fewer pixels, as a *Network over the same parameters:
// both see what either's training writes. Gaussian heads, and others that are posenc.Scalable, attend to the same part
// of the picture. Convolutions, and tables of shifts in tokens, reach as many pixels or tokens as before. The error
// says why there is no such network.
func (n *Network) Resized(rows, cols int) (nn.Layer, error) {
	spec, old := n.Spec, n.Spec.Image
	spec.Image[0], spec.Image[1] = rows, cols
	switch _, _, uneven := spec.Padded(); {
	case rows < 1 || cols < 1 || rows*old[1] != cols*old[0]:
		return nil, fmt.Errorf("images of %d × %d pixels do not become %d × %d: want the same shape", old[0], old[1],
			rows, cols)
	case spec.Uses("pool") && uneven:
		return nil, fmt.Errorf("%d × %d pixels are no whole number of tokens: want multiples of model.pool, %d", rows,
			cols, spec.Pool)
	}
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	layer, err := nn.Rebuild(n.seed, n.Params, spec.build)
	if err != nil {
		return nil, fmt.Errorf("a network for images of %d × %d has other weights: %w", rows, cols, err)
	}
	small := &Network{Layer: layer, Spec: spec, Params: n.Params, seed: n.seed}
	for _, a := range small.Attention() {
		if a != nil {
			a.Encoding = posenc.WithSpacing(a.Encoding, float64(old[0])/float64(rows))
		}
	}
	return small, nil
}
