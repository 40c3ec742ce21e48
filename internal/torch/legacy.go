package torch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/attnconv/attnconv/internal/pickle"
)

// start is how a file from before PyTorch 1.6 begins: pickles of the numbers 0x1950a86a20f9469cfc6c and 1001.
const start = "\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03."

func isLegacy(in io.ReaderAt) bool { return begins(in, start) }

// runs are the storages of an old file, by their keys: where the count of elements is, with the elements behind it.
type runs struct {
	in io.ReaderAt
	at map[string]int64
}

// readLegacy reads what an old file holds. Behind start: pickles of the machine, of what was saved and of the storages'
// keys, then the storages in that order.
func readLegacy(in io.ReaderAt, size int64) (content any, from source, err error) {
	b := make([]byte, min(size, mostPickle))
	if n, err := in.ReadAt(b, 0); err != nil && err != io.EOF {
		return nil, nil, err
	} else {
		b = b[:n]
	}
	at, values := len(start), make([]any, 3)
	for i := range values {
		var n int
		if values[i], n, err = pickle.ParseTorch(b[at:]); err != nil {
			return nil, nil, err
		}
		at += n
	}
	if machine, ok := values[0].(*pickle.Dict); !ok || machine.Items["little_endian"] != any(true) {
		return nil, nil, errors.New("want numbers with the lowest byte first")
	}
	keys, ok := values[2].(*pickle.List)
	if !ok {
		return nil, nil, errors.New("want a list of storages")
	}
	counts := map[string]int64{} // bytes by key
	widths(values[1], counts, map[any]bool{}, 0)
	r, next := runs{in, map[string]int64{}}, int64(at)
	for _, k := range keys.Items {
		key, ok := k.(string)
		bytes, known := counts[key]
		if !ok || !known {
			return nil, nil, fmt.Errorf("no tensor has the storage %.40q: where the next one is, is not known", key)
		}
		r.at[key] = next
		if bytes > size || next+8+bytes > size {
			return nil, nil, errors.New("cut short")
		}
		next += 8 + bytes
	}
	return values[1], r, nil
}

// widths notes down how many bytes the storages in v have. Lists and dictionaries may hold themselves; tensors lie a few
// levels deep, as those of a solver's state do.
func widths(v any, found map[string]int64, seen map[any]bool, depth int) {
	if depth > 20 {
		return
	}
	switch v := v.(type) {
	case *pickle.Tensor:
		found[v.Storage.Key] = kinds[v.Storage.Kind].width * v.Storage.Count
	case *pickle.Storage:
		found[v.Key] = kinds[v.Kind].width * v.Count
	case *pickle.List:
		if !seen[v] {
			seen[v] = true
			for _, item := range v.Items {
				widths(item, found, seen, depth+1)
			}
		}
	case *pickle.Dict:
		if !seen[v] {
			seen[v] = true
			for _, item := range v.Items {
				widths(item, found, seen, depth+1)
			}
		}
	}
}

func (r runs) open(key string, count, width int64) (io.ReadCloser, error) {
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
