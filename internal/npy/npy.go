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
	numeric = regexp.MustCompile(`^([<>|=])([uif])([1248])$`)
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
	if refused := (*foreign.RefusalError)(nil); errors.As(err, &refused) {
		return nil, errors.New(refused.Reason)
	}
	return f, err
}

// decode reads an array from a file of size bytes.
func decode(in io.Reader, size int64) (*Array, error) {
	h, n, err := ReadHeader(in)
	want := 4 * h.Elements
	switch {
	case err != nil:
		return nil, err
	case h.Descr != "<f4":
		return nil, fmt.Errorf("want float32 (<f4), got %.20q: in NumPy, x.astype(\"float32\")", h.Descr)
	case h.Columns:
		return nil, errors.New("want row-major order: in NumPy, numpy.ascontiguousarray(x)")
	case size-n != want:
		return nil, fmt.Errorf("shape %v wants %d bytes of elements, got %d", h.Shape, want, size-n)
	}
	a := &Array{Shape: h.Shape}
	if a.Data, err = memory.Floats(int(h.Elements)); err != nil {
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

// A Header says what an array is.
type Header struct {
	Descr    string // type of the elements: <f4
	Kind     byte   // u, i or f of unsigned and signed integers and floats; 0 of all other types
	Bytes    int    // of an element of these kinds: 1, 2, 4 or 8
	Big      bool   // the highest byte of an element comes first
	Columns  bool   // the first axis runs fastest
	Shape    []int
	Elements int64 // at most 2⁴⁰
}

// ReadHeader reads an array up to its first element, which is n bytes.
// Source: numpy/lib/format.py.
func ReadHeader(in io.Reader) (h Header, n int64, err error) {
	start := make([]byte, 12)
	if read, _ := io.ReadFull(in, start[:10]); read < 10 || string(start[:6]) != magic {
		return h, 0, errors.New("not an array of NumPy's (.npy)")
	}
	version, length, n := start[6], uint32(binary.LittleEndian.Uint16(start[8:])), int64(10)
	if version > 1 {
		if _, err := io.ReadFull(in, start[10:]); err != nil {
			return h, 0, fmt.Errorf("cut short: %w", err)
		}
		length, n = binary.LittleEndian.Uint32(start[8:]), 12
	}
	if version < 1 || version > 3 || length > maxHeader {
		return h, 0, fmt.Errorf("version %d with a header of %d bytes: want 1 to 3, and at most %d", version, length,
			maxHeader)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(in, text); err != nil {
		return h, 0, fmt.Errorf("cut short: %w", err)
	}
	h, err = parse(text)
	return h, n + int64(length), err
}

// parse reads the dictionary of a header.
func parse(text []byte) (h Header, err error) {
	kind, order, extent := descr.FindSubmatch(text), fortran.FindSubmatch(text), shape.FindSubmatch(text)
	if kind == nil || order == nil || extent == nil {
		return h, fmt.Errorf("want a header with descr, fortran_order and shape, got %.80q", text)
	}
	h = Header{Descr: string(kind[1]), Columns: string(order[1]) == "True", Elements: 1}
	if d := numeric.FindStringSubmatch(h.Descr); d != nil {
		h.Big, h.Kind, h.Bytes = d[1] == ">", d[2][0], int(d[3][0]-'0')
	}
	for part := range strings.SplitSeq(string(extent[1]), ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue // behind the last comma
		}
		size, err := strconv.Atoi(part)
		if err != nil || size > 0 && h.Elements > maxValues/int64(size) {
			return h, fmt.Errorf("shape (%.80s) is too large", extent[1])
		}
		h.Shape, h.Elements = append(h.Shape, size), h.Elements*int64(size)
	}
	return h, nil
}
