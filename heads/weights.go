// Package heads is about the heads of a network's attention layers: the scores that they give an image, the matrices with
// which they pass on what they attend to, and training with some of them frozen or pruned.
//
// Stable: all of it, but for the words of errors.
package heads

import "github.com/attnconv/attnconv/model"

// Weights returns the matrix W_h of each head of a block, (in, out): what a head does to what it sees, before the
// heads add up. It is nil for a block without attention, and where heads have values of their own.
func Weights(n *model.Network, block int) [][][]float64 {
	blocks := n.Spec.Blocks()
	if block >= len(blocks) || !blocks[block].Attends() || blocks[block].Factored() {
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
