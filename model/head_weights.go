package model

import "github.com/attnconv/attnconv/attention"

// Attends reports whether the network has heads.
func (n *Network) Attends() bool {
	_, ok := n.Layer.(*attention.Stack)
	return ok
}

// HeadWeights returns the matrix W_h of each head of a layer, (in, out): what a head does to what it sees, before the
// heads add up. It is nil for a model without attention, and where heads have values of their own.
func (n *Network) HeadWeights(layer int) [][][]float64 {
	stack, ok := n.Layer.(*attention.Stack)
	if !ok || n.Spec.factored() {
		return nil
	}
	w := stack.Blocks[layer].Attend.Value.W // (out, heads·in), head-major
	heads := n.Spec.Blocks()[layer].Heads
	out, in := w.Shape[0], w.Shape[1]/heads
	matrices := make([][][]float64, heads)
	for h := range matrices {
		for i := range in {
			row := make([]float64, out)
			for j := range row {
				row[j] = float64(w.Data[j*heads*in+h*in+i])
			}
			matrices[h] = append(matrices[h], row)
		}
	}
	return matrices
}
