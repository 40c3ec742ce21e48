package torch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/attnconv/attnconv/internal/pickle"
)

// start is the beginning of a file from before PyTorch 1.6: pickles of the magic number 0x1950a86a20f9469cfc6c and of
// the protocol version 1001.
const start = "\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03."

// isLegacy reports whether a file begins so, in the protocol of pickles that is usual, 2, or in 3.
func isLegacy(in io.ReaderAt) bool {
	return begins(in, start) || begins(in, strings.ReplaceAll(start, "\x80\x02", "\x80\x03"))
}

// legacyStorages are the storages of an old file: by key, the offset of the element count, which precedes the elements.
type legacyStorages struct {
	in io.ReaderAt
	at map[string]int64
}

// readLegacy reads an old file: start, pickles of the machine, of the saved object and of the storages' keys, then the
// storages in that order.
func readLegacy(in io.ReaderAt, size int64) (content any, from source, err error) {
	b := make([]byte, min(size, maxPickle))
	if n, err := in.ReadAt(b, 0); err != nil && err != io.EOF {
		return nil, nil, err
	} else {
		b = b[:n]
	}
	at, values, storages := len(start), make([]any, 3), map[string]*pickle.Storage{}
	for i := range values {
		var (
			n    int
			some map[string]*pickle.Storage
		)
		if values[i], some, n, err = pickle.ParseTorch(b[at:]); err != nil {
			return nil, nil, err
		}
		maps.Copy(storages, some)
		at += n
	}
	if machine, ok := values[0].(*pickle.Dict); !ok || machine.Items["little_endian"] != any(true) {
		return nil, nil, errors.New("want little-endian elements")
	}
	keys, ok := values[2].(*pickle.List)
	if !ok {
		return nil, nil, errors.New("want a list of storages")
	}
	r, next := legacyStorages{in, map[string]int64{}}, int64(at)
	for _, k := range keys.Items {
		key, ok := k.(string)
		s := storages[key]
		if !ok || s == nil || kinds[s.Kind].width == 0 {
			return nil, nil, fmt.Errorf("no tensor has the storage %.40q: the offset of the next one is unknown", key)
		}
		bytes := kinds[s.Kind].width * s.Count
		r.at[key] = next
		if bytes > size || next+8+bytes > size {
			return nil, nil, errors.New("cut short")
		}
		next += 8 + bytes
	}
	return values[1], r, nil
}

func (r legacyStorages) open(key string, count, width int64) (io.ReadCloser, error) {
	at, ok := r.at[key]
	if !ok {
		return nil, fmt.Errorf("its storage %.40q is not there", key)
	}
	var head [8]byte
	if _, err := r.in.ReadAt(head[:], at); err != nil {
		return nil, errors.New("cut short")
	}
	if n := binary.LittleEndian.Uint64(head[:]); n != uint64(count) {
		return nil, fmt.Errorf("its storage has %d elements: want %d", n, count)
	}
	return io.NopCloser(io.NewSectionReader(r.in, at+8, count*width)), nil
}
