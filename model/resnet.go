package model

import (
	"strings"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
)

// depths are the numbers of blocks in the four stages of each residual network.
var depths = map[string][4]int{
	"resnet10": {1, 1, 1, 1},
	"resnet18": {2, 2, 2, 2},
	"resnet34": {3, 4, 6, 3},
}

// otherName turns torchvision's names of a residual network's parameters into those of its other well-known form, which
// is made for small images.
var otherName = strings.NewReplacer(".downsample.", ".shortcut.", "model.fc.", "model.linear.")

// resNet returns what sizes the residual network of s, if s is one.
func (s Spec) resNet() (o conv.ResNetOptions, ok bool) {
	d, ok := depths[s.Kind]
	return conv.ResNetOptions{
		Rows: s.Image[0], Cols: s.Image[1], Channels: s.Image[2], Width: s.Width, Depths: d, Classes: s.Classes,
	}, ok
}

func newResNet(s nn.Scope, spec Spec) nn.Layer {
	o, _ := spec.resNet()
	return conv.NewResNet(s, o)
}
