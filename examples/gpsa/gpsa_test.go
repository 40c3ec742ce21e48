package main

import (
	"testing"

	"github.com/attnconv/attnconv/nn/op"
)

// The gate's gradient is that of differences, for averages and for maps that are one for all images.
func TestGateGradients(t *testing.T) {
	for name, shapes := range map[string][]op.Shape{
		"averages": {{2, 3, 8}, {2, 3, 8}, {4}},
		"shared":   {{2, 4, 3, 3}, {4, 3, 3}, {4}},
	} {
		size := 2
		if name == "shared" {
			size = 9
		}
		err := op.CheckGradients(func(in ...*op.Node) *op.Node { return gated(in[0], in[1], in[2], size) }, nil,
			shapes...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
