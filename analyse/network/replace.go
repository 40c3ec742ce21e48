package network

import (
	"fmt"
	"strings"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// A replaced network computes some of its layers by other functions of their inputs.
type replaced struct {
	nn.Layer
	by map[string]analyse.Predictor // of a layer, by the path of its parameters
}

// replace returns net with predictors in place of layers.
func replace(net *model.Network, by map[string]analyse.Predictor) *model.Network {
	other := *net
	other.Layer = replaced{net.Layer, by}
	return &other
}

// Forward adds the network to g.
func (r replaced) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	inputs := map[string]*nn.Node{}
	g.Put(func(name string, n *nn.Node) *nn.Node {
		if path, ok := strings.CutSuffix(name, nn.LayerInput); ok {
			inputs[path] = n
		}
		path, ok := strings.CutSuffix(name, nn.LayerOutput)
		if predict := r.by[strings.TrimPrefix(path, "model.")]; ok && predict != nil {
			return predicted(path, inputs[path], n.Shape(), predict)
		}
		return n
	})
	defer g.Put(nil)
	return r.Layer.Forward(g, x)
}

// predicted computes a predictor in a graph.
func predicted(path string, x *nn.Node, shape op.Shape, predict analyse.Predictor) *nn.Node {
	return op.Definition{
		Name:    fmt.Sprintf("in place of %s", path),
		Want:    "the input of the layer",
		Shape:   func(in []op.Shape) (op.Shape, bool) { return shape, len(in) == 1 },
		Forward: func(y []float32, in [][]float32) { copy(y, predict(in[0], shape[0])) },
	}.Apply(x)
}

// constant predicts the same for every token of every image. tokens are the output's.
func constant(mean []float64, tokens int) analyse.Predictor {
	return func(_ []float32, images int) []float32 {
		y := make([]float32, images*tokens*len(mean))
		for i := range y {
			y[i] = float32(mean[i%len(mean)])
		}
		return y
	}
}

func (s *site) meanAttention() ([][]float64, error) { return s.raw.Attention, nil }

func (s *site) shiftMean() ([][]float64, error) { return s.operator.ShiftMean(0), nil }

// hardTaps has each head on its shift of the tap score, a head without one on its peak. At a border it reads the
// nearest token, as a softmax over the grid does, or zeros.
func hardTaps(border analyse.Border) func(s *site) ([][]float64, error) {
	return func(s *site) ([][]float64, error) {
		if s.kind != attends {
			return nil, nil
		}
		_, f, ok := s.operator.TapScore()
		for h, g := range s.operator.Geometry() {
			if !ok[h] {
				f[h] = g.Peak
			}
		}
		return analyse.Taps(s.grid, f, border)
	}
}

func (s *site) uniformAttention() ([][]float64, error) {
	if s.kind != attends {
		return nil, nil
	}
	n := s.grid.Tokens()
	p := make([]float64, n*n)
	for i := range p {
		p[i] = 1 / float64(n)
	}
	all := make([][]float64, len(s.raw.Maps))
	for h := range all {
		all[h] = p
	}
	return all, nil
}
