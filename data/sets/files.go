package sets

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/internal/memory"
)

// fitsMemory refuses a set at path of n images of the given size that takes more memory than there is.
func fitsMemory(path string, n, bytes int) error {
	if err := memory.Check(int64(n) * int64(bytes)); err != nil {
		return corrupt(path, nil, "%d images: it %v", n, err)
	}
	return nil
}

// open opens a file of a data set. The error is a *data.CorruptError.
func open(path string) (*foreign.File, error) {
	f, err := foreign.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	return f, nil
}

// unreadable is the *data.CorruptError of a file that cannot be read, or must not be.
func unreadable(path string, err error) error {
	if refused := (*foreign.RefusalError)(nil); errors.As(err, &refused) {
		return &data.CorruptError{Path: path, Reason: refused.Reason}
	}
	return corrupt(path, err, "want a readable file")
}

func corrupt(path string, cause error, format string, args ...any) error {
	return &data.CorruptError{Path: path, Reason: fmt.Sprintf(format, args...), Err: cause}
}

// looksLikeFolder reports whether name is a path rather than the name of a set.
func looksLikeFolder(name string) bool {
	if name == "" {
		return false
	}
	if strings.HasPrefix(name, ".") || strings.ContainsRune(filepath.ToSlash(name), '/') {
		return true
	}
	return isDir(name)
}

// reason is what is wrong, without the path.
func reason(e *data.CorruptError) string {
	if e.Err != nil {
		return e.Reason + ": " + e.Err.Error()
	}
	return e.Reason
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// cause puts an early end in words.
func cause(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends early")
	}
	return err
}

// atEnd requires the end of an array; with it comes the checksum of the zip file.
func atEnd(in io.Reader) error {
	switch n, err := io.CopyN(io.Discard, in, 1); {
	case n > 0:
		return errors.New("it goes on")
	case err != io.EOF:
		return err
	}
	return nil
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// Bounds of what a packed file may unpack to: gzip makes up to 1,032 bytes of one, and images no more than a tenth of
// that. A small file of black pictures could otherwise fill a disk.
const (
	deflateRatio = 1032
	freeUnpacked = 64 << 20 // bytes
	mostUnpacked = 100      // bytes of one, above that
)

// unpacksTo is the most bytes that images and labels may have that are packed into size bytes.
func unpacksTo(size int64) int64 {
	size = min(size, math.MaxInt64/(2*deflateRatio))
	return min(deflateRatio*size, freeUnpacked+mostUnpacked*size)
}

// checkFinite is the error for the first value that is not finite.
func checkFinite(values []float32) error {
	for j, v := range values {
		if x := float64(v); math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("value %d is %v: want finite ones", j+1, v)
		}
	}
	return nil
}
