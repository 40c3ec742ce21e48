package posenc

import "github.com/attnconv/attnconv/nn"

// ContentOnly is the attention of text models. The position of a key does not matter.
type ContentOnly struct {
	Query, Key *nn.Linear // (heads·d, dim)
	o          Options
}

// NewContentOnly draws the maps from U(±1/√dim).
func NewContentOnly(s nn.Scope, o Options) *ContentOnly {
	return &ContentOnly{
		Query: nn.NewLinear(s.In("query"), o.Dim, o.Heads*o.HeadDim),
		Key:   nn.NewLinear(s.In("key"), o.Dim, o.Heads*o.HeadDim),
		o:     o,
	}
}

// Scores returns the products of queries and keys, scaled:
//
//	A[h,q,k] = (W_q·x_q + b_q)_h · (W_k·x_k + b_k)_h / √d
//
// b_k adds the same to the scores of all keys of a query, so the softmax cancels it. Scores omits it, and training
// never changes it. Source: Vaswani et al. 2017 (arXiv:1706.03762), eq. 1.
func (e *ContentOnly) Scores(g *nn.Graph, grid Grid) Scores {
	return Content{
		Heads: e.o.Heads, Grid: grid, Scale: e.o.scale(),
		KeyQuery: QueryMap{g.Use(e.Query.W), use(g, e.Query.B)}, Key: g.Use(e.Key.W),
	}
}
