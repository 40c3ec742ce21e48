package ckpt

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

const (
	metaKey   = "__metadata__"
	maxHeader = 4 << 20 // bytes, about 20,000 tensors
	maxRank   = 32      // dimensions of a tensor
)

// An Info is a tensor's entry in the header.
type Info struct {
	Name  string
	Type  string // F32, BF16, I64, …
	Shape []int

	begin, end int64 // in the data section
}

// A Header is a file without the elements of its tensors.
type Header struct {
	Meta    map[string]string
	Tensors []Info // sorted by name
}

// sizes are the bytes of an element, for every type of whole bytes.
var sizes = map[string]int64{
	"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U64": 8, "U32": 4, "U16": 2,
	"U8": 1, "BOOL": 1, "C64": 8, "F8_E4M3": 1, "F8_E5M2": 1, "F8_E8M0": 1,
}

// parse reads the header's JSON. It does not check offsets, sizes or types: see layout.
func parse(b []byte) (*Header, error) {
	if len(b) == 0 || b[0] != '{' {
		return nil, errors.New("the header does not start with {")
	}
	if !utf8.Valid(b) {
		return nil, errors.New("the header is not UTF-8")
	}
	d := &decoder{json.NewDecoder(bytes.NewReader(b))}
	d.UseNumber()
	h := &Header{}
	err := d.object(func(key string) (err error) {
		if key == metaKey {
			h.Meta, err = d.strings()
			return err
		}
		info := Info{Name: key}
		if err := d.tensor(&info); err != nil {
			return fmt.Errorf("tensor %.100q: %w", key, err)
		}
		h.Tensors = append(h.Tensors, info)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if rest := bytes.Trim(b[d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return nil, errors.New("header: more than one JSON value")
	}
	slices.SortFunc(h.Tensors, func(a, b Info) int { return cmp.Compare(a.Name, b.Name) })
	return h, nil
}

// format refuses a file that a later version wrote.
func (h *Header) format() error {
	text, ok := h.Meta[keyFormat]
	if !ok {
		return nil // another program's file
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return fmt.Errorf("%s is %.100q, not an integer from 1", keyFormat, text)
	}
	if n > Format {
		by := cmp.Or(h.Meta[keyVersion], "of a later version")
		return fmt.Errorf("written by attnconv %.40s (format %d); this is format %d", by, n, Format)
	}
	return nil
}

// layout checks that every tensor has the bytes of its shape and type, and that the tensors fill a data section of size
// bytes exactly. It returns them in the order of the data.
func (h *Header) layout(size int64) ([]Info, error) {
	infos := slices.Clone(h.Tensors)
	slices.SortStableFunc(infos, func(a, b Info) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end))
	})
	var at int64
	for _, t := range infos {
		width, ok := sizes[t.Type]
		n, err := count(t.Shape)
		switch {
		case !ok:
			return nil, fmt.Errorf("tensor %.100q: type %.100q is not known", t.Name, t.Type)
		case err != nil:
			return nil, fmt.Errorf("tensor %.100q: %w", t.Name, err)
		case n > math.MaxInt64/width || t.end < t.begin || t.end-t.begin != n*width:
			return nil, fmt.Errorf("tensor %.100q: offsets %d to %d do not fit shape %v of %s",
				t.Name, t.begin, t.end, t.Shape, t.Type)
		case t.begin < at:
			return nil, fmt.Errorf("tensor %.100q overlaps the one before it", t.Name)
		case t.begin > at:
			return nil, fmt.Errorf("tensor %.100q: a gap of %d bytes before it", t.Name, t.begin-at)
		}
		at = t.end
	}
	switch {
	case at > size:
		return nil, fmt.Errorf("cut short: the header wants %d bytes of data, got %d", at, size)
	case at < size:
		return nil, fmt.Errorf("%d bytes behind the last tensor", size-at)
	}
	return infos, nil
}

// count returns the number of elements of a shape. The error is that the shape is invalid or the number overflows.
func count(shape []int) (int64, error) {
	if len(shape) > maxRank {
		return 0, fmt.Errorf("%d dimensions; at most %d", len(shape), maxRank)
	}
	n := int64(1)
	for _, d := range shape {
		if d < 0 {
			return 0, fmt.Errorf("shape %v is negative", shape)
		}
		if d > 0 && n > math.MaxInt64/int64(d) {
			return 0, fmt.Errorf("shape %v is too large", shape)
		}
		n *= int64(d)
	}
	return n, nil
}

// clean reports whether a JSON string can represent s.
func clean(s string) bool { return utf8.ValidString(s) }
