package model

import (
	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/theorem/plain"
)

// ReadSpec reads settings as a checkpoint's are read.
func ReadSpec(s *Spec, n *yaml.Node) error { return specFields().Into(s, n, "model") }

// For the tests of package heads' scores, which stand above this package.
var (
	Variants = variants
	Images   = images
)

// ReferenceWeights is how much each query attends to each key in the first layer, by definition, for each of its heads.
func ReferenceWeights(net *Network, heads int, x []float32) []plain.Matrix {
	p := oracle{net.Spec, map[string][]float32{}}
	for _, q := range net.Params {
		p.w[q.Name[len("model."):]] = q.Data
	}
	return p.attention("encoder.layer.0.attention.self.", heads).Weights(0, p.tokens(float64s(x)))
}
