package model

import (
	"fmt"
	"strings"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
)

// resNet is a residual network with so many blocks in its four stages.
func resNet(name, help string, depths [4]int) Kind {
	options := func(s Spec) conv.ResNetOptions {
		return conv.ResNetOptions{
			Rows: s.Image[0], Cols: s.Image[1], Channels: s.Image[2], Width: s.Width, Depths: depths,
			Classes: s.Classes, Make: s.maker(),
		}
	}
	return Kind{
		Name: name, Help: help, Reads: "width convolution heads_init conv_init stem_init", Size: "model.width", Residual: true,
		New: func(s nn.Scope, spec Spec, _ []BlockSpec) nn.Layer {
			net := conv.NewResNet(s, options(spec))
			spec.start(net.Units()[1:]) // the first reads pixels
			return net
		},
		Stem:   func(net nn.Layer) Stem { return stemOf(net.(*conv.ResNet).Stem.Conv) },
		Check:  func(s Spec, _ []BlockSpec) error { return s.checkConvolution() },
		Words:  Spec.widthWords,
		Weight: "conv1.weight",
		Infer:  func(w ckpt.Shapes, s Spec) (Spec, error) { return inferResNet(w, s, name, depths) },
		Freeze: "parameters go by name, as in fc.*",
		Others: smallImages,
	}
}

// smallImages turns the names of a residual network's parameters in its other well-known form, which is made for small
// images, into torchvision's.
var smallImages = strings.NewReplacer(".shortcut.", ".downsample.", "model.linear.", "model.fc.")

// inferResNet infers the width of a residual network of those depths.
func inferResNet(w ckpt.Shapes, s Spec, kind string, depths [4]int) (Spec, error) {
	var found [4]int
	for i := range found {
		for w.Has(fmt.Sprintf("layer%d.%d.conv1.weight", i+1, found[i])) {
			found[i]++
		}
	}
	if found != depths {
		return s, fmt.Errorf("no residual network here has stages of %v blocks", found)
	}
	s.Kind, s.Width, s.Classes = kind, w.At("conv1.weight", 0), w.At("fc.weight", 0)
	return inferConvolution(w, "layer1.0.conv1", s), nil
}

// widthWords is ", width 64, convolutions of heads".
func (s Spec) widthWords([]BlockSpec) string {
	words := fmt.Sprintf(", width %d", s.Width)
	if s.Convolution == ofHeads {
		words += ", convolutions of heads"
	}
	return words
}
