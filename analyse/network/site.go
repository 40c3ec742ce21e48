package network

import (
	"fmt"
	"strings"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
)

// A site is a layer of a network whose input and output are tapped, and what was found of it.
type site struct {
	path     string
	kind     string
	grid     analyse.Grid // of the input
	result   analyse.Grid // of the output
	in, out  int
	block    int              // of a stack of blocks; -1: none
	mix      *attention.Block // that it is part of; nil: another layer
	gauge    analyse.Gauge    // what the network does around it
	factored bool             // heads have values of their own
	loses    bool             // zeros around the grid have part of the attention
	single   bool             // seen is one array, of which nothing says whether it depends on the image
	seen     *analyse.Attention
	profile  []analyse.Profile // of the heads, once they were asked for
	// attention of the same layer of an untrained network, (T, T) for each head; nil: not drawn
	untrained [][]float64
	linearMap
	fits
}

// linearMap is a layer as one linear map of its tokens.
type linearMap struct {
	raw       analyse.Layer     // of its weights as they are
	bias      []float64         // of the output, where rows of attention add up to 1
	operator  *analyse.Operator // of its canonical maps; nil: it is none
	canonical bool              // operator is that
}

// fits are the regressions of a layer.
type fits struct {
	kernels []analyse.Kernel // the best convolutions, by size, where they are asked for
	fitted  int              // the largest K that has a regression
	near    *nearBorder      // nil: not asked for, or too few queries
}

// nearBorder is R² of 3 × 3 convolutions: of the best one for queries away from borders, there, and of the best one for
// all queries, at borders.
type nearBorder struct{ inside, border float64 }

// regressionDraws are the R² of 3 × 3 convolutions for a layer of untrained networks.
type regressionDraws struct {
	k3   []float64
	near []nearBorder
}

const attends = "attention" // the kind of a site

// sitesOf lists the layers that tap both of their ends, in the order of computation.
func sitesOf(net *model.Network) (all []*site, err error) {
	image, tokens := net.Spec.Image, net.Spec.Grid()
	g, err := nn.Build(false, func(g *nn.Graph) {
		g.Want(isEnd)
		net.Layer.Forward(g, g.Shaped("x", 1, image[0], image[1], image[2]))
	})
	if err != nil {
		return nil, err
	}
	known := map[string]*site{}
	for _, t := range g.Taps() {
		shape := t.Node.Shape()
		grid := tokens // (batch, tokens, channels)
		switch {
		case len(shape) == 4:
			grid = analyse.Grid{Rows: shape[1], Cols: shape[2]}
		case shape[1] != tokens.Tokens():
			continue // a class token has joined, which has no place on the grid
		}
		if path, ok := strings.CutSuffix(t.Name, nn.LayerInput); ok {
			known[path] = &site{path: strings.TrimPrefix(path, "model."), kind: "convolutions", block: -1, grid: grid,
				in: shape[len(shape)-1]}
			continue
		}
		path := strings.TrimSuffix(t.Name, nn.LayerOutput)
		if s := known[path]; s != nil {
			s.result, s.out = grid, shape[len(shape)-1]
			all = append(all, s)
		}
	}
	if stack, ok := net.Layer.(*attention.Stack); ok {
		for i := range stack.Blocks {
			s := known[pathOf(stack.Blocks[i])]
			if s == nil {
				continue
			}
			s.gauge = gaugeOf(stack, i)
			if b := stack.Block(i); b != nil {
				s.block, s.mix, s.kind = i, b, kindOf(b)
				block := net.Spec.Blocks()[i]
				s.factored, s.loses = s.kind == attends && block.Factored(), block.SeesZeros()
			}
		}
	}
	return all, nil
}

func isEnd(name string) bool {
	return strings.HasSuffix(name, nn.LayerInput) || strings.HasSuffix(name, nn.LayerOutput)
}

func kindOf(b *attention.Block) string {
	switch mix := b.Mix.(type) {
	case *attention.SelfAttention:
		return attends
	case *conv.Conv:
		if taps, ok := mix.Taps.(*attention.Taps); ok {
			return fmt.Sprintf("convolution %d × %[1]d of %d learned taps", taps.Size, mix.W.Shape[2])
		}
		return fmt.Sprintf("convolution %d × %d", mix.W.Shape[2], mix.W.Shape[3])
	case *conv.Depthwise:
		return fmt.Sprintf("depth-wise convolution %d × %d", mix.W.Shape[2], mix.W.Shape[3])
	case *nn.Linear:
		return "convolution 1 × 1"
	}
	return "another block"
}

func (s *site) inputName() string { return "model." + s.path + nn.LayerInput }

func (s *site) outputName() string { return "model." + s.path + nn.LayerOutput }
