package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/ckpt"
)

// shapes are those of a file's weights, by their names behind "model." and a prefix.
type shapes struct {
	all    map[string][]int
	prefix string
}

// in returns the weights whose names begin with name.
func (w shapes) in(name string) shapes { return shapes{w.all, w.prefix + name} }

func (w shapes) shape(name string) []int { return w.all[w.prefix+name] }

func (w shapes) has(name string) bool { return w.shape(name) != nil }

// at returns the size of a tensor along a dimension; 0 where it has none.
func (w shapes) at(name string, dim int) int {
	if shape := w.shape(name); dim < len(shape) {
		return shape[dim]
	}
	return 0
}

// Infer returns the spec of the network that the weights, named as in a checkpoint, belong to, as far as their names
// and shapes tell; the rest is that of base. What they do not tell is the size of the image.
func Infer(weights []ckpt.Tensor, base Spec) (Spec, error) {
	w := shapes{all: map[string][]int{}}
	for _, t := range weights {
		w.all[t.Name[len("model."):]] = append([]int{}, t.Shape...)
	}
	var known []string
	var reason error
	for _, k := range Kinds {
		if !w.has(k.Weight) {
			if !slices.Contains(known, k.Weight) {
				known = append(known, k.Weight)
			}
			continue
		}
		s, err := k.Infer(w, base)
		if err == nil {
			return s, nil
		}
		reason = errors.Join(reason, err)
	}
	if reason == nil {
		reason = fmt.Errorf("no weights of a known kind: no tensor is called %s", strings.Join(known, " or "))
	}
	return base, fmt.Errorf("model: %w", reason)
}
