package op

import (
	"fmt"
	"math"
	"slices"
)

// A Definition is an operation that is defined elsewhere. The package op at the root says what its fields mean.
type Definition struct {
	Name, Want string
	Shape      func(in []Shape) (out Shape, ok bool)
	Forward    func(y []float32, in [][]float32)
	Backward   func(dIn [][]float32, dy, y []float32, in [][]float32)
	Cost       func(in []Shape) int
	Field      Field
	NotSaved   []int
}

// Apply records d of its inputs. It panics with an *Error.
func (d *Definition) Apply(in ...*Node) *Node {
	if err := d.check(len(in)); err != nil {
		panic(&Error{err})
	}
	return Apply(DefinedOp{d}, in...)
}

// check reports what is missing, or cannot be meant, for so many inputs.
func (d *Definition) check(inputs int) error {
	switch {
	case d.Name == "":
		return fmt.Errorf("a definition needs a Name")
	case d.Want == "":
		return fmt.Errorf("%s: want the shapes that it takes, in words, in Want", d.Name)
	case d.Shape == nil:
		return fmt.Errorf("%s: want a function Shape", d.Name)
	case d.Forward == nil:
		return fmt.Errorf("%s: want a function Forward", d.Name)
	case inputs == 0:
		return fmt.Errorf("%s: want %s, got no inputs", d.Name, d.Want)
	case min(d.Field.Size, d.Field.Step) < 0 || d.Field.Size > 0 && d.Field.Step == 0:
		return fmt.Errorf("%s: want a Field of Size and Step above 0, or neither, got %d and %d", d.Name, d.Field.Size,
			d.Field.Step)
	}
	for _, i := range d.NotSaved {
		if i < Output || i >= inputs {
			return fmt.Errorf("%s: NotSaved names input %d, and there are %d", d.Name, i, inputs)
		}
	}
	return nil
}

// DefinedOp is the operation of a Definition.
type DefinedOp struct{ *Definition }

func (o DefinedOp) String() string { return o.Name }

// Shape implements Op. What the definition's function panics with also is an *Error.
func (o DefinedOp) Shape(in []Shape) (out Shape, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, &Error{fmt.Errorf("%v: want %s, got %v (its Shape panics: %v)", o, o.Want, in, p)}
		}
	}()
	own := make([]Shape, len(in))
	for i, s := range in {
		own[i] = s.Clone()
	}
	out, ok := o.Definition.Shape(own)
	size := 1
	for _, d := range out {
		if ok && (d < 1 || size > math.MaxInt/4/d) {
			return nil, &Error{fmt.Errorf("%v: its Shape returns %v of %v: want 1 or more along each axis, within "+
				"memory", o, out, in)}
		}
		size *= max(1, d)
	}
	return fits(o, in, ok, out.Clone(), o.Want)
}

// Cost implements Op.
func (o DefinedOp) Cost(n *Node) Cost {
	if o.Definition.Cost == nil {
		return Cost{Field: o.Field}
	}
	in := make([]Shape, len(n.in))
	for i, c := range n.in {
		in[i] = c.shape.Clone()
	}
	macs := max(0, o.Definition.Cost(in))
	return Cost{Definition: macs, Run: macs, Field: o.Field}
}

// Kernel implements Op. The first run of each pass is checked.
func (o DefinedOp) Kernel(in []Shape) Kernel {
	k := Kernel{NotSaved: slices.Clone(o.NotSaved)}
	var forward, backward check
	k.Forward = func(y []float32, in [][]float32) {
		forward.run("Forward", [][]float32{y}, in, func() { o.Forward(y, slices.Clone(in)) })
	}
	if o.Backward != nil {
		for i := range in {
			k.Skips = append(k.Skips, i)
		}
		k.Backward = func(dIn [][]float32, dy, y []float32, in [][]float32) {
			reads := append(slices.Clone(in), dy, y)
			backward.run("Backward", dIn, reads, func() { o.Backward(slices.Clone(dIn), dy, y, slices.Clone(in)) })
		}
	}
	return k
}

// A check runs a pass of a definition, the first time with a look at what it does to memory: it fills all of what it
// is given to fill, and nothing of what it reads.
type check struct{ done bool }

// unwritten is a NaN that no arithmetic makes.
const unwritten = 0x7fc0_dead

func (c *check) run(pass string, writes, reads [][]float32, f func()) {
	if c.done {
		f()
		return
	}
	mark := math.Float32frombits(unwritten)
	for _, w := range writes {
		for i := range w {
			w[i] = mark
		}
	}
	before := fingerprints(reads)
	f()
	for k, w := range writes {
		for i, v := range w {
			if math.Float32bits(v) == unwritten {
				panic(fmt.Sprintf("%s leaves element %d of %d of %s as it was: want all of them written", pass, i,
					len(w), target(pass, k)))
			}
		}
	}
	if !slices.Equal(fingerprints(reads), before) {
		panic(pass + " changes what it reads")
	}
	c.done = true
}

func target(pass string, k int) string {
	if pass == "Forward" {
		return "y"
	}
	return fmt.Sprintf("dIn[%d]", k)
}

// fingerprints are numbers that other elements hardly have.
func fingerprints(all [][]float32) []uint64 {
	sums := make([]uint64, len(all))
	for k, x := range all {
		h := uint64(14695981039346656037) // FNV-1a
		for _, v := range x {
			h = (h ^ uint64(math.Float32bits(v))) * 1099511628211
		}
		sums[k] = h
	}
	return sums
}
