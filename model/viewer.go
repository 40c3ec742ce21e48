package model

import (
	"fmt"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// A Viewer shows how much the heads of a network attend to each token.
type Viewer struct {
	Grid   posenc.Grid
	f      *nn.Func
	layers []viewed
}

// viewed is where the attention of a layer stands after a run: along rows and columns, or of all pairs.
type viewed struct {
	heads    int
	row, col *nn.Node // (heads, rows, rows), (heads, cols, cols)
	full     *nn.Node // (heads, tokens, tokens)
}

// NewViewer builds the graph of the attention of every layer, as the weights are now. A model without attention has
// none to view.
func NewViewer(n *Network) (*Viewer, error) {
	stack, ok := n.Layer.(*attention.Stack)
	if !ok {
		return nil, fmt.Errorf("model: a %s has no attention to view", n.Spec.Kind)
	}
	v := &Viewer{Grid: posenc.Grid{Rows: n.Spec.Image[0] / n.Spec.Pool, Cols: n.Spec.Image[1] / n.Spec.Pool}}
	var keep []*nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) {
		for i, b := range stack.Blocks {
			l := viewed{heads: n.Spec.Heads.Each(n.Spec.Layers)[i]}
			switch s := b.Attend.Encoding.Scores(g, v.Grid).(type) {
			case posenc.Separable:
				l.row, l.col = op.Softmax(s.Row), op.Softmax(s.Col)
				keep = append(keep, l.row, l.col)
			case posenc.Full:
				l.full = op.Softmax(s.A)
				keep = append(keep, l.full)
			default:
				panic(fmt.Sprintf("model: scores of type %T cannot be viewed", s))
			}
			v.layers = append(v.layers, l)
		}
	})
	if err != nil {
		return nil, err
	}
	v.f = nn.Compile(g, keep...)
	if err := v.f.Run(0); err != nil {
		v.f.Close()
		return nil, err
	}
	return v, nil
}

// From returns how much each head attends from the query, (row, column) from 0, to every token: by layer, head and
// token, in row-major order. A head's numbers add up to one.
func (v *Viewer) From(query [2]int) [][][]float64 {
	rows, cols := v.Grid.Rows, v.Grid.Cols
	layers := make([][][]float64, len(v.layers))
	for i, l := range v.layers {
		layers[i] = make([][]float64, l.heads)
		for h := range layers[i] {
			p := make([]float64, rows*cols)
			for k := range p {
				if l.full != nil {
					p[k] = float64(nn.Value(l.full)[((h*rows+query[0])*cols+query[1])*rows*cols+k])
				} else {
					p[k] = float64(nn.Value(l.row)[(h*rows+query[0])*rows+k/cols]) *
						float64(nn.Value(l.col)[(h*cols+query[1])*cols+k%cols])
				}
			}
			layers[i][h] = p
		}
	}
	return layers
}

// Close frees the graph.
func (v *Viewer) Close() error { return v.f.Close() }

// HeadWeights returns the matrix W_h of each head of a layer, (in, out): what a head does to what it sees, before the
// heads add up. It is nil for a model without attention.
func (n *Network) HeadWeights(layer int) [][][]float64 {
	stack, ok := n.Layer.(*attention.Stack)
	if !ok {
		return nil
	}
	w := stack.Blocks[layer].Attend.Value.W // (out, heads·in), head-major
	heads := n.Spec.Heads.Each(n.Spec.Layers)[layer]
	out, in := w.Shape[0], w.Shape[1]/heads
	matrices := make([][][]float64, heads)
	for h := range matrices {
		for i := range in {
			row := make([]float64, out)
			for j := range row {
				row[j] = float64(w.Data[j*heads*in+h*in+i])
			}
			matrices[h] = append(matrices[h], row)
		}
	}
	return matrices
}
