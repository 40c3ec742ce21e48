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
	"runtime"
	"syscall"
	"time"
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

// Replace replaces the file path atomically by what write produces: readers, also after a power cut, see the old file or
// the new one. A process that is killed half-way leaves at most a hidden file (see Temp), which a later Replace of the
// same path removes. If path is a link, Replace replaces the link, not its target.
func Replace(path string, write func(io.Writer) error) error {
	sweep(path)
	tmp := Temp(path)
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	lock(f) // tells sweep that the file is in use; without locks, sweep goes by the file's age
	err = fill(f, write)
	if err == nil {
		err = Rename(tmp, path)
	}
	if err != nil {
		os.Remove(tmp)
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

// Create makes the file path with what write produces. Until it returns, path may be incomplete: it is for files in a
// folder that is renamed into place once it is complete.
func Create(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return fill(f, write)
}

// fill writes, syncs and closes f.
func fill(f *os.File, write func(io.Writer) error) error {
	err := write(f)
	if err == nil {
		err = f.Sync() // before a rename, or a power cut could leave the name on an empty file
	}
	return errors.Join(err, f.Close())
}

// readers is how long Rename waits for readers of the file that it replaces.
const readers = 500 * time.Millisecond

// Rename is os.Rename. Windows cannot replace an open file: there, Rename retries for a while, so that a short read of
// run.json does not fail the run.
func Rename(from, to string) error {
	for begin := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		err := os.Rename(from, to)
		if err == nil || runtime.GOOS != "windows" || time.Since(begin) > readers {
			return err
		}
	}
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

// SyncFolder makes entries that were created, renamed or removed in dir survive a power cut, on systems that support it.
func SyncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // a folder cannot be synced there
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// Ages below which sweep keeps a temporary file: without a lock on it, as its writer may be about to take one, and where
// the file system has no locks.
const (
	young = time.Minute
	old   = time.Hour
)

// sweep removes the temporary files of path whose writers were killed. It ignores errors: a file that stays is harmless.
func sweep(path string) {
	dir, name := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range list {
		of, ok := TempOf(e.Name())
		if !ok || of != name || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) < young {
			continue
		}
		left := filepath.Join(dir, e.Name())
		held, err := Held(left)
		if !held && (err == nil || time.Since(info.ModTime()) > old) {
			os.Remove(left)
		}
	}
}
