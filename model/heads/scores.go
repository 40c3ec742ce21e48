package heads

import (
	"fmt"
	"math"
	"slices"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/internal/kernel/vec"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// A Reader reads the attention scores of every pair of tokens off a network, image after image.
type Reader struct {
	Grid    posenc.Grid
	ByImage bool  // the scores depend on the image
	Heads   []int // of each layer; 0 for one that does not attend
	image   []float32
	f       *nn.Func
	layers  []map[string]*nn.Node // a block's taps, by what they are
}

// Scores are a layer's attention scores of one image, before the softmax: the sum of two terms, each (heads, queries,
// keys). Where a layer's weights are not the softmax of a sum, they are the logarithms of its weights. A class token is
// left out. The weights of a query then sum to less than 1, as they do if a window has zeros around the grid.
type Scores struct {
	Heads    int // 0 for a block without attention
	Tokens   int
	Content  []float32 // the term of the content of query and key, which depends on the image; nil: none
	Position []float32 // the term of the position of the key, from the query; nil: none

	weights []float32 // of a layer that taps them; their rows may sum to less than 1
}

// NewReader builds a graph that computes the scores of n, and nothing else, from its weights as they are at each
// run. Close frees it.
func NewReader(n *model.Network) (*Reader, error) {
	if err := whole(n); err != nil {
		return nil, err
	}
	image := n.Spec.Image
	r := &Reader{Grid: n.Spec.Grid(), image: make([]float32, image[0]*image[1]*image[2])}
	g, err := nn.Build(false, func(g *nn.Graph) {
		g.Want(func(name string) bool { _, _, ok := attention.ParseTap(name); return ok })
		n.Layer.Forward(g, g.Input("x", r.image, 1, image[0], image[1], image[2]))
	})
	if err != nil {
		return nil, err
	}
	r.layers = make([]map[string]*nn.Node, len(n.Spec.Blocks()))
	r.Heads = make([]int, len(r.layers))
	for i, b := range n.Spec.Blocks() {
		if r.layers[i] = map[string]*nn.Node{}; b.Attends() {
			r.Heads[i] = b.Heads
		}
	}
	for _, t := range g.Taps() {
		name, kind, _ := attention.ParseTap(t.Name)
		if layer, _, ok := mixerParam(name + "."); ok {
			r.layers[layer][kind] = t.Node
		}
		r.ByImage = r.ByImage || kind == posenc.ContentScores || kind == posenc.ShiftScores ||
			kind == posenc.ImageWeights
	}
	if len(g.Taps()) == 0 {
		return nil, fmt.Errorf("a %s has no attention scores", n.Spec.Kind)
	}
	r.f, err = nn.Compile(g, nil)
	return r, err
}

// Of returns the scores of every block for one image, (rows, columns, channels), as the loader normalizes it; the image
// may be nil unless ByImage. A block without attention has no heads.
func (r *Reader) Of(image []float32) ([]Scores, error) {
	if r.ByImage && len(image) != len(r.image) {
		return nil, fmt.Errorf("an image of %d elements, got %d", len(r.image), len(image))
	}
	copy(r.image, image)
	if err := r.f.Run(0); err != nil {
		return nil, err
	}
	all := make([]Scores, len(r.layers))
	for i, taps := range r.layers {
		all[i] = r.scores(taps)
	}
	return all, nil
}

func (r *Reader) scores(taps map[string]*nn.Node) (s Scores) {
	grid := r.Grid.Rows * r.Grid.Cols
	s.Tokens = grid
	for kind, n := range taps {
		if kind != posenc.RowScores && kind != posenc.ColScores {
			s.Tokens = n.Shape()[len(n.Shape())-1]
		}
		values := slices.Clone(nn.Value(n))
		switch kind {
		case posenc.ContentScores:
			s.Heads, s.Content = n.Shape()[1], values
		case posenc.ShiftScores:
			s.Heads, s.Position = n.Shape()[1], values
		case posenc.ImageWeights:
			s.Heads, s.Content, s.weights = n.Shape()[1], logs(values), values
		case posenc.PairWeights:
			s.Heads, s.Position, s.weights = n.Shape()[0], logs(values), values
		case posenc.PairScores:
			s.Heads, s.Position = n.Shape()[0], values
		case posenc.RowScores:
			s.Heads, s.Position = n.Shape()[0], r.sums(values, nn.Value(taps[posenc.ColScores]), n.Shape()[0])
		}
	}
	if s.Tokens == grid+1 {
		return s.withoutFirst()
	}
	return s
}

// withoutFirst is s without the first token, as query and as key.
func (s Scores) withoutFirst() Scores {
	all, tokens := s.Weights(), s.Tokens
	s.Tokens, s.Position, s.weights = tokens-1, nil, nil
	for i := range s.Heads * tokens {
		if i%tokens > 0 {
			s.weights = append(s.weights, all[i*tokens+1:(i+1)*tokens]...)
		}
	}
	s.Content = logs(s.weights)
	return s
}

// logs returns scores whose softmax is proportional to weights. A weight of 0 gets the logarithm of the smallest
// float32.
func logs(weights []float32) []float32 {
	scores := make([]float32, len(weights))
	for i, w := range weights {
		scores[i] = float32(math.Log(max(float64(w), math.SmallestNonzeroFloat32)))
	}
	return scores
}

// sums returns the scores of all pairs from those along the axes.
func (r *Reader) sums(row, col []float32, heads int) []float32 {
	rows, cols := r.Grid.Rows, r.Grid.Cols
	tokens := rows * cols
	a := make([]float32, heads*tokens*tokens)
	for i := range a {
		h, q, k := i/(tokens*tokens), i/tokens%tokens, i%tokens
		a[i] = row[(h*rows+q/cols)*rows+k/cols] + col[(h*cols+q%cols)*cols+k%cols]
	}
	return a
}

// Weights returns the attention probabilities, (heads, tokens, tokens): the softmax of the sum of the parts, over the
// keys.
func (s Scores) Weights() []float32 {
	if s.weights != nil {
		return slices.Clone(s.weights)
	}
	p := append([]float32{}, s.Content...)
	switch {
	case s.Content == nil:
		p = append(p, s.Position...)
	case s.Position != nil:
		vec.Add(p, s.Position)
	}
	vec.SoftmaxRows(p, p, s.Tokens)
	return p
}

// Close frees the graph.
func (r *Reader) Close() error { return r.f.Close() }
