// Package posenc computes attention scores from the positions of query and key, and from their content.
//
// Kinds lists the encodings; Register adds one. An encoding returns Scores in the most specific form that it has, on
// which the speed of attention depends.
//
// Stable: Encoding, the forms of Scores, Register, and the names of parameters, which checkpoints hold. Constructors of
// single encodings follow Options.
package posenc

import (
	"github.com/attnconv/attnconv/internal/choice"
	"github.com/attnconv/attnconv/nn"
)

// A Grid is the tokens of an image, in row-major order.
type Grid struct{ Rows, Cols int }

// An Encoding scores every query against every key.
type Encoding interface {
	Scores(g *nn.Graph, grid Grid) Scores
}

// Scores are attention scores before the softmax, in the most specific form: Separable, Full, Content, or a type of one's
// own. They bring the operation that averages tokens by their softmax.
type Scores interface {
	// Mix returns what each head averages, side by side:
	//
	//	z[b,q,h] = Σ_k drop(P)[b,h,q,k] · v[b,k,h],  P = softmax(A)
	//
	// (batch, tokens, heads·e), with v as m says.
	Mix(g *nn.Graph, m Mixing) *nn.Node
}

// A Head is the Gaussian of a head: its score is -½(δ-Center)ᵀ·Precision·(δ-Center), in tokens from the query.
type Head struct {
	Center    [2]float64 // (row, column)
	Precision [2][2]float64
}

// Gaussian is an encoding whose heads are Gaussians around their centers.
type Gaussian interface {
	Heads() []Head
	Put(h int, head Head) // makes head h attend there
	Isotropic() bool
}

// Options size an encoding.
type Options struct {
	Heads   int
	Dim     int      // channels of a token
	HeadDim int      // channels of a head's queries and keys
	MaxSide int      // rows and columns of the largest grid: learned tables have a vector for each shift within it
	Terms   []string // of the relative score, of TermNames
	Own     any      // a pointer to the kind's own options, of the type of Kind.Options; nil where it has none
}

// A Kind is one way to score.
type Kind struct {
	Name, Help string
	New        func(s nn.Scope, o Options) Encoding
	Options    any  // a pointer to a struct with the defaults of the kind's own options, as package option describes it; or nil
	Tables     bool // it serves no grid larger than MaxSide
	Queries    bool // its heads make queries and keys of HeadDim channels
	Terms      bool // it reads Options.Terms
	OwnValues  bool // its heads average values of their own, unless it is said otherwise

	registered bool
}

// Kinds lists the encodings, in the order in which help shows them. To add one, write its file and its line here; a program
// that imports this module calls Register.
var Kinds = choice.List[Kind]{
	{Name: "quadratic", Help: "Gaussian heads, one width each (the paper's best)",
		New: func(s nn.Scope, o Options) Encoding { return NewQuadratic(s, o.Heads) }},
	{Name: "quadratic-general", Help: "Gaussian heads of any shape and orientation",
		New: func(s nn.Scope, o Options) Encoding { return newQuadraticGeneral(s, o.Heads) }},
	{Name: "learned", Help: "a learned score for each shift along each axis", Tables: true,
		New: NewLearned},
	{Name: "content", Help: "the images' content and learned shifts, as a query wants", Tables: true, Queries: true,
		New: newContent},
	{Name: "relative", Help: "the relative score with its four terms, or some of them", Tables: true, Queries: true,
		Terms: true, New: newRelative},
	{Name: "content-only", Help: "the images' content alone, blind to positions", Queries: true, OwnValues: true,
		New: newContentOnly},
}

// Entry implements choice.Choice.
func (k Kind) Entry() (name, help string) { return k.Name, k.Help }

// Registered reports whether the kind came by Register.
func (k Kind) Registered() bool { return k.registered }

// Gaussian reports whether the heads of encodings of this kind are Gaussians around centers.
func (k *Kind) Gaussian() bool {
	_, ok := k.Build(nn.NewScope(0), Options{Heads: 1, Dim: 1, HeadDim: 1, MaxSide: 1, Terms: TermNames()}).(Gaussian)
	return ok
}

// Build returns an encoding of the kind. Where o says nothing of the kind's own options, they have their defaults.
func (k *Kind) Build(s nn.Scope, o Options) Encoding {
	if o.Own == nil {
		o.Own = k.group().Read(nil)
	}
	return k.New(s, o)
}
