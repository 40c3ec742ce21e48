// Package nn holds what attention and convolution share: parameters, the graph under construction, small layers, and
// running a graph.
//
// A layer records its equation in a Graph (Build), over Params that it made in a Scope and the graph borrows; Compile
// makes a Func of it, which runs.
//
// Stable: Layer, Param, Scope, Graph, Build, Compile and Func, and what a seed and a name mean for initial values. What
// a describer of networks reads (Rewritten, Shaped, Tracked) may change.
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

	frozen []bool // rows of the first axis; nil: none
	made   int    // how many parameters its scope had made before it
}

// Freeze keeps some rows of p's first axis, or without any all of p, as they are. A solver made afterwards takes no step
// there: no decay, no momentum, and their gradients count neither for the norm that is clipped nor for what it scales.
func (p *Param) Freeze(rows ...int) {
	if p.frozen == nil {
		p.frozen = make([]bool, p.rows())
	}
	for r := range p.frozen {
		p.frozen[r] = p.frozen[r] || len(rows) == 0 || slices.Contains(rows, r)
	}
}

func (p *Param) rows() int {
	if len(p.Shape) == 0 {
		return 1
	}
	return p.Shape[0]
}

// Moving returns the elements [lo, hi) that training moves, in order: none of what is measured, all where nothing is
// frozen.
func (p *Param) Moving() (ranges [][2]int) {
	switch {
	case p.Group == Measured:
		return nil
	case p.frozen == nil:
		return [][2]int{{0, len(p.Data)}}
	}
	size := len(p.Data) / max(1, len(p.frozen))
	for r, frozen := range p.frozen {
		last := len(ranges) - 1
		switch {
		case frozen:
		case last >= 0 && ranges[last][1] == r*size:
			ranges[last][1] += size
		default:
			ranges = append(ranges, [2]int{r * size, (r + 1) * size})
		}
	}
	return ranges
}

// A Group says how the solver treats a parameter.
type Group int

const (
	Weight   Group = iota // decays
	Vector                // biases and norms: decay only where the reference is followed
	Position              // centers and spreads: never decay, and may learn faster
	Measured              // running statistics: no step
)

// A Scope names and initialises the parameters of one layer. Its random numbers depend on the seed and the
// parameter's path alone, so adding a layer leaves the others' initial values as they were.
type Scope struct {
	seed uint64
	path string
	part string // of a description; "": not in one
	all  *params
}

type params struct {
	list   []*Param
	names  map[string]bool
	shapes bool // alone
}

// NewScope returns the scope of a whole model. Every name in it starts with "model.".
func NewScope(seed uint64) Scope {
	return Scope{seed: seed, path: "model.", all: &params{names: map[string]bool{}}}
}

// ShapesOnly returns a scope whose parameters have shapes and no values, for layers that are described and never run.
func ShapesOnly() Scope {
	s := NewScope(0)
	s.all.shapes = true
	return s
}

// Rebuild returns the layers that build makes, over params in place of new parameters, with the dropout of that seed: what
// NewScope(seed) made params for, built again for inputs of another shape. The two share values, and what is frozen by now. The
// error names the first parameter that is not the same.
func Rebuild(seed uint64, params []*Param, build func(Scope) Layer) (Layer, error) {
	s := ShapesOnly()
	s.seed = seed
	layer := build(s)
	made := s.Params()
	for i, p := range made {
		if i >= len(params) || params[i].Name != p.Name {
			return nil, fmt.Errorf("nn: Rebuild: %s is no parameter of the network, or not in its place", p.Name)
		}
		if !slices.Equal(params[i].Shape, p.Shape) {
			return nil, fmt.Errorf("nn: Rebuild: %s would have the shape %v, and has %v", p.Name, p.Shape, params[i].Shape)
		}
		p.Data, p.Group, p.frozen = params[i].Data, params[i].Group, params[i].frozen
	}
	if len(made) < len(params) {
		return nil, fmt.Errorf("nn: Rebuild: the layers have no %s", params[len(made)].Name)
	}
	return layer, nil
}

// In returns the scope of a part called name.
func (s Scope) In(name string) Scope { s.path += name + "."; return s }

// AsPart makes s one row in descriptions of the network, with all scopes in it, unless it is in such a row already.
func (s Scope) AsPart() Scope {
	if s.part == "" {
		s.part = strings.TrimSuffix(strings.TrimPrefix(s.path, "model."), ".")
	}
	return s
}

// Params returns the parameters made so far, in the order in which they were made.
func (s Scope) Params() []*Param { return s.all.list }

// Key returns the key of the random stream called name of this scope, for dropout.
func (s Scope) Key(name string) uint64 { return stream.Key(s.seed, name+"/"+s.path) }

// Param adds a parameter. It panics if the name is taken: two layers would share a graph node; and with a
// *TooLarge if its values do not fit into memory.
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

// TooLarge is the error for what does not fit into memory: Need bytes, where Have are left by Limit, which says what limits
// memory and where that is set, or is empty where the machine has no more. Scope.Param panics with a *TooLarge, and the
// first Func.Run returns one.
type TooLarge = memory.TooLarge

// Size is the number of p's elements.
func (p *Param) Size() int {
	n := 1
	for _, d := range p.Shape {
		n *= d
	}
	return n
}

// Measured adds a parameter that is measured while the network trains, not learned: it has no gradient.
func (s Scope) Measured(name string, v float32, shape ...int) *Param {
	p := s.Param(name, Const(v), shape...)
	p.Group = Measured
	return p
}

// Learned counts the elements of params that are learned.
func Learned(params []*Param) (n int) {
	for _, p := range params {
		if p.Group != Measured {
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
