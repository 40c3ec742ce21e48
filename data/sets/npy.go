package sets

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/internal/npy"
)

// A header says what an array is, of NumPy or of an IDX file.
type header struct {
	kind  byte // u, i or f: whole, signed, with a point
	bytes int  // of an element
	big   bool // the highest byte first
	shape []int
}

// mostBytes is the size of the largest array, in bytes.
const mostBytes = 1 << 40

// readHeader reads an array of NumPy up to its first element.
func readHeader(in io.Reader) (h header, err error) {
	n, _, err := npy.ReadHeader(in)
	switch {
	case err != nil:
		return h, err
	case n.Kind == 0:
		return h, fmt.Errorf("%.20q: want numeric elements", n.Descr)
	case n.Columns:
		return h, errors.New("its first axis runs fastest: save it in C order (numpy.ascontiguousarray)")
	case len(n.Shape) == 0:
		return h, errors.New("it is a single number")
	case n.Elements < 1 || n.Elements > mostBytes/int64(n.Bytes):
		return h, fmt.Errorf("shape %v: want 1 element or more, and at most 1 TB of them", n.Shape)
	}
	return header{n.Kind, n.Bytes, n.Big, n.Shape}, nil
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

// numberNames returns the names 0, 1, ..., n-1.
func numberNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}

// appendFloats appends the elements in raw; the error is that of one which is not finite.
func (h header) appendFloats(to []float32, raw []byte) ([]float32, error) {
	order := binary.ByteOrder(binary.LittleEndian)
	if h.big {
		order = binary.BigEndian
	}
	from := len(to)
	for ; len(raw) > 0; raw = raw[h.bytes:] {
		if h.bytes == 4 {
			to = append(to, math.Float32frombits(order.Uint32(raw)))
		} else {
			to = append(to, float32(math.Float64frombits(order.Uint64(raw))))
		}
	}
	return to, checkFinite(to[from:])
}

// labels reads n labels, the last elements of in.
func (h header) labels(in io.Reader, n int) ([]int32, error) {
	labels, raw := make([]int32, 0, n), make([]byte, h.bytes)
	for i := range n {
		if _, err := io.ReadFull(in, raw); err != nil {
			return nil, fmt.Errorf("label %d is not whole: %w", i+1, cause(err))
		}
		label, ok := h.whole(raw)
		if !ok || label >= mostClasses {
			return nil, fmt.Errorf("label %d: want 0 to %d, got %s", i+1, mostClasses-1, h.spell(raw))
		}
		labels = append(labels, int32(label))
	}
	return labels, atEnd(in)
}
