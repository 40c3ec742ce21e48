// Package model turns a Spec into a network and a checkpoint into a network: the one place where attention, convolution
// and encodings meet.
//
// A Spec says which network; New builds it, Load reads one from a checkpoint, Infer finds the Spec of weights. Kinds
// and Blocks list what there is; Register and RegisterBlock add to them.
//
// Read spec.go (settings), kinds.go (what a kind is), the files of single blocks and networks, layers.go and
// networks.go (the lists), check.go, then model.go. No file needs a later one.
//
// Stable: the keys of Spec, Network, New, Load and Infer. The fields of Kind and BlockKind may grow.
package model

import (
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/internal/memory"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// A Network is a model with its parameters.  x (batch, rows, cols, channels) -> logits (batch, classes)
type Network struct {
	nn.Layer
	Spec   Spec
	Params []*nn.Param // in the order of the network

	seed uint64
}

// Forward implements nn.Layer. It panics with an *op.Error, which nn.Build returns, if the images of x have another
// shape than Spec.Image: as many tokens in another grid would be mixed by positions that they do not have.
func (n *Network) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	if got, want := x.Shape(), n.Spec.Image; len(got) != 4 || [3]int(got[1:]) != want {
		panic(&op.Error{Err: fmt.Errorf("a batch of shape %v: want (images, %d, %d, %d) for this network, rows, "+
			"columns and channels",
			got, want[0], want[1], want[2])})
	}
	return n.Layer.Forward(g, x)
}

// Measures reports whether layers of the network measure their batches in training: it has running statistics.
func (n *Network) Measures() bool {
	return slices.ContainsFunc(n.Params, func(p *nn.Param) bool { return p.Group == nn.Statistic })
}

// New returns the network of spec with the initial weights of seed. Those of model.stem_init whitening depend on
// training images, too: Network.Whiten.
func New(spec Spec, seed uint64) (n *Network, err error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	defer func() { // of nn.Scope.Param
		if p := recover(); p != nil {
			large, ok := p.(*memory.TooLargeError)
			if !ok {
				panic(p)
			}
			n, err = nil, large
		}
	}()
	scope := nn.NewScope(seed)
	layer := spec.build(scope)
	n = &Network{Layer: layer, Spec: spec, Params: scope.Params(), seed: seed}
	n.initialize()
	return n, nil
}

// initialize changes the weights of n that model.init says.
func (n *Network) initialize() {
	net := map[string]*nn.Param{}
	for _, p := range n.Params {
		net[p.Name] = p
	}
	shared := nn.NewScope(n.seed)
	scaled := false
	for i, b := range n.Spec.Blocks() {
		if kind := Inits.Find(b.Init); b.Attends() && kind.set != nil {
			if p := net["model.position_embeddings.weight"]; kind.Name == "impulse" && p != nil && !scaled {
				scaled = true
				multiply(p.Data, 18)
			}
			kind.set(&initial{b, net, fmt.Sprintf("model.encoder.layer.%d.attention.", i),
				attention.BlockScope(shared, i)})
		}
	}
}
