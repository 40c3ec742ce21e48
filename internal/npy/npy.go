// Package npy reads arrays that NumPy wrote with numpy.save, and files of several by numpy.savez.
//
//	6 bytes   \x93NUMPY
//	2 bytes   version: 1.0, 2.0 or 3.0
//	2 bytes   length of the header, little-endian; 4 bytes from version 2.0 on
//	header    {'descr': '<f4', 'fortran_order': False, 'shape': (4, 3, 32, 32), }, padded with spaces
//	the rest  the elements
package npy

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/internal/memory"
)

// An Array is a dense array in row-major order.
type Array struct {
	Shape []int
	Data  []float32
}

const (
	magic     = "\x93NUMPY"
	maxHeader = 1 << 16
	maxValues = 1 << 40
)

var (
	descr   = regexp.MustCompile(`'descr': *'([^']*)'`)
	fortran = regexp.MustCompile(`'fortran_order': *(True|False)`)
	shape   = regexp.MustCompile(`'shape': *\(([0-9, ]*)\)`)
)

// Read reads an array of float32. It allocates the array only if the file has all of its bytes and the machine has the
// memory. The error does not name the file.
func Read(path string) (*Array, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return decode(bufio.NewReaderSize(f, 1<<16), f.Size)
}

// open opens a file; its error does not name it.
func open(path string) (*foreign.File, error) {
	f, err := foreign.Open(path)
	if refused := (*foreign.Refused)(nil); errors.As(err, &refused) {
		return nil, errors.New(refused.Reason)
	}
	return f, err
}

// decode reads an array from a file of size bytes.
func decode(in io.Reader, size int64) (*Array, error) {
	head, data, err := header(in, size)
	if err != nil {
		return nil, err
	}
	shape, n, err := parse(head)
	if err != nil {
		return nil, err
	}
	if data != 4*n {
		return nil, fmt.Errorf("shape %v wants %d bytes of elements, got %d", shape, 4*n, data)
	}
	a := &Array{Shape: shape}
	if a.Data, err = memory.Floats(int(n)); err != nil {
		return nil, err
	}
	var value [4]byte
	for i := range a.Data {
		if _, err := io.ReadFull(in, value[:]); err != nil {
			return nil, fmt.Errorf("cut short: %w", err)
		}
		a.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(value[:]))
	}
	return a, nil
}

// header reads up to the first element, and returns the header and the number of bytes behind it.
func header(in io.Reader, size int64) (head []byte, data int64, err error) {
	start := make([]byte, 12)
	n, _ := io.ReadFull(in, start[:10])
	if n < 10 || string(start[:6]) != magic {
		return nil, 0, errors.New("not an array of NumPy's (.npy)")
	}
	length, from := int64(binary.LittleEndian.Uint16(start[8:])), int64(10)
	if start[6] > 1 {
		if _, err := io.ReadFull(in, start[10:]); err != nil {
			return nil, 0, errors.New("cut short: the header ends early")
		}
		length, from = int64(binary.LittleEndian.Uint32(start[8:])), 12
	}
	if length > maxHeader || length > size-from {
		return nil, 0, fmt.Errorf("cut short: want a header of %d bytes, got %d", length, size-from)
	}
	head = make([]byte, length)
	if _, err := io.ReadFull(in, head); err != nil {
		return nil, 0, fmt.Errorf("cut short: %w", err)
	}
	return head, size - from - length, nil
}

// parse reads the header's dictionary: the shape of an array of float32 in row-major order and n, the number of its elements.
func parse(head []byte) (dims []int, n int64, err error) {
	l, err := dictionary(head)
	switch {
	case err != nil:
		return nil, 0, err
	case l.kind != "<f4":
		return nil, 0, fmt.Errorf("want float32 (<f4), got %.20q: in NumPy, x.astype(\"float32\")", l.kind)
	case l.columns:
		return nil, 0, errors.New("want row-major order: in NumPy, numpy.ascontiguousarray(x)")
	}
	return l.shape, l.elements, nil
}

// A layout is what a header says of its array.
type layout struct {
	kind     string // of its elements: <f4
	columns  bool   // its first axis runs fastest
	shape    []int
	elements int64
}

func dictionary(head []byte) (l layout, err error) {
	kind, order, extent := descr.FindSubmatch(head), fortran.FindSubmatch(head), shape.FindSubmatch(head)
	if kind == nil || order == nil || extent == nil {
		return l, fmt.Errorf("want a header with descr, fortran_order and shape, got %.80q", head)
	}
	l = layout{kind: string(kind[1]), columns: string(order[1]) == "True", elements: 1}
	for part := range strings.SplitSeq(string(extent[1]), ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue // behind the last comma
		}
		size, err := strconv.Atoi(part)
		if err != nil || size > 0 && l.elements > maxValues/int64(size) {
			return l, fmt.Errorf("shape (%.80s) is too large", extent[1])
		}
		l.shape, l.elements = append(l.shape, size), l.elements*int64(size)
	}
	return l, nil
}
