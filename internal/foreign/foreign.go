// Package foreign opens untrusted files and bounds what reading them costs before any memory is allocated. Every reader
// of a file that attnconv may not have written begins here.
package foreign

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// RefusalError is the error for a file that is not read, with the reason.
type RefusalError struct{ Path, Reason string }

func (e *RefusalError) Error() string { return e.Path + ": " + e.Reason }

// A File is a regular file, open for reading.
type File struct {
	*os.File
	Size int64 // when it was opened
}

// Open opens the regular file at path. It returns *RefusalError for a folder, a pipe, a socket or a device: opening a
// pipe without a writer blocks for ever, and a device may never end. Other errors are the file system's.
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

// kinds names the file types that are not regular.
var kinds = []struct {
	mode fs.FileMode
	name string
}{
	{fs.ModeDir, "a folder"}, {fs.ModeNamedPipe, "a named pipe"}, {fs.ModeSocket, "a socket"},
	{fs.ModeDevice, "a device"},
}

func regular(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	for _, k := range kinds {
		if info.Mode()&k.mode != 0 {
			return &RefusalError{path, "want a regular file, got " + k.name}
		}
	}
	return &RefusalError{path, "want a regular file"}
}

// ReadFile returns the content of the regular file at path, or *RefusalError if it has more than limit bytes.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Size > limit {
		return nil, tooLong(path, limit)
	}
	return ReadAll(path, f, limit) // a file can grow, and those of /proc report size 0
}

// ReadAll reads in to its end, or returns *RefusalError, which names path, after more than limit bytes.
func ReadAll(path string, in io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > limit {
		return nil, tooLong(path, limit)
	}
	return b, nil
}

func tooLong(path string, limit int64) error {
	return &RefusalError{path, fmt.Sprintf("want at most %d bytes, and it has more", limit)}
}
