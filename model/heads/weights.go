// Package heads is about the heads of a network's attention layers: their scores for an image, their matrices W_h, and
// training with some of them frozen or pruned. A Reader reads scores; Scores.Weights are the attention maps.
//
// Stable: all of it, but for the words of errors.
package heads

import (
	"errors"

	"github.com/attnconv/attnconv/model"
)

// whole returns an error for a network without layers.
func whole(n *model.Network) error {
	if n == nil || n.Layer == nil {
		return errors.New("the network is nil or empty: want one of model.New or model.Load")
	}
	return nil
}

// Weights returns the matrix W_h = W_val·W_out of each head of a block, (heads, in, out); blocks count from 0. It is
// nil for a block without attention, and where heads have values of their own.
func Weights(n *model.Network, block int) [][][]float64 {
	blocks := n.Spec.Blocks()
	if block < 0 || block >= len(blocks) || !blocks[block].Attends() || blocks[block].Factored() {
		return nil
	}
	b := blocks[block]
	w := n.Attention()[block].Value.W // (out, heads·in), head-major
	out, in := w.Shape[0], w.Shape[1]/b.Heads
	matrices := make([][][]float64, b.Heads)
	for h := range matrices {
		for i := range in {
			row := make([]float64, out)
			for j := range row {
				row[j] = float64(w.Data[j*b.Heads*in+h*in+i])
			}
			matrices[h] = append(matrices[h], row)
		}
	}
	return matrices
}
