package foreign

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"math"
)

const (
	directory = 16 << 20 // largest directory of a zip file, in bytes: 200,000 members
	maxRatio  = 1032     // of deflate: a match of 258 bytes takes at least 2 bits
)

// Zip reads the directory of a zip file of size bytes. It refuses a directory of more than 16 MB, and a member whose
// declared size its compressed bytes cannot expand to. So a member expands to at most 1,032 times its size in the file.
func Zip(in io.ReaderAt, size int64) (*zip.Reader, error) {
	b := &boundedReader{in, directory}
	r, err := zip.NewReader(b, size)
	if err != nil {
		return nil, err
	}
	b.left = math.MaxInt64
	for _, f := range r.File {
		limit := f.CompressedSize64
		if f.Method == zip.Deflate && limit < math.MaxInt64/maxRatio {
			limit = maxRatio * (limit + 1)
		}
		if f.CompressedSize64 > uint64(size) || f.UncompressedSize64 > limit {
			return nil, fmt.Errorf("member %q declares %d bytes, compressed to %d, in a file of %d",
				f.Name, f.UncompressedSize64, f.CompressedSize64, size)
		}
	}
	return r, nil
}

// boundedReader is a ReaderAt that fails after left bytes. archive/zip reads a member where the directory says it is,
// also before the file begins; to the system such an offset is not a fault of the file.
type boundedReader struct {
	io.ReaderAt
	left int64
}

func (b *boundedReader) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 {
		return 0, errors.New("its directory has a member begin before the file does")
	}
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, fmt.Errorf("its directory takes more than %d bytes", directory)
	}
	return b.ReaderAt.ReadAt(p, at)
}
