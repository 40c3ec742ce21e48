package model

import (
	"slices"
	"strings"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// Attention returns what mixes the tokens of each block; nil where a block has no heads.
func (n *Network) Attention() (blocks []*attention.SelfAttention) {
	if stack, ok := n.Layer.(*attention.Stack); ok {
		blocks = stack.Attention()
	}
	return blocks
}

// Attends reports whether the network has heads.
func (n *Network) Attends() bool { return slices.ContainsFunc(n.Spec.Blocks(), BlockSpec.Attends) }

// Convolutions returns the convolutions that model.convolution is about, in the order of computation; none for a
// network of blocks.
func (n *Network) Convolutions() (all []*conv.Conv) {
	net, ok := n.Layer.(interface{ Units() []*conv.Unit })
	if !ok {
		return nil
	}
	units := net.Units()
	if r, ok := n.Layer.(*conv.ResNet); ok { // the stem reads pixels
		units = slices.DeleteFunc(units, func(u *conv.Unit) bool { return u == r.Stem })
	}
	for _, u := range units {
		if u.Conv.Taps != nil || u.Conv.W.Shape[2] == 3 {
			all = append(all, u.Conv)
		}
	}
	return all
}

// Heads returns where the Gaussian heads of each block attend, none for a block without them, or those of each
// convolution of heads; or nil for a model that has neither.
func (n *Network) Heads() (layers [][]posenc.Head, isotropic bool) {
	if !n.Spec.gaussian() {
		return nil, false
	}
	isotropic = true
	for _, g := range n.gaussians() {
		var heads []posenc.Head
		if g != nil {
			heads, isotropic = g.Heads(), isotropic && g.Isotropic()
		}
		layers = append(layers, heads)
	}
	return layers, isotropic
}

// gaussians returns the encodings of Heads; nil for a block without such heads.
func (n *Network) gaussians() (layers []posenc.Gaussian) {
	for _, c := range n.Convolutions() {
		layers = append(layers, c.Taps.(*attention.Taps).Encoding)
	}
	for _, a := range n.Attention() {
		var g posenc.Gaussian
		if a != nil {
			g, _ = a.Encoding.(posenc.Gaussian)
		}
		layers = append(layers, g)
	}
	return layers
}

// InitialHeads returns what Network.Heads returns before the first step of a run with that seed, without a donor. It
// builds the encodings alone, fast enough for studies of many seeds.
func InitialHeads(s Spec, seed uint64) (layers [][]posenc.Head, err error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if !s.gaussian() {
		return nil, nil
	}
	scope := nn.NewScope(seed)
	for _, c := range (&Network{Layer: s.build(nn.ShapesOnly())}).Convolutions() {
		of := scope
		path, _ := strings.CutSuffix(strings.TrimPrefix(c.W.Name, "model."), ".weight")
		for name := range strings.SplitSeq(path, ".") {
			of = of.In(name)
		}
		layers = append(layers, s.taps(of.AsPart(), c.Taps.(*attention.Taps).Size).Encoding.Heads())
	}
	for i, b := range s.Blocks() {
		var heads []posenc.Head
		if b.Gaussian() {
			heads = b.encoding(attention.MixScope(attention.BlockScope(scope, i))).(posenc.Gaussian).Heads()
		}
		layers = append(layers, heads)
	}
	return layers, nil
}
