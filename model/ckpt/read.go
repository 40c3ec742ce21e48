package ckpt

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/internal/memory"
)

// Read reads the file at path, with its tensors as float32 and sorted by name. The error is a *CorruptError if the file
// is not a complete, valid checkpoint, else the file system's (fs.ErrNotExist). Read allocates memory for tensors only
// once it knows that the file has their bytes.
func Read(path string) (f *File, err error) {
	err = open(path, func(r io.Reader, size int64) error {
		f, err = decode(r, size)
		return err
	})
	return f, err
}

// ReadHeader reads everything except the elements of tensors. It checks all that Read checks, except the digest.
func ReadHeader(path string) (h *Header, err error) {
	err = open(path, func(r io.Reader, size int64) error {
		h, _, err = decodeHeader(r, size)
		return err
	})
	return h, err
}

// open calls use with a reader of the file, and adds path and type to errors.
func open(path string, use func(r io.Reader, size int64) error) error {
	f, err := foreign.Open(path)
	if refused := (*foreign.RefusalError)(nil); errors.As(err, &refused) {
		return &CorruptError{path, refused.Reason}
	}
	if err != nil {
		return err
	}
	defer f.Close()
	err = use(bufio.NewReaderSize(f, 4*chunk), f.Size)
	var broken *os.PathError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &broken):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("cut short")
	}
	return &CorruptError{path, err.Error()}
}

func decodeHeader(r io.Reader, size int64) (h *Header, order []Info, err error) {
	var length [8]byte
	if size < 8 {
		return nil, nil, fmt.Errorf("cut short: %d bytes are not a checkpoint", size)
	}
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, nil, err
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > maxHeader {
		return nil, nil, fmt.Errorf("not a checkpoint, or damaged: a header of %d bytes; at most %d", n, maxHeader)
	}
	if int64(n) > size-8 {
		return nil, nil, fmt.Errorf("cut short: a header of %d bytes in a file of %d", n, size)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, nil, err
	}
	if h, err = parse(text); err != nil {
		return nil, nil, err
	}
	if err := h.format(); err != nil {
		return nil, nil, err
	}
	order, err = h.layout(size - 8 - int64(n))
	return h, order, err
}

func decode(r io.Reader, size int64) (*File, error) {
	h, order, err := decodeHeader(r, size)
	if err != nil {
		return nil, err
	}
	if err := fits(order); err != nil {
		return nil, err
	}
	digest := sha256.New()
	data := io.TeeReader(r, digest)
	f := &File{Meta: h.Meta}
	for _, t := range order {
		convert, ok := floats[t.Type]
		if !ok {
			f.Skipped = append(f.Skipped, t)
			if _, err := io.CopyN(io.Discard, data, t.end-t.begin); err != nil {
				return nil, err
			}
			continue
		}
		x := make([]float32, (t.end-t.begin)/sizes[t.Type])
		if err := readFloats(data, x, int(sizes[t.Type]), convert); err != nil {
			return nil, err
		}
		f.Tensors = append(f.Tensors, Tensor{t.Name, t.Shape, x})
	}
	got := hex.EncodeToString(digest.Sum(nil))
	if want, ok := h.Meta[keyDigest]; ok && got != want {
		return nil, fmt.Errorf("damaged: the tensors' SHA-256 is %.12s…, the header says %.12s…", got, want)
	}
	f.Tensors = f.sorted()
	return f, nil
}

// fits returns an error if the tensors take more memory as float32 than there is: a sparse file can be larger than
// memory.
func fits(order []Info) error {
	need := int64(0)
	for _, t := range order {
		if _, ok := floats[t.Type]; ok {
			need += (t.end - t.begin) / sizes[t.Type] * 4
		}
	}
	if need < 0 { // overflow
		need = math.MaxInt64
	}
	return memory.Check(need)
}

// Floats reads n elements of a floating-point type of safetensors (F32, F16, BF16, F64) as float32.
func Floats(r io.Reader, n int, kind string) ([]float32, error) {
	convert, ok := floats[kind]
	if !ok {
		return nil, fmt.Errorf("type %q is not a floating-point type", kind)
	}
	x := make([]float32, n)
	return x, readFloats(r, x, int(sizes[kind]), convert)
}

// readFloats reads len(x) elements of width bytes into x.
func readFloats(r io.Reader, x []float32, width int, convert func([]float32, []byte)) error {
	buf := make([]byte, width*min(chunk, len(x)))
	for len(x) > 0 {
		n := min(chunk, len(x))
		if _, err := io.ReadFull(r, buf[:n*width]); err != nil {
			return err
		}
		convert(x[:n], buf)
		x = x[n:]
	}
	return nil
}

// floats converts elements of a type to float32: x[i] is the i-th element of b.
var floats = map[string]func(x []float32, b []byte){
	"F32": func(x []float32, b []byte) {
		for i := range x {
			x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
	},
	"F64": func(x []float32, b []byte) {
		for i := range x {
			x[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:])))
		}
	},
	"BF16": func(x []float32, b []byte) { // the upper half of a float32
		for i := range x {
			x[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(b[2*i:])) << 16)
		}
	},
	"F16": func(x []float32, b []byte) {
		for i := range x {
			x[i] = half(binary.LittleEndian.Uint16(b[2*i:]))
		}
	},
}

// half converts an IEEE 754 binary16 (1 sign, 5 exponent, 10 fraction bits) exactly.
func half(h uint16) float32 {
	sign, exp, frac := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	switch exp {
	case 0: // zero and subnormals: frac · 2⁻²⁴
		return math.Float32frombits(sign | math.Float32bits(float32(frac)*0x1p-24))
	case 31: // infinity and NaN
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | frac<<13)
}
