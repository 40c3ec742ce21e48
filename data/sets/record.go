package sets

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"math"
	"sync"

	"github.com/attnconv/attnconv/data"
)

// A recordForm says how an image and its label are written, in the files of an imported set and for its digest:
//
//	label    one byte; of more than 256 classes two, the low one first
//	values   (channels, rows, cols): bytes; or float32, IEEE 754, the low byte first
type recordForm struct {
	wide   bool // two bytes of label
	floats bool
	values int // of an image
}

// formOf is how the images of s are written, of a set with the given number of classes.
func formOf(s data.Split, classes int) recordForm {
	return recordForm{classes > 256, s.Floats != nil, s.Size()}
}

// labelBytes is the size of a label.
func (f recordForm) labelBytes() int {
	if f.wide {
		return 2
	}
	return 1
}

// bytes is the size of a record.
func (f recordForm) bytes() int { return f.labelBytes() + f.valueBytes()*f.values }

// valueBytes is the size of one value.
func (f recordForm) valueBytes() int {
	if f.floats {
		return 4
	}
	return 1
}

// write writes the images of s to w.
func (f recordForm) write(w io.Writer, s data.Split) error {
	chunk := max(1, 1<<20/f.bytes()) // images
	var b []byte
	for i, label := range s.Labels {
		b = append(b, byte(label))
		if f.wide {
			b = append(b, byte(label>>8))
		}
		b = append(b, s.Bytes(i)...)
		for _, v := range s.Values(i) {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		if i%chunk == chunk-1 || i == s.Len()-1 {
			if _, err := w.Write(b); err != nil {
				return err
			}
			b = b[:0]
		}
	}
	return nil
}

// read takes the value bytes of image i of s from raw; the error is that of a value which is not finite.
func (f recordForm) read(s data.Split, i int, raw []byte) error {
	if !f.floats {
		copy(s.Bytes(i), raw)
		return nil
	}
	values := s.Values(i)
	for j := range values {
		values[j] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*j:]))
	}
	return checkFinite(values)
}

// digest is the SHA-256, in hexadecimal, over the records of a split of s; "" of no images.
func digest(s *data.Set, of data.Split) string {
	if of.Len() == 0 {
		return ""
	}
	h := sha256.New()
	formOf(of, len(s.Classes)).write(h, of) // a hash takes all
	return hex.EncodeToString(h.Sum(nil))
}

// finish computes what follows from the images.
func finish(s *data.Set) *data.Set {
	var both sync.WaitGroup
	both.Go(func() { s.Digest.Train = digest(s, s.Train) })
	both.Go(func() { s.Digest.Test = digest(s, s.Test) })
	both.Wait()
	return named(s, s.Name)
}
