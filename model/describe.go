package model

import (
	"strings"

	"github.com/attnconv/attnconv/nn"
)

// Parts describes the network layer by layer, with the parameters of each; one that does not list its layers is one
// part.
func (n *Network) Parts() []nn.Part {
	image := n.Spec.Image
	parts := []nn.Part{{Kind: n.Spec.Kind, Out: []int{n.Spec.Classes}, Field: [2]int(image[:2])}}
	if l, ok := n.Layer.(nn.Lister); ok {
		parts = l.Parts(image[0], image[1])
	}
	for i, p := range parts {
		for _, q := range n.Params {
			name := strings.TrimPrefix(q.Name, "model.")
			within := func(path string) bool { return path != "" && strings.HasPrefix(name, path+".") }
			if q.Group != nn.Measured && (len(parts) == 1 || within(p.Path) || within(p.Norm)) {
				parts[i].Params += len(q.Data)
			}
		}
	}
	return parts
}

// MACs counts the multiply-adds of one image's forward pass.
func (n *Network) MACs() (sum nn.MACs) {
	for _, p := range n.Parts() {
		sum = sum.Plus(p.MACs)
	}
	return sum
}
