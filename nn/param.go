// Package nn holds what attention and convolution share: parameters, the graph under construction, small layers, and
// running a graph.
//
// A layer makes Params in a Scope and records its equation in a Graph (Build), which borrows them. Compile turns the
// graph into a Func, which runs.
//
// Stable: Layer, Param, Scope, Graph, Build, Compile and Func, and which initial values a seed and a name give.
// Rewritten, Shaped and RunningStats, which descriptions of networks read, may change.
package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/memory"
	"github.com/attnconv/attnconv/internal/stream"
)

// A Param is one tensor that training changes. A layer owns it; a graph borrows it.
type Param struct {
	Name  string
	Shape []int
	Data  []float32 // row-major
	Group Group
	Part  string // the path of its part in a description; "": that of the operation that reads it

	frozen []bool // elements; nil: none
	made   int    // number of parameters that its scope had made before
}

// Freeze keeps some rows of p's first axis as they are, or all of p if no rows are given. A solver made afterwards
// takes no step there, without decay or momentum. Their gradients do not count in the norm for clipping, and are not
// clipped.
func (p *Param) Freeze(rows ...int) {
	size := p.Size() / max(1, p.rows())
	if len(rows) == 0 {
		Span{p, 0, p.Size()}.Freeze()
	}
	for _, r := range rows {
		if r >= 0 && r < p.rows() {
			Span{p, r * size, (r + 1) * size}.Freeze()
		}
	}
}

// A Span is the elements [Lo, Hi) of a parameter.
type Span struct {
	Param  *Param
	Lo, Hi int
}

// Freeze keeps the elements of s as they are, as Param.Freeze does with rows.
func (s Span) Freeze() {
	if s.Param.frozen == nil {
		s.Param.frozen = make([]bool, s.Param.Size())
	}
	for i := s.Lo; i < s.Hi; i++ {
		s.Param.frozen[i] = true
	}
}

func (p *Param) rows() int {
	if len(p.Shape) == 0 {
		return 1
	}
	return p.Shape[0]
}

// Moving returns the ranges [lo, hi) of elements that training moves, in order: none for a running statistic, all if
// nothing is frozen.
func (p *Param) Moving() (ranges [][2]int) {
	switch {
	case p.Group == Statistic:
		return nil
	case p.frozen == nil:
		return [][2]int{{0, len(p.Data)}}
	}
	for i, frozen := range p.frozen {
		last := len(ranges) - 1
		switch {
		case frozen:
		case last >= 0 && ranges[last][1] == i:
			ranges[last][1]++
		default:
			ranges = append(ranges, [2]int{i, i + 1})
		}
	}
	return ranges
}

// A Group says how the solver treats a parameter.
type Group int

const (
	Weight    Group = iota // decays
	Vector                 // biases and norms: decay only if the reference is followed
	Position               // centers and spreads: never decay, may learn faster
	Statistic              // running statistics: no step
)

// A Scope names and initializes the parameters of one layer. Its random numbers depend only on the seed and the
// parameter's path, so adding a layer does not change the initial values of the others.
type Scope struct {
	seed uint64
	path string
	part string // of a description; "": not in one
	bare bool   // linear maps have no bias
	all  *params
}

type params struct {
	list   []*Param
	names  map[string]bool
	shapes bool // without values
}

// NewScope returns the scope of a whole model. Every name in it starts with "model.".
func NewScope(seed uint64) Scope {
	return Scope{seed: seed, path: "model.", all: &params{names: map[string]bool{}}}
}

// ShapesOnly returns a scope whose parameters have shapes but no values, for layers that are described and never run.
func ShapesOnly() Scope {
	s := NewScope(0)
	s.all.shapes = true
	return s
}

// Rebuild returns the layers that build makes, with params instead of new parameters and with the dropout of seed. Use
// it to build layers from NewScope(seed) again for inputs of another shape. Both share values, and the rows that are
// frozen by now. The error names the first parameter that is not the same.
func Rebuild(seed uint64, params []*Param, build func(Scope) Layer) (Layer, error) {
	s := ShapesOnly()
	s.seed = seed
	layer := build(s)
	made := s.Params()
	for i, p := range made {
		if i >= len(params) || params[i].Name != p.Name {
			return nil, fmt.Errorf("Rebuild: %s is no parameter of the network, or not in its place", p.Name)
		}
		if !slices.Equal(params[i].Shape, p.Shape) {
			return nil, fmt.Errorf("Rebuild: %s would have the shape %v, and has %v", p.Name, p.Shape, params[i].Shape)
		}
		p.Data, p.Group, p.frozen = params[i].Data, params[i].Group, params[i].frozen
	}
	if len(made) < len(params) {
		return nil, fmt.Errorf("Rebuild: the layers have no %s", params[len(made)].Name)
	}
	return layer, nil
}

// In returns the scope of a part called name.
func (s Scope) In(name string) Scope { s.path += name + "."; return s }

// AsPart makes s, with all scopes in it, one row in descriptions of the network, unless it is already in such a row.
func (s Scope) AsPart() Scope {
	if s.part == "" {
		s.part = strings.TrimSuffix(strings.TrimPrefix(s.path, "model."), ".")
	}
	return s
}

// WithoutBias returns s, in which NewLinear makes maps without a bias.
func (s Scope) WithoutBias() Scope { s.bare = true; return s }

// Params returns the parameters made so far, in the order in which they were made.
func (s Scope) Params() []*Param { return s.all.list }

// Key returns the key of this scope's random stream of that name, for dropout.
func (s Scope) Key(name string) uint64 { return stream.Key(s.seed, name+"/"+s.path) }

// Param adds a parameter. It panics if the name is taken, because two layers would share a graph node. It panics with a
// *TooLarge if the values do not fit into memory.
func (s Scope) Param(name string, init Init, shape ...int) *Param {
	name = s.path + name
	if s.all.names[name] {
		panic(fmt.Sprintf("nn: two parameters called %s", name))
	}
	s.all.names[name] = true
	p := &Param{Name: name, Shape: shape, Part: s.part, made: len(s.all.list)}
	if len(shape) < 2 {
		p.Group = Vector
	}
	s.all.list = append(s.all.list, p)
	if s.all.shapes {
		return p
	}
	var err error
	if p.Data, err = memory.Floats(p.Size()); err != nil {
		panic(err)
	}
	init(stream.Rand(s.seed, "init/"+name), p.Data)
	return p
}

// TooLarge is the error if something does not fit into memory. It needs Need bytes and has Have. Limit says what limits
// memory and where that is set; it is empty if the limit is the machine's memory. Hint says what needs less.
// Scope.Param panics with a *TooLarge, and the first Func.Run returns one.
type TooLarge = memory.TooLargeError

// Size returns the number of elements of p.
func (p *Param) Size() int {
	n := 1
	for _, d := range p.Shape {
		n *= d
	}
	return n
}

// Statistic adds a running statistic, which has no gradient.
func (s Scope) Statistic(name string, v float32, shape ...int) *Param {
	p := s.Param(name, Const(v), shape...)
	p.Group = Statistic
	return p
}

// CountLearned returns the number of elements of params that are learned, frozen or not.
func CountLearned(params []*Param) (n int) {
	for _, p := range params {
		if p.Group != Statistic {
			n += p.Size()
		}
	}
	return n
}

// An Init fills the elements of a new parameter.
type Init func(rng *rand.Rand, w []float32)

// Const sets every element to v.
func Const(v float32) Init {
	return func(_ *rand.Rand, w []float32) {
		for i := range w {
			w[i] = v
		}
	}
}

// Uniform draws from U(-1/√fanIn, 1/√fanIn), as PyTorch does for the weight and the bias of a linear map.
func Uniform(fanIn int) Init {
	bound := 1 / math.Sqrt(float64(fanIn))
	return func(rng *rand.Rand, w []float32) {
		for i := range w {
			w[i] = float32((2*rng.Float64() - 1) * bound)
		}
	}
}

// Normal draws from N(mean, std²).
func Normal(mean, std float64) Init {
	return func(rng *rand.Rand, w []float32) {
		for i := range w {
			w[i] = float32(mean + std*rng.NormFloat64())
		}
	}
}
