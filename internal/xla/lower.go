package xla

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
)

type (
	lowering  = op.Lowering
	Unlowered = op.Unlowered
)

// lowering is one of g, where params holds the values of g's parameters in the order of Used.
func (d Device) lowering(g *nn.Graph, params []*graph.Node) *lowering {
	l := op.NewLowering(params[0].Graph())
	l.Half = d.Half
	for i, p := range g.Used() {
		l.Place(g.Use(p), params[i])
	}
	return l
}
