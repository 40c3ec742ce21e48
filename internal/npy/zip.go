package npy

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/internal/memory"
	"github.com/attnconv/attnconv/internal/visible"
)

// Bounds of a file of arrays.
const (
	maxMembers = 1 << 10
	maxBytes   = 1 << 32 // of one array: a small file of zeros could otherwise take all memory
	maxAxes    = 8
)

// A Zip is a file of numpy.savez: arrays by name, of which Open has read only the headers.
type Zip struct {
	Members []*Member // in the order of the file
	file    *foreign.File
}

// A Member is an array that has not been read.
type Member struct {
	Name string // without .npy
	Header
	file *zip.File
}

// Values are the elements of an array, as the file has them.
type Values struct {
	Header
	raw []byte
}

// decoders read an element, by NumPy's name of its type.
var decoders = map[string]func(b []byte) float64{
	"<i4": func(b []byte) float64 { return float64(int32(binary.LittleEndian.Uint32(b))) },
	"<i8": func(b []byte) float64 { return float64(int64(binary.LittleEndian.Uint64(b))) },
	"<f2": func(b []byte) float64 { return half(binary.LittleEndian.Uint16(b)) },
	"<f4": func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) },
	"<f8": func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) },
}

// half is IEEE 754's binary16: 1 sign, 5 bits of exponent, 10 of fraction.
func half(bits uint16) float64 {
	sign, exponent, fraction := 1-2*float64(bits>>15), int(bits>>10&31), float64(bits&1023)
	switch exponent {
	case 31:
		if fraction > 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	case 0:
		return sign * math.Ldexp(fraction, -24)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// OpenZip reads the headers of a file of arrays. It accepts integers of 32 and 64 bits and floats of 16, 32 and 64,
// little-endian, in either order of axes. The error does not name the file. Close it.
func OpenZip(path string) (*Zip, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	members, err := list(f, f.Size)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Zip{members, f}, nil
}

// Close closes the file. What Read returned stays.
func (z *Zip) Close() error { return z.file.Close() }

func list(in io.ReaderAt, size int64) (all []*Member, err error) {
	archive, err := foreign.Zip(in, size)
	if err != nil {
		return nil, fmt.Errorf("want a file of numpy.savez (.npz): %w", err)
	}
	if n := len(archive.File); n == 0 || n > maxMembers {
		return nil, fmt.Errorf("%d arrays: want 1 to %d", n, maxMembers)
	}
	for _, f := range archive.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			return nil, fmt.Errorf("%s: want only arrays of NumPy (.npy)", visible.Word(f.Name))
		}
		if slices.ContainsFunc(all, func(m *Member) bool { return m.Name == name }) {
			return nil, fmt.Errorf("%s: it is there twice", visible.Word(name))
		}
		m := &Member{Name: name, file: f}
		if err := m.header(); err != nil {
			return nil, fmt.Errorf("%s: %w", visible.Word(name), err)
		}
		all = append(all, m)
	}
	return all, nil
}

// header reads what the array is, and compares its size with the member's.
func (m *Member) header() error {
	in, err := m.file.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = m.start(in)
	return err
}

// start reads up to the first element.
func (m *Member) start(in io.Reader) (bytes int64, err error) {
	h, n, err := ReadHeader(in)
	if err != nil {
		return 0, err
	}
	if decoders[h.Descr] == nil {
		return 0, fmt.Errorf("want floats of 16, 32 or 64 bits, got %.20q: in NumPy, x.astype(\"float32\")", h.Descr)
	}
	m.Header = h
	if len(m.Shape) > maxAxes {
		return 0, fmt.Errorf("%d axes: want %d at most", len(m.Shape), maxAxes)
	}
	want, data := h.Elements*int64(h.Bytes), int64(min(m.file.UncompressedSize64, math.MaxInt64))-n
	if want > maxBytes {
		return 0, fmt.Errorf("shape %v takes %d bytes: want %d at most", m.Shape, want, int64(maxBytes))
	} else if data != want {
		return 0, fmt.Errorf("shape %v wants %d bytes of elements, got %d", m.Shape, want, data)
	}
	return want, nil
}

// Read reads the array, if the machine has the memory.
func (m *Member) Read() (*Values, error) {
	in, err := m.file.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	n, err := m.start(in)
	if err != nil {
		return nil, err
	}
	if err := memory.Check(n); err != nil {
		return nil, err
	}
	v := &Values{m.Header, make([]byte, n)}
	if _, err := io.ReadFull(in, v.raw); err != nil {
		return nil, fmt.Errorf("cut short: %w", err)
	}
	switch more, err := io.CopyN(io.Discard, in, 1); { // the checksum comes with the end
	case more > 0:
		return nil, errors.New("it goes on behind its last element")
	case err != io.EOF:
		return nil, err
	}
	return v, nil
}

// Of returns the elements of a part, x[first, second, …], in row-major order.
func (v *Values) Of(first ...int) []float64 {
	rest := v.Shape[len(first):]
	n := 1
	for _, d := range rest {
		n *= d
	}
	steps := v.steps()
	begin := 0
	for i, at := range first {
		begin += at * steps[i]
	}
	part, decode, size := make([]float64, n), decoders[v.Descr], v.Bytes
	at := make([]int, len(rest))
	for i := range part {
		from := begin
		for axis, j := range at {
			from += j * steps[len(first)+axis]
		}
		part[i] = decode(v.raw[from*size : (from+1)*size])
		for axis := len(at) - 1; axis >= 0; axis-- {
			if at[axis]++; at[axis] < rest[axis] {
				break
			}
			at[axis] = 0
		}
	}
	return part
}

// Half reports floats of 16 bits.
func (v *Values) Half() bool { return v.Descr == "<f2" }

// steps is how many elements lie between neighbors along each axis.
func (v *Values) steps() []int {
	steps, n := make([]int, len(v.Shape)), 1
	for i := range steps {
		axis := len(steps) - 1 - i
		if v.Columns {
			axis = i
		}
		steps[axis] = n
		n *= v.Shape[axis]
	}
	return steps
}
