package model

import (
	"slices"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc"
)

// Convolutions lists what the 3 × 3 convolutions between the first map of pixels and the classes are made of, in a
// network that is no list of blocks.
var Convolutions = option.List[option.Item]{
	{Name: "taps", Help: "a matrix for each kernel tap"},
	{Name: ofHeads, Help: "attention: nine Gaussian heads in a 3 × 3 window, each with a matrix"},
}

const ofHeads = "heads"

// attends reports whether convolutions of a network without blocks are attention.
func (s Spec) attends() bool { return s.Convolution == ofHeads && s.Uses("convolution") }

// maker makes the convolutions.
func (s Spec) maker() conv.Maker {
	if s.Convolution != ofHeads {
		return nil
	}
	return func(scope nn.Scope, in, out, k, stride int) *conv.Conv {
		scope = scope.AsPart()
		return attention.NewConv(scope, s.taps(scope, k), in, out, stride)
	}
}

// taps are the heads of a k × k convolution.
func (s Spec) taps(scope nn.Scope, k int) *attention.Taps {
	t := attention.NewTaps(scope, k)
	if start := posenc.Starts.Find(s.HeadsInit); start.OnGrid() && t.Encoding.Spread.Data != nil {
		start.Place(t.Encoding)
	}
	return t
}

// start initializes convolutions whose weights are taps.
func (s Spec) start(units []*conv.Unit) {
	for _, u := range units {
		if u.Conv.Taps == nil {
			conv.Starts.Find(s.ConvInit).Init(u.Conv)
		}
	}
}

func (s Spec) checkConvolution() error {
	if random := conv.Starts.Default(); s.Convolution == ofHeads && s.ConvInit != random {
		return option.Errorf("model.conv_init", "%s: is for kernels; with model.convolution heads want %s", s.ConvInit,
			random)
	}
	return nil
}

// inferConvolution completes a spec by the weights of a unit's convolution.
func inferConvolution(w ckpt.Shapes, conv string, s Spec) Spec {
	if w.Has(conv + ".attention_centers") {
		s.Convolution = ofHeads
	}
	return s
}

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

// TokenSide is the side of a token in pixels; 0 where it differs between layers.
func (s Spec) TokenSide() int {
	if kind := Kinds.Find(s.Kind); kind != nil && kind.Block == "" {
		return 0
	}
	return s.Pool
}
