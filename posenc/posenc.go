// Package posenc computes attention scores from the positions of query and key, and from their content.
//
// Kinds lists the encodings; Register adds one. An encoding returns Scores in its most specific form, because the speed
// of attention depends on the form.
//
// Stable: Encoding, the forms of Scores, Register, and the names of parameters, which checkpoints hold. Constructors of
// single encodings may change with Options.
package posenc

import (
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc/geometry"
)

// A Grid holds the tokens of an image, in row-major order.
type Grid = geometry.Grid

// An Encoding scores every query against every key.
type Encoding interface {
	Scores(g *nn.Graph, grid Grid) Scores
}

// Scores are attention scores before the softmax, in their most specific form: Separable, Full, Content, or a custom
// type. They provide the operation that averages tokens by the softmax of the scores.
type Scores interface {
	// Mix returns each head's average, side by side:
	//
	//	z[b,q,h] = Σ_k drop(P)[b,h,q,k] · v[b,k,h],  P = softmax(A)
	//
	// The shape is (batch, tokens, heads·e); m says what v is.
	Mix(g *nn.Graph, m Mixing) *nn.Node
}

// A Head is a Gaussian attention head.
type Head = geometry.Head

// Gaussian is an encoding whose heads are Gaussians around their centers.
type Gaussian interface {
	Heads() []Head
	Put(h int, head Head) // changes head h to head
	Isotropic() bool
}

// Options holds the sizes of an encoding, and its kind's own options.
type Options struct {
	Heads   int
	Dim     int      // channels of a token
	HeadDim int      // channels of a head's queries and keys
	MaxSide int      // rows and columns of the largest grid: learned tables have a vector for each shift in it
	Terms   []string // of the relative score, from TermNames
	Own     any      // pointer to the kind's own options, of the type of Kind.Options; nil if it has none
}

// A Kind is a kind of encoding.
type Kind struct {
	Name, Help string
	New        func(s nn.Scope, o Options) Encoding
	// Options is a pointer to a struct with the defaults of the kind's own options (docs/extending.md describes it), or
	// nil.
	Options   any
	Tables    bool // it cannot serve grids larger than MaxSide
	Queries   bool // its heads have queries and keys of HeadDim channels
	Terms     bool // it reads Options.Terms
	OwnValues bool // its heads average their own values, unless the model's settings say otherwise

	registered bool
}

// Kinds lists the encodings, in the order in which help shows them. To add one here, write its file and its line in
// this list. A program that imports this module calls Register instead.
var Kinds = option.List[Kind]{
	{Name: "quadratic", Help: "Gaussian heads, one width each (the paper's best)",
		New: func(s nn.Scope, o Options) Encoding { return NewQuadratic(s, o.Heads) }},
	{Name: "quadratic-general", Help: "Gaussian heads of any shape and orientation",
		New: func(s nn.Scope, o Options) Encoding { return newQuadraticGeneral(s, o.Heads) }},
	{Name: "quadratic-free", Help: "quadratic in the shift, with free numbers (ConViT)",
		New: newQuadraticFree},
	{Name: "learned", Help: "a learned score for each shift along each axis", Tables: true,
		New: NewLearned},
	{Name: "table", Help: "a learned score for each shift, in two dimensions", Tables: true,
		New: newTable},
	{Name: "content", Help: "the images' content and learned shifts", Tables: true, Queries: true,
		New: newContent},
	{Name: "relative", Help: "the relative score with its four terms, or some of them", Tables: true, Queries: true,
		Terms: true, New: newRelative},
	{Name: "content-only", Help: "only the images' content, without positions", Queries: true, OwnValues: true,
		New: func(s nn.Scope, o Options) Encoding { return NewContentOnly(s, o) }},
}

// Entry implements option.Named.
func (k Kind) Entry() (name, help string) { return k.Name, k.Help }

// Registered reports whether Register has added the kind.
func (k Kind) Registered() bool { return k.registered }

// Gaussian reports whether the heads of encodings of this kind are Gaussians around centers.
func (k *Kind) Gaussian() bool {
	_, ok := k.Build(nn.NewScope(0), Options{Heads: 1, Dim: 1, HeadDim: 1, MaxSide: 1, Terms: TermNames()}).(Gaussian)
	return ok
}

// Shares reports whether encodings of this kind, with options o, are Shared: they give shifts scores that all images
// share.
func (k *Kind) Shares(o Options) (shares bool) {
	o.Heads, o.Dim, o.HeadDim, o.MaxSide = 1, 2, 2, 1
	e, ok := k.Build(nn.NewScope(0), o).(Shared)
	if !ok {
		return false
	}
	_, err := nn.Build(false, func(g *nn.Graph) { shares = e.ShiftScores(g, 0, 0, 1) != nil })
	return shares && err == nil
}

// Contents reports whether encodings of this kind, with options o, have Content scores.
func (k *Kind) Contents(o Options) (contents bool) {
	o.Heads, o.Dim, o.HeadDim, o.MaxSide = 1, 2, 2, 1
	_, err := nn.Build(false, func(g *nn.Graph) {
		_, contents = k.Build(nn.NewScope(0), o).Scores(g, Grid{Rows: 1, Cols: 1}).(Content)
	})
	return contents && err == nil
}

// Build returns an encoding of the kind. If o.Own is nil, the kind's own options have their defaults.
func (k *Kind) Build(s nn.Scope, o Options) Encoding {
	if o.Own == nil {
		o.Own = Registry.Group(*k).Read(nil)
	}
	return k.New(s, o)
}
