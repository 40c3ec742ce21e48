// Package ckpt is the checkpoint file: a safetensors container, the contract between training, drawing and the outside
// world. Any safetensors reader opens it.
//
//	8 bytes    length n of the header, little-endian
//	n bytes    JSON: {"__metadata__": {string: string}, name: {"dtype", "shape", "data_offsets": [begin, end]}, …},
//	           padded with spaces so that the data starts on a multiple of 8
//	the rest   the tensors' numbers, little-endian, without gap or overlap; offsets count from its start
//
// Write stores float32 (F32). Read takes F32, F16, BF16 and F64, all converted to float32 (F64 is rounded); tensors of
// integers, truth values and other types of whole bytes are passed over and listed in File.Skipped, so that counters
// written by other programs do not make their weights unreadable; a type of unknown size is refused by name.
package ckpt

import (
	"cmp"
	"fmt"
	"slices"
)

// Format is the version of what attnconv.* metadata mean. A file of a later format is refused.
const Format = 1

// A Tensor is a named array of numbers, row-major.
type Tensor struct {
	Name  string
	Shape []int // empty for one number
	Data  []float32
}

// A File is what a checkpoint holds.
type File struct {
	Meta    map[string]string
	Tensors []Tensor // Read sorts them by name
	Skipped []Info   // tensors that Read passed over, because they hold no floats; Write does not look at them
}

// Lookup returns the tensor called name, and whether there is one.
func (f *File) Lookup(name string) (Tensor, bool) {
	for _, t := range f.Tensors {
		if t.Name == name {
			return t, true
		}
	}
	return Tensor{}, false
}

// Corrupt says what is wrong with a file that exists and can be read but is not a checkpoint that this version takes.
type Corrupt struct {
	Path   string
	Reason string
}

func (e *Corrupt) Error() string { return "ckpt: " + e.Path + ": " + e.Reason }

// check says what is wrong with the tensors and metadata of a file about to be written, by what Read would refuse.
func (f *File) check() error {
	names := make(map[string]bool, len(f.Tensors))
	for _, t := range f.Tensors {
		n, err := count(t.Shape)
		switch {
		case t.Name == "" || t.Name == metaKey || !clean(t.Name):
			return fmt.Errorf("%q cannot be the name of a tensor", t.Name)
		case names[t.Name]:
			return fmt.Errorf("two tensors are called %q", t.Name)
		case err != nil:
			return fmt.Errorf("tensor %q: %w", t.Name, err)
		case n != int64(len(t.Data)):
			return fmt.Errorf("tensor %q: shape %v wants %d numbers, got %d", t.Name, t.Shape, n, len(t.Data))
		}
		names[t.Name] = true
	}
	for k, v := range f.Meta {
		if !clean(k) || !clean(v) {
			return fmt.Errorf("ckpt: metadata %q is not UTF-8", k)
		}
	}
	return nil
}

// sorted returns the tensors in the order of their names, which is the order of header and data: the same tensors give
// the same bytes in whatever order they were collected.
func (f *File) sorted() []Tensor {
	return slices.SortedFunc(slices.Values(f.Tensors), func(a, b Tensor) int { return cmp.Compare(a.Name, b.Name) })
}
