package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/attnconv/attnconv/internal/disk"
)

// A Corrupt is a file of a run that can be read but does not hold what it should.
type Corrupt struct {
	Path   string
	Reason string
}

func (e *Corrupt) Error() string { return "run: " + e.Path + ": " + e.Reason }

// wrap says whose error it is; errors of the file system name the file themselves.
func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("run: %w", err)
}

// replace gives path the contents b in one step, which outlives a power cut.
func replace(path string, b []byte) error { return wrap(disk.WriteFile(path, b)) }

// WriteFile gives the file path the contents b in one step: whoever reads it sees the old contents or the new ones.
func WriteFile(path string, b []byte) error { return replace(path, b) }

// settle gives tmp its name, or removes it after an error.
func settle(tmp, path string, err error) error {
	if err == nil {
		err = disk.Rename(tmp, path)
	}
	os.Remove(tmp) // a rename between two names of one file does nothing, and leaves both
	return wrap(err)
}

// ways holds what can stand for a file, best first: each makes path so, given the file's path from path's folder.
var ways = []func(target, path string) error{os.Symlink, hardLink, copyFile}

// link makes path stand for target, a path from path's folder, in one step, by the first way that works here.
func link(target, path string) error { return linkBy(ways, target, path) }

func linkBy(ways []func(target, path string) error, target, path string) error {
	tmp := disk.Temp(path)
	var errs []error
	for _, way := range ways {
		err := way(target, tmp)
		if err == nil {
			return settle(tmp, path, nil)
		}
		errs = append(errs, err)
	}
	return settle(tmp, path, errors.Join(errs...))
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
