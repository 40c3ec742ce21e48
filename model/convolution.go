package model

import (
	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
)

// Convolutions lists what the 3 × 3 convolutions between the first map of pixels and the classes are made of, in a
// network that is no list of blocks.
var Convolutions = option.List[option.Item]{
	{Name: "taps", Help: "a matrix for each kernel tap"},
	{Name: ofHeads, Help: "attention: nine Gaussian heads in a 3 × 3 window, each with a matrix"},
}

const ofHeads = "heads"

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
	if start := s.drawnStart(); start.OnGrid() && t.Encoding.Spread.Data != nil {
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
