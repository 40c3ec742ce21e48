package figures

import (
	"fmt"
	"image"
	"image/draw"
	"math"
	"slices"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc/geometry"
	"github.com/attnconv/attnconv/viz"
)

// Parts lists the terms of a score A[q,k] that maps can be computed from: all, or those of content or position only.
var Parts = option.List[option.Word]{"total", "content", "position"}

// ViewOptions say which attention maps Views computes. The zero value is the attention of the middle token in all
// layers.
type ViewOptions struct {
	Layers  []int    // from 1; nil: all that attend
	Queries [][2]int // tokens, (row, column) from 0 at the top left; nil: the middle one
	Part    string   // one of Parts; "": total
	Scores  bool     // before the softmax
}

// Views returns the attention maps P[q,:] = softmax(A[q,:]) of all heads, one view for each query: the mean over
// images, as data.Split.Inputs returns them. Scores that do not depend on the image need none. The error is an
// *option.Error for "layers", "query" or "score".
func Views(r *heads.Reader, images [][]float32, o ViewOptions) ([]viz.View, error) {
	if o.Part != "" && !Parts.Has(o.Part) {
		return nil, Parts.Check("score", o.Part)
	}
	views, err := o.zeros(r)
	if err != nil {
		return nil, err
	}
	if !r.ByImage {
		images = [][]float32{nil}
	}
	for _, image := range images {
		layers, err := r.Of(image)
		if err != nil {
			return nil, err
		}
		for _, v := range views {
			for _, layer := range v.Layers {
				for h, m := range layer.Heads {
					p, err := o.attention(layers[layer.Number-1], h, v.Query[0]*m.Cols+v.Query[1], m.Rows*m.Cols)
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

// zeros returns the views, with maps of zeros.
func (o ViewOptions) zeros(r *heads.Reader) (views []viz.View, err error) {
	rows, cols := r.Grid.Rows, r.Grid.Cols
	queries := o.Queries
	if len(queries) == 0 {
		queries = [][2]int{viz.Middle(rows, cols).Query}
	}
	numbers, err := withHeads(o.Layers, len(r.Heads), func(i int) bool { return r.Heads[i] > 0 })
	if err != nil {
		return nil, err
	}
	for _, q := range queries {
		if min(q[0], q[1]) < 0 || q[0] >= rows || q[1] >= cols {
			return nil, option.Errorf("query",
				"%d,%d: the model sees images as %d × %d tokens\n  rows and columns count from 0",
				q[0], q[1], rows, cols)
		}
		view := viz.View{Query: q, Title: fmt.Sprintf("query (%d, %d)", q[0], q[1])}
		for _, n := range numbers {
			layer := viz.MapLayer{Number: n}
			for range r.Heads[n-1] {
				layer.Heads = append(layer.Heads, viz.Map{Rows: rows, Cols: cols, Values: make([]float64, rows*cols)})
			}
			view.Layers = append(view.Layers, layer)
		}
		views = append(views, view)
	}
	return views, nil
}

// attention returns softmax(A[q,:]) of one head and query q, or A[q,:] itself.
func (o ViewOptions) attention(s heads.Scores, head, query, tokens int) ([]float64, error) {
	content, position := s.Content, s.Position
	switch {
	case o.Part == "content" && content == nil, o.Part == "position" && position == nil:
		return nil, option.Errorf("score", "%s: the scores of these heads have no %[1]s term", o.Part)
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
	if o.Scores {
		return p, nil
	}
	geometry.Softmax(p)
	return p, nil
}

// UnderTokens is img with the black border that the last tokens cover where pool does not divide its sides.
func UnderTokens(img image.Image, s model.Spec) image.Image {
	rows, cols, _ := s.Padded()
	if rows == s.Image[0] && cols == s.Image[1] {
		return img
	}
	whole := image.NewNRGBA(image.Rect(0, 0, cols, rows))
	draw.Draw(whole, whole.Bounds(), image.Black, image.Point{}, draw.Src)
	draw.Draw(whole, img.Bounds(), img, image.Point{}, draw.Src)
	return whole
}

// Summaries describes every map of the views.
func Summaries(views []viz.View) (all []MapSummary) {
	for _, v := range views {
		for _, l := range v.Layers {
			for h, m := range l.Heads {
				all = append(all, summary(m, v.Query, l.Number, h+1))
			}
		}
	}
	return all
}

func summary(m viz.Map, query [2]int, layer, head int) MapSummary {
	s := MapSummary{Query: query, Layer: layer, Head: head, Peak: slices.Max(m.Values)}
	entropy := 0.0
	for i, p := range m.Values {
		row, col := i/m.Cols-query[0], i%m.Cols-query[1]
		s.Mean[0] += p * float64(row)
		s.Mean[1] += p * float64(col)
		if p == s.Peak {
			s.At = [2]int{row, col}
		}
		if p > 0 {
			entropy -= p * math.Log(p)
		}
	}
	s.Tokens = math.Exp(entropy)
	return s
}
