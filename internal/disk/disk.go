// Package disk writes files that survive a kill and a power cut, and takes locks that the kernel releases when the
// process that holds them ends, however it ends.
package disk

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
)

// Temp returns the name of a hidden file next to path, to be renamed to it: .NAME.PID-RANDOM.tmp.
func Temp(path string) string {
	dir, name := filepath.Split(path)
	return filepath.Join(dir, fmt.Sprintf(".%s.%d-%08x.tmp", name, os.Getpid(), rand.Uint32()))
}

var temp = regexp.MustCompile(`^\.(.+)\.\d+-[0-9a-f]{8}\.tmp$`)

// TempOf returns the name of the file that the temporary file name was to replace, or false if Temp makes no such name.
func TempOf(name string) (string, bool) {
	m := temp.FindStringSubmatch(name)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// Replace replaces the file path atomically by what write produces: readers, also after a power cut, see the old file
// or the new one. A process that is killed half-way leaves at most a hidden file (see Temp), which a later Replace of
// the same path removes. If path is a link, Replace replaces the link, not its target.
func Replace(path string, write func(io.Writer) error) error {
	folder, name := Split(path)
	return folder.Replace(name, write)
}

// fill writes, syncs and closes f.
func fill(f *os.File, write func(io.Writer) error) error {
	err := write(f)
	if err == nil {
		err = f.Sync() // before a rename, or a power cut could leave the name on an empty file
	}
	return errors.Join(err, f.Close())
}

// WriteFile replaces the file path atomically by b; see Replace.
func WriteFile(path string, b []byte) error { return Replace(path, Bytes(b)) }

// Bytes returns a function for Replace or Create that writes b.
func Bytes(b []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
}
