// Package ckpt reads and writes checkpoints. A checkpoint is a safetensors file, which any safetensors reader opens.
//
//	8 bytes    length n of the header, little-endian
//	n bytes    JSON: {"__metadata__": {string: string}, name: {"dtype", "shape", "data_offsets": [begin, end]}, …},
//	           padded with spaces so that the data starts on a multiple of 8
//	the rest   the elements of the tensors, little-endian, without gap or overlap; offsets count from its start
//
// Write stores float32 (F32). Read converts F32, F16, BF16 and F64 to float32 (F64 is rounded). It skips tensors of
// integers, booleans and other types of whole bytes and lists them in File.Skipped, so that counters of other programs
// do not make their weights unreadable. It refuses a type of unknown size.
//
// Stable: all of it. The keys of Meta are written for good: files of earlier versions are read, and those of a later
// Format are refused.
package ckpt

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/shell"
)

// Format is the version of the attnconv.* metadata. A file of a later format is refused.
const Format = 1

// A Tensor is a named array in row-major order.
type Tensor struct {
	Name  string
	Shape []int // empty for a scalar
	Data  []float32
}

// A File is the content of a checkpoint.
type File struct {
	Meta    map[string]string
	Tensors []Tensor // Read sorts them by name
	Skipped []Info   // tensors without floats, which Read does not convert and Write ignores
}

// Lookup returns the tensor called name.
func (f *File) Lookup(name string) (Tensor, bool) {
	for _, t := range f.Tensors {
		if t.Name == name {
			return t, true
		}
	}
	return Tensor{}, false
}

// CorruptError is the error for a file that can be read but is not a checkpoint that this version supports.
type CorruptError struct {
	Path   string
	Reason string
}

func (e *CorruptError) Error() string { return e.Path + ": " + e.Reason }
func (e *CorruptError) ExitCode() int { return fault.Corrupt }
func (e *CorruptError) Hint() string {
	if filepath.Ext(e.Path) == ".ckpt" {
		return "try another one: a run has several in its folder checkpoints"
	}
	return "for weights written by another program, or by export: attnconv import " + shell.Line(e.Path)
}

// check returns an error if Read would refuse the tensors or metadata of f.
func (f *File) check() error {
	if f == nil {
		return errors.New("the file is nil: want its tensors and metadata")
	}
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
			return fmt.Errorf("tensor %q: shape %v wants %d elements, got %d", t.Name, t.Shape, n, len(t.Data))
		}
		names[t.Name] = true
	}
	for k, v := range f.Meta {
		if !clean(k) || !clean(v) {
			return fmt.Errorf("metadata %q is not UTF-8", k)
		}
	}
	return nil
}

// sorted returns the tensors by name, the order of header and data: the same tensors give the same bytes in whatever
// order they were collected.
func (f *File) sorted() []Tensor {
	return slices.SortedFunc(slices.Values(f.Tensors), func(a, b Tensor) int { return cmp.Compare(a.Name, b.Name) })
}
