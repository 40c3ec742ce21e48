package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/attnconv/attnconv/internal/disk"
)

// Corrupt is the error for a file of a run that can be read but is invalid.
type Corrupt struct {
	Path   string
	Reason string
}

func (e *Corrupt) Error() string { return "run: " + e.Path + ": " + e.Reason }

// wrap prefixes err with the package; errors of the file system name the file themselves.
func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("run: %w", err)
}

func replace(path string, b []byte) error { return wrap(disk.WriteFile(path, b)) }

// WriteFile replaces the file path atomically by b: readers see the old contents or the new ones.
func WriteFile(path string, b []byte) error { return replace(path, b) }

// commit renames tmp to path, or removes it after an error.
func commit(tmp, path string, err error) error {
	if err == nil {
		err = disk.Rename(tmp, path)
	}
	os.Remove(tmp) // a rename between two hard links of one file has no effect and leaves both
	return wrap(err)
}

// ways are the ways to link path to target, which is relative to path's folder, in order of preference.
var ways = []func(target, path string) error{os.Symlink, hardLink, copyFile}

// link atomically links path to target, which is relative to path's folder, by the first way that works.
func link(target, path string) error { return linkBy(ways, target, path) }

func linkBy(ways []func(target, path string) error, target, path string) error {
	tmp := disk.Temp(path)
	var errs []error
	for _, way := range ways {
		err := way(target, tmp)
		if err == nil {
			return commit(tmp, path, nil)
		}
		errs = append(errs, err)
	}
	return commit(tmp, path, errors.Join(errs...))
}

func hardLink(target, path string) error {
	from, err := filepath.EvalSymlinks(filepath.Join(filepath.Dir(path), target))
	if err != nil {
		return err
	}
	return os.Link(from, path)
}

func copyFile(target, path string) error {
	in, err := os.Open(filepath.Join(filepath.Dir(path), target))
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}
