package model

import (
	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
)

// depths are the numbers of blocks in the four stages of each residual network.
var depths = map[string][4]int{
	"resnet10": {1, 1, 1, 1},
	"resnet18": {2, 2, 2, 2},
	"resnet34": {3, 4, 6, 3},
}

// resNet returns what sizes the residual network of s, if s is one.
func (s Spec) resNet() (o conv.ResNetOptions, ok bool) {
	d, ok := depths[s.Kind]
	return conv.ResNetOptions{Channels: s.Image[2], Width: s.Width, Depths: d, Classes: s.Classes}, ok
}

func newResNet(s nn.Scope, spec Spec) nn.Layer {
	o, _ := spec.resNet()
	return conv.NewResNet(s, o)
}
