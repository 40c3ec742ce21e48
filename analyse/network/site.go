package network

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/internal/null"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
)

// A site is a layer of a network whose input and output are tapped.
type site struct {
	path      string
	kind      string
	grid      analyse.Grid // of the input
	result    analyse.Grid // of the output
	in, out   int
	block     int                // of a stack of blocks; -1: none
	mix       *attention.Block   // that it is part of; nil: another layer
	raw       analyse.Layer      // of its weights as they are
	gauge     analyse.Gauge      // what the network does around it
	operator  *analyse.Operator  // of its canonical maps
	canonical bool               // operator is that
	seen      *analyse.Attention // of an attention layer
	factored  bool               // heads have values of their own
	loses     bool               // zeros around the grid have part of the attention
	single    bool               // seen is one array, of which nothing says whether it depends on the image
	kernels   []analyse.Kernel   // the best convolutions, by size, where they are asked for
	near      *nearBorder        // of the layer; nil: not asked for, or too few queries
	fitted    int                // the largest K that has a regression
	size      null.Float         // of what it adds, relative to what that is added to
	bias      []float64          // of the output, where rows of attention add up to 1
}

const attends = "attention" // the kind of a site

var (
	errNoOperator   = errors.New("it is not one linear map of its tokens")
	errNoAttention  = errors.New("its attention depends on the image, and no images were read")
	errPaddedValues = errors.New("its values have a bias, and zeros around the grid do not; such layers are not measured")
)

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
		return fmt.Sprintf("convolution %d × %d", mix.W.Shape[2], mix.W.Shape[3])
	case *conv.Depthwise:
		return fmt.Sprintf("depth-wise convolution %d × %d", mix.W.Shape[2], mix.W.Shape[3])
	case *nn.Linear:
		return "convolution 1 × 1"
	}
	return "another block"
}

// maps returns W_h = V_h·D_h of each head, (in, out), and the bias that all of them have together, where the rows of
// attention add up to 1.
func (s *site) maps(heads int) (maps [][]float64, bias []float64) {
	dense := s.mix.Dense
	value := attentionOf(s).Value
	wide := dense.W.Shape[1] // channels between the two maps
	each := wide             // channels of a head behind its value map
	if s.factored {
		each = wide / heads
	}
	across := make([]float64, wide*s.out) // D transposed
	for i, v := range dense.W.Data {
		across[i%wide*s.out+i/wide] = float64(v)
	}
	maps = make([][]float64, heads)
	for h := range maps {
		maps[h] = make([]float64, s.in*s.out)
		for i := range s.in {
			row := maps[h][i*s.out : (i+1)*s.out]
			for m := range each {
				middle, column := m, h*s.in+i // combined: a map of all of the channels for each head
				if s.factored {
					middle, column = h*each+m, i
				}
				floats.AddScaled(row, float64(value.W.Data[middle*value.W.Shape[1]+column]),
					across[middle*s.out:(middle+1)*s.out])
			}
		}
	}
	return maps, behind(dense, value.B.Data)
}

// attentionOf returns the attention of a site, which has such.
func attentionOf(s *site) *attention.SelfAttention { return s.mix.Mix.(*attention.SelfAttention) }

// behind returns what a bias in front of a linear map comes to behind it.
func behind(dense *nn.Linear, bias []float32) []float64 {
	out, wide := dense.W.Shape[0], dense.W.Shape[1]
	b := make([]float64, out)
	for o := range b {
		b[o] = float64(dense.B.Data[o])
		for m, v := range bias {
			b[o] += float64(v) * float64(dense.W.Data[o*wide+m])
		}
	}
	return b
}

// layer returns the layer on arrays, of the attention that was seen.
func (s *site) layer() (l analyse.Layer, bias []float64, err error) {
	if s.mix == nil {
		return l, nil, errNoOperator
	}
	switch mix := s.mix.Mix.(type) {
	case *attention.SelfAttention:
		switch {
		case s.loses && s.factored:
			return l, nil, errPaddedValues
		case s.seen == nil:
			return l, nil, errNoAttention
		}
		l = analyse.Layer{Grid: s.grid, In: s.in, Out: s.out, Attention: s.seen.Mean(), Epsilon: 0x1p-23,
			Padded: s.loses}
		l.Maps, bias = s.maps(len(l.Attention))
		return l, bias, nil
	case *conv.Conv:
		return s.convolution(mix)
	case *conv.Depthwise:
		return s.convolution(mix.Full())
	case *nn.Linear:
		w := *mix.W
		w.Shape = append(slices.Clone(w.Shape), 1, 1)
		return s.convolution(&conv.Conv{W: &w, B: mix.B, Stride: 1})
	}
	return l, nil, errNoOperator
}

// convolution returns the kernel times the map behind it: W_δ·D.
func (s *site) convolution(c *conv.Conv) (l analyse.Layer, bias []float64, err error) {
	if c.Stride != 1 || c.Valid {
		return l, nil, errNoOperator
	}
	mid, rows, cols := c.W.Shape[0], c.W.Shape[2], c.W.Shape[3]
	k := analyse.Kernel{In: s.in, Out: s.out}
	for u := range rows {
		for v := range cols {
			w := make([]float64, s.in*s.out)
			for i := range s.in {
				for m := range mid {
					x := float64(c.W.Data[((m*s.in+i)*rows+u)*cols+v])
					for o := range s.out {
						w[i*s.out+o] += x * float64(s.mix.Dense.W.Data[o*mid+m])
					}
				}
			}
			k.Shifts = append(k.Shifts, analyse.Shift{u - (rows-1)/2, v - (cols-1)/2})
			k.Maps = append(k.Maps, w)
		}
	}
	border := analyse.Zeros
	if c.Replicate {
		border = analyse.Replicate
	}
	l, err = analyse.Convolution(s.grid, k, border)
	var b []float32
	if c.B != nil {
		b = c.B.Data
	}
	return l, behind(s.mix.Dense, b), err
}
