// Package torch reads weights from files of PyTorch's torch.save, without Python and without executing anything in
// them. A file is a zip file of a pickle and the tensors' storages or, before PyTorch 1.6, pickles followed by the
// storages.
//
//	NAME/data.pkl      the saved object; a tensor in it names its storage
//	NAME/data/KEY      the elements of a storage, not compressed
//	NAME/byteorder     little, from PyTorch 2.1 on
//
// Source: torch/serialization.py and torch/_utils.py of PyTorch 1.13.
package torch

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/internal/memory"
	"github.com/attnconv/attnconv/internal/pickle"
	"github.com/attnconv/attnconv/model/ckpt"
)

// maxPickle is the largest pickle in bytes; that of a thousand tensors has 200 kB.
const maxPickle = 32 << 20

// Is reports whether the file at path begins like one of PyTorch's. It is false for a file that cannot be read.
func Is(path string) bool {
	f, err := foreign.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return isZip(f) || isLegacy(f)
}

func begins(in io.ReaderAt, with string) bool {
	b := make([]byte, len(with))
	n, _ := in.ReadAt(b, 0)
	return string(b[:n]) == with
}

// Read returns the tensors that take chooses, as float32 and sorted by name. Names are paths in the saved object (see
// contents). take gets those of all tensors of floats, sorted, and returns the ones to read, or nil if it knows none of
// them: then Read reads all, or returns a *ModuleError if a whole network is in the file. Skipped has everything else:
// other tensors, and objects, which have no shape. The error is take's, or a *ckpt.CorruptError.
func Read(path string, take func(names []string) (map[string]bool, error)) (*ckpt.File, error) {
	f, err := foreign.Open(path)
	if refused := (*foreign.RefusalError)(nil); errors.As(err, &refused) {
		return nil, &ckpt.CorruptError{Path: path, Reason: refused.Reason}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	corrupt := func(err error) error {
		if broken := (*os.PathError)(nil); err == nil || errors.As(err, &broken) {
			return err
		}
		return &ckpt.CorruptError{Path: path, Reason: err.Error()}
	}
	c, err := decode(f, f.Size)
	if err != nil {
		return nil, corrupt(err)
	}
	chosen, err := take(c.names())
	switch {
	case err != nil:
		return nil, err
	case chosen == nil && c.module != nil:
		c.module.Path = path
		return nil, c.module
	case len(c.tensors) == 0:
		return nil, corrupt(errors.New("no tensors in it: want a state dict, as torch.save(net.state_dict(), FILE) writes"))
	case chosen == nil:
		chosen = setOf(c.names())
	}
	weights, err := c.load(chosen)
	return weights, corrupt(err)
}

func setOf(names []string) map[string]bool {
	all := map[string]bool{}
	for _, name := range names {
		all[name] = true
	}
	return all
}

// A source opens the storages of a file.
type source interface {
	// open returns the elements of a storage: count of them, of width bytes each.
	open(key string, count, width int64) (io.ReadCloser, error)
}

func decode(in io.ReaderAt, size int64) (*contents, error) {
	read := readZip
	if isLegacy(in) {
		read = readLegacy
	}
	saved, from, err := read(in, size)
	if err != nil {
		return nil, err
	}
	if t, alone := saved.(*pickle.Tensor); alone {
		return nil, fmt.Errorf("one tensor of shape %v: want a state dict, as torch.save(net.state_dict(), FILE) writes",
			t.Shape)
	}
	c := &contents{tensors: map[string]*pickle.Tensor{}, holds: map[any]bool{}, module: moduleIn(saved), from: from,
		size: size}
	return c, c.walk("", saved, map[any]bool{})
}

// load reads the chosen tensors.
func (c *contents) load(chosen map[string]bool) (*ckpt.File, error) {
	f := &ckpt.File{}
	for _, name := range c.objects {
		f.Skipped = append(f.Skipped, ckpt.Info{Name: name})
	}
	if err := c.fits(chosen); err != nil {
		return nil, err
	}
	storages := map[pickle.Storage][]float32{}
	for name, t := range c.tensors {
		shape := make([]int, len(t.Shape))
		for i, n := range t.Shape {
			shape[i] = int(n)
		}
		if !chosen[name] {
			f.Skipped = append(f.Skipped, ckpt.Info{Name: name, Type: t.Storage.Kind, Shape: shape})
			continue
		}
		values, ok := storages[*t.Storage]
		if !ok {
			var err error
			if values, err = kinds[t.Storage.Kind].read(c.from, t.Storage); err != nil {
				return nil, fmt.Errorf("tensor %.100q: %w", name, err)
			}
			storages[*t.Storage] = values
		}
		f.Tensors = append(f.Tensors, ckpt.Tensor{Name: name, Shape: shape, Data: gather(values, t)})
	}
	slices.SortFunc(f.Tensors, func(a, b ckpt.Tensor) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(f.Skipped, func(a, b ckpt.Info) int { return cmp.Compare(a.Name, b.Name) })
	return f, nil
}

// fits returns an error if the chosen tensors take more memory than there is, or much more than their file: many can be
// views of one storage.
func (c *contents) fits(chosen map[string]bool) error {
	need := int64(0)
	storages := map[pickle.Storage]bool{}
	for name := range chosen {
		t := c.tensors[name]
		if t.Storage.Count > c.size/kinds[t.Storage.Kind].width {
			return fmt.Errorf("tensor %.100q: a storage of %d elements in a file of %d bytes", name, t.Storage.Count,
				c.size)
		}
		if !storages[*t.Storage] {
			need += 4 * t.Storage.Count
		}
		storages[*t.Storage] = true
		if need += 4 * t.Len(); need > 16*c.size {
			return errors.New("its tensors are many views of few values: want at most 16 bytes per byte of the file")
		}
	}
	return memory.Check(need)
}

// gather copies a tensor from its storage, in row-major order.
func gather(storage []float32, t *pickle.Tensor) []float32 {
	out := make([]float32, 0, t.Len())
	var walk func(axis int, at int64)
	walk = func(axis int, at int64) {
		if axis == len(t.Shape) {
			out = append(out, storage[at])
			return
		}
		for i := range t.Shape[axis] {
			walk(axis+1, at+i*t.Stride[axis])
		}
	}
	if t.Len() > 0 {
		walk(0, t.Offset)
	}
	return out
}

// A kind is a type of storage.
type kind struct {
	width   int64  // of an element, in bytes
	element string // its type in a checkpoint; "": not a float
}

// kinds are the types of storages. An old file needs the width also of those that are not read, to find the next
// storage.
var kinds = map[string]kind{
	"FloatStorage": {4, "F32"}, "DoubleStorage": {8, "F64"}, "HalfStorage": {2, "F16"}, "BFloat16Storage": {2, "BF16"},
	"LongStorage": {width: 8}, "IntStorage": {width: 4}, "ShortStorage": {width: 2}, "CharStorage": {width: 1},
	"ByteStorage": {width: 1}, "BoolStorage": {width: 1}, "ComplexFloatStorage": {width: 8},
	"ComplexDoubleStorage": {width: 16}, "QInt8Storage": {width: 1}, "QUInt8Storage": {width: 1},
	"QInt32Storage": {width: 4}, "UntypedStorage": {width: 1},
}

// read returns the elements of a storage; fits has checked that its size is less than the file's.
func (k kind) read(from source, s *pickle.Storage) ([]float32, error) {
	in, err := from.open(s.Key, s.Count, k.width)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	values, err := ckpt.Floats(in, int(s.Count), k.element)
	if err == nil {
		_, err = io.Copy(io.Discard, in) // archive/zip verifies the checksum at the end
	}
	return values, err
}
