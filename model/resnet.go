package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
)

// Shortcuts lists what adds the input of a block of a residual network of three stages to its output where the shape
// changes.
var Shortcuts = option.List[option.Item]{
	{Name: withZeros, Help: "every second pixel, with zeros in new channels (option A of He et al. 2016)"},
	{Name: "conv", Help: "a 1 × 1 convolution (option B)"},
}

const withZeros = "zeros"

// resNet is a residual network with so many blocks in its stages: four or, in networks for small images, three.
func resNet(name, help string, depths ...int) Kind {
	small := len(depths) == 3
	reads := "width convolution heads_init conv_init stem_init"
	if small {
		reads += " shortcut"
	}
	options := func(s Spec) conv.ResNetOptions {
		return conv.ResNetOptions{
			Rows: s.Image[0], Cols: s.Image[1], Channels: s.Image[2], Width: s.Width, Depths: depths,
			Classes: s.Classes, Zeros: small && s.Shortcut == withZeros, Make: s.maker(),
		}
	}
	return Kind{
		Name: name, Help: help, Reads: reads, Size: "model.width", Residual: true,
		New: func(s nn.Scope, spec Spec, _ []BlockSpec) nn.Layer {
			net := conv.NewResNet(s, options(spec))
			spec.start(net.Units()[1:]) // the first reads pixels
			return net
		},
		Stem:   func(net nn.Layer) Stem { return stemOf(net.(*conv.ResNet).Stem.Conv) },
		Check:  func(s Spec, _ []BlockSpec) error { return s.checkConvolution() },
		Words:  Spec.widthWords,
		Weight: "layer1.0.conv1.weight",
		Infer:  func(w ckpt.Shapes, s Spec) (Spec, error) { return inferResNet(w, s, name, depths) },
		Freeze: "parameters go by name, as in fc.*",
		Others: smallImages,
	}
}

// smallImages turns the names of a residual network's parameters in its other well-known form, which is made for small
// images, into torchvision's.
var smallImages = strings.NewReplacer(".shortcut.", ".downsample.", "model.linear.", "model.fc.")

// inferResNet infers the width of a residual network of those depths.
func inferResNet(w ckpt.Shapes, s Spec, kind string, depths []int) (Spec, error) {
	var found []int
	for i := range 4 {
		if !w.Has(fmt.Sprintf("layer%d.0.conv1.weight", i+1)) {
			break
		}
		found = append(found, 0)
		for w.Has(fmt.Sprintf("layer%d.%d.conv1.weight", i+1, found[i])) {
			found[i]++
		}
	}
	switch {
	case w.Has("layer1.0.conv3.weight"):
		return s, errors.New("blocks of three convolutions, as in ResNet50: residual networks here have two")
	case !slices.Equal(found, depths):
		return s, fmt.Errorf("no residual network here has stages of %v blocks", found)
	case !w.Has("fc.weight"):
		return s, errors.New("no classifier: no tensor is called fc.weight or linear.weight")
	case len(depths) == 3 && w.Has("layer2.0.downsample.0.weight"):
		s.Shortcut = "conv"
	case len(depths) == 3:
		s.Shortcut = withZeros
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
