package cmd

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/choice"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/viz"
)

// scoreParts are the parts of a score of which maps can be made.
var scoreParts = choice.List[choice.Word]{"total", "content", "position"}

// attentionOptions is how maps are made of a model's scores, and for which layers and queries.
type attentionOptions struct {
	Layers string
	Query  []place
	Part   string
	Raw    bool
}

func (o *attentionOptions) flags(f flags) {
	f.text(&o.Part, "score", scoreParts.Default(), "PART",
		"the part of the scores that maps are made of: what the keys show, where they stand, or both", scoreParts.Completions())
	f.boolean(&o.Raw, "raw", "", "maps of the scores before the softmax")
}

func (o *attentionOptions) check() error {
	if err := scoreParts.Check("--score", o.Part); err != nil {
		return err
	}
	return nil
}

// views are what the heads make of images, (rows, columns, channels) each, seen from each query: the mean over the
// images. Without images, a model that does not look at them has one view all the same.
func (o *attentionOptions) views(l *model.Looker, net *model.Network, images [][]float32) ([]viz.View, error) {
	views, err := o.zeroViews(l, net)
	if err != nil {
		return nil, err
	}
	if !l.ByImage {
		images = [][]float32{nil}
	}
	for _, image := range images {
		layers, err := l.Of(image)
		if err != nil {
			return nil, err
		}
		for _, v := range views {
			for _, layer := range v.Layers {
				scores := layers[layer.Number-1]
				for h, m := range layer.Heads {
					p, err := o.headMap(scores, h, v.Query[0]*m.Cols+v.Query[1], m.Rows*m.Cols)
					if err != nil {
						return nil, err
					}
					for k, x := range p {
						m.Values[k] += x / float64(len(images))
					}
				}
			}
		}
	}
	return views, nil
}

// zeroViews are the views with maps of zeros.
func (o *attentionOptions) zeroViews(l *model.Looker, net *model.Network) (views []viz.View, err error) {
	rows, cols := l.Grid.Rows, l.Grid.Cols
	queries := o.Query
	if len(queries) == 0 {
		queries = []place{viz.Middle(rows, cols).Query}
	}
	blocks := net.Spec.Blocks()
	indices, err := layersWithHeads(o.Layers, len(blocks), func(i int) bool { return blocks[i].Attends() })
	if err != nil {
		return nil, err
	}
	for _, q := range queries {
		if q[0] >= rows || q[1] >= cols {
			return nil, usagef("rows and columns count from 0", "--query %d,%d: the model sees images as %d × %d tokens",
				q[0], q[1], rows, cols)
		}
		view := viz.View{Query: q, Title: fmt.Sprintf("query (%d, %d)", q[0], q[1])}
		for _, n := range indices {
			layer := viz.MapLayer{Number: n}
			for range blocks[n-1].Heads {
				layer.Heads = append(layer.Heads, viz.Map{Rows: rows, Cols: cols, Values: make([]float64, rows*cols)})
			}
			view.Layers = append(view.Layers, layer)
		}
		views = append(views, view)
	}
	return views, nil
}

// headMap is what one head makes of each token from a query: scores, or their softmax.
func (o *attentionOptions) headMap(s model.LayerScores, head, query, tokens int) ([]float64, error) {
	content, position := s.Content, s.Position
	switch {
	case o.Part == "content" && content == nil:
		return nil, usagef("", "--score content: these heads do not look at what the keys show")
	case o.Part == "position" && position == nil:
		return nil, usagef("", "--score position: these heads do not look at where the keys stand")
	case o.Part == "content":
		position = nil
	case o.Part == "position":
		content = nil
	}
	p := make([]float64, tokens)
	for _, part := range [][]float32{content, position} {
		if part != nil {
			for k, x := range part[(head*tokens+query)*tokens:][:tokens] {
				p[k] += float64(x)
			}
		}
	}
	if o.Raw {
		return p, nil
	}
	most, sum := slices.Max(p), 0.0
	for k, x := range p {
		p[k] = math.Exp(x - most)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p, nil
}

// inputs are the first n images of a split, as a network takes them.
func inputs(split data.Split, n int) (images [][]float32, err error) {
	batches, err := data.NewLoader(split, data.LoaderOptions{Batch: 1, Pad: true})
	if err != nil {
		return nil, err
	}
	for b := range batches.Epoch(context.Background(), 0, 0) {
		if images = append(images, slices.Clone(b.X)); len(images) == n {
			break
		}
	}
	return images, nil
}
