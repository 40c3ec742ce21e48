// Package figures draws what runs and networks hold: where heads attend and how they moved in training, attention maps
// of images, and the curves of runs. It turns them into the plain values that package viz draws, with names and
// captions.
package figures

import (
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc/geometry"
	"github.com/attnconv/attnconv/viz"
)

// Layers returns the Gaussian heads of layers with these numbers, from 1, for viz.Heads. Without numbers, it returns
// all layers that have such heads. The error is an *option.Error for "layers".
func Layers(heads [][]geometry.Head, numbers []int) ([]viz.Layer, error) {
	numbers, err := withHeads(numbers, len(heads), func(i int) bool { return len(heads[i]) > 0 })
	if err != nil {
		return nil, err
	}
	wanted := make([][]geometry.Head, len(heads))
	for _, n := range numbers {
		wanted[n-1] = heads[n-1]
	}
	return viz.Layers(wanted), nil
}

// withHeads returns the numbers, from 1 to n, of layers that must have heads; nil stands for all that have some.
func withHeads(numbers []int, n int, has func(i int) bool) (layers []int, err error) {
	if numbers == nil {
		for i := range n {
			if has(i) {
				layers = append(layers, i+1)
			}
		}
		return layers, nil
	}
	for _, l := range numbers {
		switch {
		case l < 1 || l > n:
			return nil, option.Errorf("layers", "%d: want numbers from 1 to %d", l, n)
		case !has(l - 1):
			return nil, option.Errorf("layers", "layer %d has no heads to draw", l)
		}
	}
	return numbers, nil
}
