package model

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/internal/plain"
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
	tokens, first := p.tokens(float64s(x)), net.Spec.Blocks()[0]
	layer := oracle{first.Spec, p.w}.attention("encoder.layer.0.attention.self.", heads)
	joined := net.Spec.Readout == "token" && blind(first)
	if joined {
		tokens = slices.Concat([][]float64{p.classToken()}, tokens)
		layer.Rows, layer.Cols = 1, len(tokens)
	}
	if first.Norm != "post" {
		for i, t := range tokens {
			tokens[i] = p.norm("encoder.layer.0.attention.output.LayerNorm", t)
		}
	}
	all := layer.Weights(0, tokens)
	for h, w := range all {
		for q := range w {
			if joined {
				w[q] = w[q][1:]
			}
		}
		if joined {
			all[h] = w[1:]
		}
	}
	return all
}
