package run

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/internal/fault"
)

// CorruptError is the error for a file of a run that can be read but is invalid.
type CorruptError struct {
	Path   string
	Reason string
}

func (e *CorruptError) Error() string { return e.Path + ": " + e.Reason }
func (e *CorruptError) ExitCode() int { return fault.Corrupt }

// wrap makes a *CorruptError of the error about a file that is a link, say.
func wrap(err error) error {
	if bad := (*disk.FileTypeError)(nil); errors.As(err, &bad) {
		return &CorruptError{bad.Path, bad.Reason}
	}
	return err
}

// WriteFile replaces the file path atomically by b: readers see the old contents or the new ones.
func WriteFile(path string, b []byte) error { return wrap(disk.WriteFile(path, b)) }

// folder is what all writing and deleting of the run's files goes through: the folder may come from another person.
func (d *Dir) folder() disk.Folder { return disk.Folder(d.Path) }

// replace is WriteFile for a file of the run.
func (d *Dir) replace(name string, b []byte) error {
	return wrap(d.folder().Replace(name, disk.Bytes(b)))
}

// Replace replaces a file of the run atomically by what write produces. name is relative to the run's folder, like
// figures/curves.svg; Replace makes the folders that are missing. The error is a *CorruptError if one of them is a
// link.
func (d *Dir) Replace(name string, write func(io.Writer) error) error {
	if err := d.folder().MkdirAll(filepath.Dir(name)); err != nil {
		return wrap(err)
	}
	return wrap(d.folder().Replace(name, write))
}

// A way links a name in a folder to a target, which is relative to the name's folder.
type way func(in disk.Folder, target, name string) error

// ways are the ways to link, in order of preference.
var ways = []way{
	func(in disk.Folder, target, name string) error { return in.Symlink(target, name) },
	func(in disk.Folder, target, name string) error { return in.Link(end(in, target, name), name) },
	copyFile,
}

// link atomically links name to target, which is relative to name's folder, by the first way that works.
func link(in disk.Folder, target, name string) error { return linkBy(ways, in, target, name) }

func linkBy(ways []way, in disk.Folder, target, name string) error {
	tmp := disk.Temp(name)
	var errs []error
	for _, way := range ways {
		err := way(in, target, tmp)
		if err == nil {
			errs = []error{in.Rename(tmp, name)}
			break
		}
		errs = append(errs, err)
	}
	in.Remove(tmp) // a rename between two hard links of one file has no effect and leaves both
	return wrap(errors.Join(errs...))
}

// end returns the file that a link from name to target ends at: best.ckpt is itself a link.
func end(in disk.Folder, target, name string) string {
	at := filepath.Join(filepath.Dir(name), target)
	if next, err := in.Readlink(at); err == nil {
		return filepath.Join(filepath.Dir(at), next)
	}
	return at
}

func copyFile(in disk.Folder, target, name string) error {
	from, err := in.OpenFile(end(in, target, name), os.O_RDONLY)
	if err != nil {
		return err
	}
	defer from.Close()
	return in.Create(name, func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	})
}
