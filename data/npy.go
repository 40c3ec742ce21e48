package data

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// A header says what an array of NumPy is.
// Source: numpy/lib/format.py: \x93NUMPY, version, length, {'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)}.
type header struct {
	kind  byte // u, i or f: whole, signed, with a point
	bytes int  // of an element
	big   bool // the highest byte first
	shape []int
}

var (
	descr   = regexp.MustCompile(`'descr': *'([<>|=])([uif])([1248])'`)
	fortran = regexp.MustCompile(`'fortran_order': *(True|False)`)
	shape   = regexp.MustCompile(`'shape': *\(([0-9, ]*)\)`)
)

// readHeader reads an array up to its first element.
func readHeader(in io.Reader) (h header, err error) {
	const most = 1 << 16
	start := make([]byte, 8)
	if _, err := io.ReadFull(in, start); err != nil || string(start[:6]) != "\x93NUMPY" {
		return h, errors.New("it does not begin with NUMPY")
	}
	length := make([]byte, 2)
	if start[6] >= 2 {
		length = make([]byte, 4)
	}
	if _, err := io.ReadFull(in, length); err != nil {
		return h, cause(err)
	}
	n := uint32(binary.LittleEndian.Uint16(length))
	if len(length) == 4 {
		n = binary.LittleEndian.Uint32(length)
	}
	if start[6] < 1 || start[6] > 3 || n > most {
		return h, fmt.Errorf("version %d with a header of %d bytes: want 1 to 3, and at most %d", start[6], n, most)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(in, text); err != nil {
		return h, cause(err)
	}
	return parseHeader(string(text))
}

// parseHeader reads the dictionary of a header.
func parseHeader(text string) (h header, err error) {
	d, f, s := descr.FindStringSubmatch(text), fortran.FindStringSubmatch(text), shape.FindStringSubmatch(text)
	switch {
	case d == nil:
		return h, fmt.Errorf("%.100q: want numeric elements", strings.TrimSpace(text))
	case s == nil || f == nil:
		return h, fmt.Errorf("%.100q: want a shape and an order", strings.TrimSpace(text))
	case f[1] == "True":
		return h, errors.New("its first axis runs fastest: save it in C order (numpy.ascontiguousarray)")
	}
	h.kind, h.big, h.bytes = d[2][0], d[1] == ">", int(d[3][0]-'0')
	size := h.bytes
	for part := range strings.SplitSeq(s[1], ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 || n > (1<<40)/size {
			return h, fmt.Errorf("shape (%s): want 1 element or more, and at most 1 TB of them", s[1])
		}
		size *= n
		h.shape = append(h.shape, n)
	}
	if len(h.shape) == 0 {
		return h, errors.New("it is a single number")
	}
	return h, nil
}

// count is the number of elements.
func (h header) count() int {
	n := 1
	for _, d := range h.shape {
		n *= d
	}
	return n
}

func (h header) String() string {
	kind := map[byte]string{'u': "unsigned integers", 'i': "integers", 'f': "floats"}[h.kind]
	return fmt.Sprintf("%s of %d bits, %s", kind, 8*h.bytes, strings.ReplaceAll(fmt.Sprint(h.shape), " ", " × "))
}

// whole is an element; a negative one is none.
func (h header) whole(raw []byte) (v uint64, ok bool) {
	for i := range raw {
		at := len(raw) - 1 - i
		if h.big {
			at = i
		}
		v = v<<8 | uint64(raw[at])
	}
	return v, h.kind == 'u' || v>>(8*len(raw)-1) == 0
}

// spell is an element in words.
func (h header) spell(raw []byte) string {
	v, ok := h.whole(raw)
	if !ok {
		return "a negative number"
	}
	return strconv.FormatUint(v, 10)
}

// numbersTo are the names 0, 1, ..., n-1.
func numbersTo(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}
