package foreign

import (
	"archive/zip"
	"fmt"
	"io"
	"math"
)

const (
	directory = 16 << 20 // bytes of a zip file's directory: 200,000 members
	densest   = 1032     // bytes that deflate makes of one at most: 258 by 2 bits
)

// Zip reads the directory of a zip file of size bytes. It refuses a directory of more than 16 MB, and a member whose
// declared size its compressed bytes cannot give. So a member costs at most 1,032 times what it takes in the file.
func Zip(in io.ReaderAt, size int64) (*zip.Reader, error) {
	b := &bounded{in, directory}
	r, err := zip.NewReader(b, size)
	if err != nil {
		return nil, err
	}
	b.left = math.MaxInt64
	for _, f := range r.File {
		most := f.CompressedSize64
		if f.Method == zip.Deflate && most < math.MaxInt64/densest {
			most = densest * (most + 1)
		}
		if f.CompressedSize64 > uint64(size) || f.UncompressedSize64 > most {
			return nil, fmt.Errorf("member %q says that it has %d bytes, %d of them compressed, in a file of %d",
				f.Name, f.UncompressedSize64, f.CompressedSize64, size)
		}
	}
	return r, nil
}

// bounded refuses to read once left bytes were read.
type bounded struct {
	io.ReaderAt
	left int64
}

func (b *bounded) ReadAt(p []byte, at int64) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, fmt.Errorf("its directory takes more than %d bytes", directory)
	}
	return b.ReaderAt.ReadAt(p, at)
}
