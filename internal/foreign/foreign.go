// Package foreign opens files that somebody else may have made, and bounds what they cost before the cost is paid. Every
// reader of such a file begins here.
package foreign

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Refused says why a file is not read.
type Refused struct{ Path, Reason string }

func (e *Refused) Error() string { return e.Path + ": " + e.Reason }

// A File is a regular file, open for reading.
type File struct {
	*os.File
	Size int64 // when it was opened
}

// Open opens the regular file at path. A folder, a pipe, a socket or a device is *Refused: a pipe without a writer never
// opens, and a device never ends. Other errors are the file system's.
func Open(path string) (*File, error) {
	info, err := os.Stat(path) // opening a device can have effects
	if err != nil {
		return nil, err
	}
	if err := regular(path, info); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may have become a pipe since
	if err != nil {
		return nil, err
	}
	info, err = f.Stat()
	if err == nil {
		err = regular(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &File{f, info.Size()}, nil
}

// kinds names what is no regular file.
var kinds = []struct {
	mode fs.FileMode
	name string
}{
	{fs.ModeDir, "a folder"}, {fs.ModeNamedPipe, "a named pipe"}, {fs.ModeSocket, "a socket"}, {fs.ModeDevice, "a device"},
}

func regular(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	for _, k := range kinds {
		if info.Mode()&k.mode != 0 {
			return &Refused{path, "want a regular file, got " + k.name}
		}
	}
	return &Refused{path, "want a regular file"}
}

// ReadFile returns the content of the regular file at path; a file of more than most bytes is *Refused.
func ReadFile(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Size > most {
		return nil, tooLong(path, most)
	}
	return ReadAll(path, f, most) // a file can grow, and those of /proc say that they are empty
}

// ReadAll returns everything that in gives; more than most bytes are *Refused, under the name path.
func ReadAll(path string, in io.Reader, most int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > most {
		return nil, tooLong(path, most)
	}
	return b, nil
}

func tooLong(path string, most int64) error {
	return &Refused{path, fmt.Sprintf("want at most %d bytes, and it has more", most)}
}
