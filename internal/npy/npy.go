// Package npy reads arrays that NumPy wrote with numpy.save.
//
//	6 bytes   \x93NUMPY
//	2 bytes   version: 1.0, 2.0 or 3.0
//	2 bytes   length of the header, little-endian; 4 bytes from version 2.0 on
//	header    {'descr': '<f4', 'fortran_order': False, 'shape': (4, 3, 32, 32), }, padded with spaces
//	the rest  the numbers
package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// An Array is numbers, row-major.
type Array struct {
	Shape []int
	Data  []float32
}

const (
	magic     = "\x93NUMPY"
	maxHeader = 1 << 16
	maxBytes  = 1 << 32
)

var (
	descr   = regexp.MustCompile(`'descr': *'([^']*)'`)
	fortran = regexp.MustCompile(`'fortran_order': *(True|False)`)
	shape   = regexp.MustCompile(`'shape': *\(([0-9, ]*)\)`)
)

// Read returns the array of float32 in a file. The error says what is wrong with the file, without its name.
func Read(path string) (*Array, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxBytes))
	if err != nil {
		return nil, err
	}
	return parse(b)
}

func parse(b []byte) (*Array, error) {
	head, data, err := split(b)
	if err != nil {
		return nil, err
	}
	kind, order, extent := descr.FindSubmatch(head), fortran.FindSubmatch(head), shape.FindSubmatch(head)
	switch {
	case kind == nil || order == nil || extent == nil:
		return nil, fmt.Errorf("want a header with descr, fortran_order and shape, got %.80q", head)
	case string(kind[1]) != "<f4":
		return nil, fmt.Errorf("want float32 (<f4), got %s: in NumPy, x.astype(\"float32\")", kind[1])
	case string(order[1]) == "True":
		return nil, fmt.Errorf("want rows one after another: in NumPy, numpy.ascontiguousarray(x)")
	}
	a, n := &Array{}, 1
	for part := range strings.SplitSeq(string(extent[1]), ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue // the comma behind the last one
		}
		size, err := strconv.Atoi(part)
		if err != nil || size > 0 && n > maxBytes/size {
			return nil, fmt.Errorf("shape (%s) is too large", extent[1])
		}
		a.Shape, n = append(a.Shape, size), n*size
	}
	if len(data) != 4*n {
		return nil, fmt.Errorf("shape %v wants %d bytes of numbers, got %d", a.Shape, 4*n, len(data))
	}
	a.Data = make([]float32, n)
	for i := range a.Data {
		a.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return a, nil
}

// split parts the header from the numbers.
func split(b []byte) (head, data []byte, err error) {
	rest, ok := bytes.CutPrefix(b, []byte(magic))
	if !ok || len(rest) < 6 {
		return nil, nil, fmt.Errorf("not an array of NumPy's (.npy)")
	}
	length, from := int(binary.LittleEndian.Uint16(rest[2:])), 4
	if rest[0] > 1 {
		length, from = int(binary.LittleEndian.Uint32(rest[2:])), 6
	}
	if rest = rest[from:]; length > maxHeader || length > len(rest) {
		return nil, nil, fmt.Errorf("cut short: a header of %d bytes, and %d are there", length, len(rest))
	}
	return rest[:length], rest[length:], nil
}
