package ckpt

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"

	"github.com/attnconv/attnconv/internal/disk"
)

// chunk is how many elements are converted at a time.
const chunk = 1 << 16

// Write replaces the file at path atomically: it writes a hidden file in the same folder (.NAME.….tmp), syncs and
// renames it. A process that is killed half-way leaves at most that hidden file, which the next Write of the same path
// removes. If path is a link, Write replaces the link, not its target.
//
// Write adds attnconv.tensor_sha256, the SHA-256 of the data section, to the file's metadata.
func Write(path string, f *File) error {
	head, tensors, err := f.prepare()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return replace(path, func(w io.Writer) error { return encode(w, head, tensors) })
}

func replace(path string, write func(io.Writer) error) error {
	if err := disk.Replace(path, write); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Encode writes the bytes of the checkpoint to w.
func (f *File) Encode(w io.Writer) error {
	head, tensors, err := f.prepare()
	if err != nil {
		return err
	}
	return encode(w, head, tensors)
}

func encode(w io.Writer, head []byte, tensors []Tensor) error {
	if _, err := w.Write(head); err != nil {
		return err
	}
	return writeData(w, tensors)
}

// prepare returns the bytes before the data section, with the digest of the data, and the tensors in order.
func (f *File) prepare() (head []byte, tensors []Tensor, err error) {
	if err := f.check(); err != nil {
		return nil, nil, err
	}
	tensors = f.sorted()
	digest := sha256.New()
	if err := writeData(digest, tensors); err != nil {
		return nil, nil, err
	}
	meta := maps.Clone(f.Meta)
	if meta == nil {
		meta = map[string]string{}
	}
	meta[keyDigest] = hex.EncodeToString(digest.Sum(nil))
	head, err = header(meta, tensors)
	return head, tensors, err
}

// header returns the bytes before the data section.
func header(meta map[string]string, tensors []Tensor) ([]byte, error) {
	type entry struct {
		Type    string   `json:"dtype"`
		Shape   []int    `json:"shape"`
		Offsets [2]int64 `json:"data_offsets"`
	}
	text, err := json.Marshal(meta) // keys sorted
	if err != nil {
		return nil, err
	}
	b := append(make([]byte, 8), `{"`+metaKey+`":`...)
	b = append(b, text...)
	var at int64
	for _, t := range tensors {
		end := at + 4*int64(len(t.Data))
		name, err := json.Marshal(t.Name)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(entry{"F32", append([]int{}, t.Shape...), [2]int64{at, end}})
		if err != nil {
			return nil, err
		}
		b = append(append(append(append(b, ','), name...), ':'), text...)
		at = end
	}
	b = append(b, '}')
	for len(b)%8 != 0 {
		b = append(b, ' ')
	}
	if len(b)-8 > maxHeader {
		return nil, fmt.Errorf("a header of %d bytes; at most %d", len(b)-8, maxHeader)
	}
	binary.LittleEndian.PutUint64(b, uint64(len(b)-8))
	return b, nil
}

func writeData(w io.Writer, tensors []Tensor) error {
	buf := make([]byte, 4*chunk)
	for _, t := range tensors {
		for at := 0; at < len(t.Data); at += chunk {
			values := t.Data[at:min(at+chunk, len(t.Data))]
			for i, x := range values {
				binary.LittleEndian.PutUint32(buf[4*i:], math.Float32bits(x))
			}
			if _, err := w.Write(buf[:4*len(values)]); err != nil {
				return err
			}
		}
	}
	return nil
}
