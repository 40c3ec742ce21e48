package torch

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/internal/pickle"
)

func isZip(in io.ReaderAt) bool { return begins(in, "PK\x03\x04") }

// members are those of a zip file, by name without the folder that all are in.
type members map[string]*zip.File

// readZip reads a file of PyTorch 1.6 or later.
func readZip(in io.ReaderAt, size int64) (content any, from source, err error) {
	archive, err := foreign.Zip(in, size)
	if err != nil {
		return nil, nil, err
	}
	folder, all := "", members{}
	for _, f := range archive.File {
		if dir, file := path.Split(f.Name); file == "data.pkl" && strings.Count(dir, "/") == 1 {
			folder = dir
		}
	}
	for _, f := range archive.File {
		if name, ok := strings.CutPrefix(f.Name, folder); ok && folder != "" {
			all[name] = f
		}
	}
	if folder == "" {
		return nil, nil, errors.New("a zip file, but none of torch.save's: no data.pkl is in it")
	}
	if _, ok := all["byteorder"]; ok {
		if order, err := all.read("byteorder", 16); err != nil || string(order) != "little" {
			return nil, nil, fmt.Errorf("byte order %q: want little", order)
		}
	}
	b, err := all.read("data.pkl", maxPickle)
	if err != nil {
		return nil, nil, err
	}
	content, _, _, err = pickle.ParseTorch(b)
	return content, all, err
}

// read returns a member of at most limit bytes.
func (m members) read(name string, limit uint64) ([]byte, error) {
	f := m[name]
	if f.UncompressedSize64 > limit {
		return nil, fmt.Errorf("%s has %d bytes: want at most %d", name, f.UncompressedSize64, limit)
	}
	in, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer in.Close()
	return io.ReadAll(in)
}

func (m members) open(key string, count, width int64) (io.ReadCloser, error) {
	f, ok := m["data/"+key]
	if !ok {
		return nil, fmt.Errorf("its storage %.40q is not there", key)
	}
	if f.Method != zip.Store || f.UncompressedSize64 != uint64(count*width) {
		return nil, fmt.Errorf("its storage has %d bytes, compressed by method %d: want %d, not compressed",
			f.UncompressedSize64, f.Method, count*width)
	}
	return f.Open()
}
