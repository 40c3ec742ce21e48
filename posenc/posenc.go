// Package posenc says how much a query pixel wants a key pixel, from where the two stand.
package posenc

import "github.com/attnconv/attnconv/nn"

// A Grid is the tokens of a picture, in row-major order.
type Grid struct{ Rows, Cols int }

// An Encoding scores every query against every key.
type Encoding interface {
	Scores(g *nn.Graph, grid Grid) Scores
}

// Scores are attention scores before the softmax, in the form that says most about them: Separable or Full. Attention
// picks the operation that fits.
type Scores interface{ scores() }

// Separable scores are a sum of one along rows and one along columns, A[h,(i,j),(k,l)] = Row[h,i,k] + Col[h,j,l], so
// their softmax is a product.
type Separable struct {
	Row *nn.Node // (heads, rows, rows)
	Col *nn.Node // (heads, cols, cols)
}

// Full scores are one map shared by the batch.
type Full struct {
	A *nn.Node // (heads, tokens, tokens)
}

func (Separable) scores() {}
func (Full) scores()      {}

// A Head is where a Gaussian head looks: its score is -½(δ-Center)ᵀ·Precision·(δ-Center), in pixels from the query.
type Head struct {
	Center    [2]float64 // (row, column)
	Precision [2][2]float64
}

// Gaussian is an encoding whose heads are Gaussians around their centers.
type Gaussian interface {
	Heads() []Head
	Isotropic() bool
}

// Kinds lists the encodings, in the order in which help shows them. To add one, write its file and its line here.
var Kinds = []struct {
	Name, Help string
	New        func(s nn.Scope, heads int) Encoding
}{
	{"quadratic", "Gaussian heads, one width each (the paper's best)", NewQuadratic},
	{"quadratic-general", "Gaussian heads of any shape and orientation", NewQuadraticGeneral},
}

// Names returns the names of Kinds.
func Names() []string {
	names := make([]string, len(Kinds))
	for i, k := range Kinds {
		names[i] = k.Name
	}
	return names
}
