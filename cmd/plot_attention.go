package cmd

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/heads"
	"github.com/attnconv/attnconv/internal/choice"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/viz"
)

// scoreParts lists the values of --score: the whole score A[q,k], or its content or position terms only.
var scoreParts = choice.List[choice.Word]{"total", "content", "position"}

// attentionOptions selects layers, queries and terms of the scores for attention maps.
type attentionOptions struct {
	Layers string
	Query  []place
	Part   string
	Raw    bool
}

func (o *attentionOptions) flags(f cli.Flags) {
	f.Text(&o.Part, "score", scoreParts.Default(), "PART",
		"terms of the scores that maps are computed from: content of the keys, their position, or both", scoreParts.Completions())
	f.Boolean(&o.Raw, "raw", "", "maps of the scores, before the softmax")
}

func (o *attentionOptions) check() error {
	if err := scoreParts.Check("--score", o.Part); err != nil {
		return err
	}
	return nil
}

// views returns the attention maps of all heads, one view for each query: the mean over images, each of shape (rows,
// columns, channels). A model whose scores do not depend on the image needs no images.
func (o *attentionOptions) views(l *heads.Reader, net *model.Network, images [][]float32) ([]viz.View, error) {
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

// zeroViews returns the views, with maps of zeros.
func (o *attentionOptions) zeroViews(l *heads.Reader, net *model.Network) (views []viz.View, err error) {
	rows, cols := l.Grid.Rows, l.Grid.Cols
	queries := o.Query
	if len(queries) == 0 {
		queries = []place{viz.Middle(rows, cols).Query}
	}
	blocks := net.Spec.Blocks()
	numbers, err := layersWithHeads(o.Layers, len(blocks), func(i int) bool { return blocks[i].Attends() })
	if err != nil {
		return nil, err
	}
	for _, q := range queries {
		if q[0] >= rows || q[1] >= cols {
			return nil, cli.Usagef("rows and columns count from 0", "--query %d,%d: the model sees images as %d × %d tokens",
				q[0], q[1], rows, cols)
		}
		view := viz.View{Query: q, Title: fmt.Sprintf("query (%d, %d)", q[0], q[1])}
		for _, n := range numbers {
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

// headMap returns the attention map P[q,:] = softmax(A[q,:]) of one head and query q, or with --raw its scores A[q,:].
func (o *attentionOptions) headMap(s heads.Scores, head, query, tokens int) ([]float64, error) {
	content, position := s.Content, s.Position
	switch {
	case o.Part == "content" && content == nil:
		return nil, cli.Usagef("", "--score content: the scores of these heads have no content term")
	case o.Part == "position" && position == nil:
		return nil, cli.Usagef("", "--score position: the scores of these heads have no position term")
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

// inputs returns the first n images of a split, normalised for the network.
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
