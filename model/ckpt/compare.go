package ckpt

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// A Misfit is a tensor whose shape in a file is not that of what it is read into. A shape is nil on the side that lacks
// the tensor.
type Misfit struct {
	Name      string
	Want, Got []int
}

func (m Misfit) String() string {
	switch {
	case m.Got == nil:
		return fmt.Sprintf("%s is missing: want shape %v", m.Name, m.Want)
	case m.Want == nil:
		return fmt.Sprintf("%s is unknown: got shape %v", m.Name, m.Got)
	}
	return fmt.Sprintf("%s: want shape %v, got %v", m.Name, m.Want, m.Got)
}

// Compare lists the tensors whose shapes in want and got differ, and those that one of them lacks: in the order of
// want, then of got.
func Compare(want, got []Tensor) (all []Misfit) {
	wanted, there := ShapesOf(want), ShapesOf(got)
	for _, t := range want {
		if shape := there.shape(t.Name); shape == nil || !slices.Equal(shape, t.Shape) {
			all = append(all, Misfit{t.Name, wanted.shape(t.Name), shape})
		}
	}
	for _, t := range got {
		if !wanted.Has(t.Name) {
			all = append(all, Misfit{Name: t.Name, Got: there.shape(t.Name)})
		}
	}
	return all
}

// Fit returns what Compare finds as an error of one line, or nil: a wrong shape, or what is missing, or what is
// unknown.
func Fit(want, got []Tensor) error {
	var missing, unknown []string
	for _, m := range Compare(want, got) {
		switch {
		case m.Got == nil:
			missing = append(missing, m.Name)
		case m.Want == nil:
			unknown = append(unknown, m.Name)
		default:
			return fmt.Errorf("%v", m)
		}
	}
	switch {
	case missing != nil:
		return fmt.Errorf("%d of %d weights are missing: %s", len(missing), len(want), firstOf(missing))
	case unknown != nil:
		return fmt.Errorf("%d weights that this model does not have: %s", len(unknown), firstOf(unknown))
	}
	return nil
}

// firstOf names the first few of a list.
func firstOf(names []string) string {
	const few = 3
	if len(names) > few {
		return strings.Join(names[:few], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// Shapes are the shapes of tensors, by what follows a prefix in their names. The zero value has none.
type Shapes struct {
	all    map[string][]int // by whole names
	prefix string
}

// ShapesOf returns the shapes of tensors by their whole names.
func ShapesOf(tensors []Tensor) Shapes {
	s := Shapes{all: make(map[string][]int, len(tensors))}
	for _, t := range tensors {
		s.all[t.Name] = append([]int{}, t.Shape...)
	}
	return s
}

// In returns the shapes of those whose names begin with prefix, by the rest of their names.
func (s Shapes) In(prefix string) Shapes { return Shapes{s.all, s.prefix + prefix} }

func (s Shapes) shape(name string) []int { return s.all[s.prefix+name] }

// Has reports whether a tensor has that name.
func (s Shapes) Has(name string) bool { return s.shape(name) != nil }

// At returns the size of a tensor along a dimension; 0 where it has none.
func (s Shapes) At(name string, dim int) int {
	if shape := s.shape(name); dim < len(shape) {
		return shape[dim]
	}
	return 0
}

// All returns names and shapes, in no order.
func (s Shapes) All() iter.Seq2[string, []int] {
	return func(yield func(string, []int) bool) {
		for name, shape := range s.all {
			if rest, ok := strings.CutPrefix(name, s.prefix); ok && !yield(rest, shape) {
				return
			}
		}
	}
}
