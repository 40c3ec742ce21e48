package model

import (
	"errors"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
)

// convNet is the plain network of convolutions of airbench94.
var convNet = Kind{
	Name: "convnet", Help: "airbench94, a plain network of 7 convolutions",
	Reads: "width convolution heads_init conv_init stem_init",
	Size:  "model.width",
	New: func(s nn.Scope, spec Spec, _ []BlockSpec) nn.Layer {
		net := conv.NewConvNet(s, conv.ConvNetOptions{Channels: spec.Image[2], Width: spec.Width,
			Classes: spec.Classes, Make: spec.maker()})
		spec.start(net.Units())
		return net
	},
	Stem: func(net nn.Layer) Stem { return stemOf(net.(*conv.ConvNet).Stem) },
	Check: func(s Spec, _ []BlockSpec) error {
		if min(s.Image[0], s.Image[1]) < 2 {
			return option.Errorf("model.image",
				"%v: a convnet begins with a convolution of 2 × 2 pixels: want as many or more", s.Image)
		}
		return s.checkConvolution()
	},
	Words:  Spec.widthWords,
	Weight: "layers.0.conv1.weight",
	Infer: func(w ckpt.Shapes, s Spec) (Spec, error) {
		if !w.Has("stem.weight") || !w.Has("layers.2.conv2.weight") || !w.Has("head.weight") {
			return s, errors.New("weights of a convnet lack stem, layers.2 or head")
		}
		s.Kind, s.Width, s.Classes = "convnet", w.At("layers.0.conv1.weight", 0), w.At("head.weight", 0)
		return inferConvolution(w, "layers.0.conv1", s), nil
	},
	Freeze: "parameters go by name, as in head.*",
}
