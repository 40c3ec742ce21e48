// Package model turns a Spec into a network and a checkpoint into a network: the one place where attention, convolution
// and encodings meet.
package model

import (
	"fmt"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/internal/memory"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// A Network is a model with its parameters.  x (batch, rows, cols, channels) -> logits (batch, classes)
type Network struct {
	nn.Layer
	Spec   Spec
	Params []*nn.Param // in the order of the network
}

// New returns the network of spec with the initial weights of seed.
func New(spec Spec, seed uint64) (n *Network, err error) {
	if err := spec.Validate(); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	defer func() { // of nn.Scope.Param
		if p := recover(); p != nil {
			large, ok := p.(*memory.TooLarge)
			if !ok {
				panic(p)
			}
			n, err = nil, fmt.Errorf("model: %w", large)
		}
	}()
	scope := nn.NewScope(seed)
	layer := Kinds.Find(spec.Kind).New(scope, spec, spec.Blocks())
	return &Network{Layer: layer, Spec: spec, Params: scope.Params()}, nil
}

// Heads returns where the Gaussian heads of each layer look, or nil for a model that has none.
func (n *Network) Heads() (layers [][]posenc.Head, isotropic bool) {
	stack, ok := n.Layer.(*attention.Stack)
	if !ok {
		return nil, false
	}
	for _, b := range stack.Blocks {
		g, ok := b.Attend.Encoding.(posenc.Gaussian)
		if !ok {
			return nil, false
		}
		layers, isotropic = append(layers, g.Heads()), g.Isotropic()
	}
	return layers, isotropic
}

// InitialHeads returns where the Gaussian heads of each layer look before the first step of a run with that seed, or nil
// for a model that has none. It builds the encodings alone: studies of many seeds ask for their heads.
func InitialHeads(s Spec, seed uint64) (layers [][]posenc.Head, err error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	if !s.gaussian() {
		return nil, nil
	}
	var heads []int
	for _, b := range s.Blocks() {
		heads = append(heads, b.Heads)
	}
	for _, e := range attention.Encodings(nn.NewScope(seed), s.encoding, heads) {
		layers = append(layers, e.(posenc.Gaussian).Heads())
	}
	return layers, nil
}
