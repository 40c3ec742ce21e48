package disk

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/attnconv/attnconv/internal/fault"
)

// A Folder is the path of a folder whose contents another person may have made: a run, a sweep, a folder of data sets.
// Its methods take names relative to it. They follow no links below it and open only regular files, so that nothing in
// the folder makes the program write, delete or wait elsewhere. The folder itself may be reached through a link. If
// somebody exchanges a file for a link at the very moment, the link is followed within the folder and never out of it
// (os.Root).
type Folder string

// FileTypeError is the error for something in a Folder that is neither a regular file nor a folder, or not what is
// wanted.
type FileTypeError struct{ Path, Reason string }

func (e *FileTypeError) Error() string { return e.Path + ": " + e.Reason }
func (e *FileTypeError) ExitCode() int { return fault.Corrupt }

// Split returns the folder and the name of the file at path.
func Split(path string) (Folder, string) { return Folder(filepath.Dir(path)), filepath.Base(path) }

// Path returns the path of a name in the folder.
func (f Folder) Path(name string) string { return filepath.Join(string(f), name) }

// irregular returns the error for a file that is not what is wanted.
func (f Folder) irregular(name, want string, mode fs.FileMode) error {
	got, advice := "a special file", ""
	switch {
	case mode&fs.ModeSymlink != 0:
		got, advice = "a link", "\n  links in such a folder are not followed: put what it points to in its place, or "+
			"remove it"
	case mode.IsDir():
		got = "a folder"
	case mode.IsRegular():
		got = "a file"
	}
	return &FileTypeError{f.Path(name), fmt.Sprintf("want %s, got %s%s", want, got, advice)}
}

// root opens the folder to reach name, whose folders must be none but real ones.
func (f Folder) root(name string) (*os.Root, error) {
	if !filepath.IsLocal(name) {
		return nil, &FileTypeError{f.Path(name), fmt.Sprintf("want a name inside of %s", f)}
	}
	root, err := os.OpenRoot(cmp.Or(string(f), "."))
	if err != nil {
		return nil, err
	}
	if err := f.checkFolders(root, filepath.Dir(filepath.Clean(name))); err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}

// checkFolders returns an error unless dir and each folder on the way to it is a real folder.
func (f Folder) checkFolders(root *os.Root, dir string) error {
	if dir == "." {
		return nil
	}
	if err := f.checkFolders(root, filepath.Dir(dir)); err != nil {
		return err
	}
	info, err := root.Lstat(dir)
	if err != nil {
		return f.whole(err)
	}
	if !info.IsDir() {
		return f.irregular(dir, "a folder", info.Mode())
	}
	return nil
}

// in calls do with the folder open to reach name. Its error gets the whole path.
func (f Folder) in(name string, do func(root *os.Root) error) error {
	root, err := f.root(name)
	if err != nil {
		return err
	}
	defer root.Close()
	return f.whole(do(root))
}

// whole completes the paths of an error of os.Root, which are relative to the folder: those of openat, mkdirat and so
// on.
func (f Folder) whole(err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		if op, ok := strings.CutSuffix(e.Op, "at"); ok && e.Op != "stat" { // os.File's stat has the whole path
			return &fs.PathError{Op: op, Path: f.Path(e.Path), Err: e.Err}
		}
	case *os.LinkError:
		return &os.LinkError{Op: strings.TrimSuffix(e.Op, "at"), Old: f.Path(e.Old), New: f.Path(e.New), Err: e.Err}
	}
	return err
}

// OpenFile opens the regular file name as os.OpenFile does. The error is a *FileTypeError for anything else at that
// name.
func (f Folder) OpenFile(name string, flag int) (file *os.File, err error) {
	err = f.in(name, func(root *os.Root) error {
		for begin := time.Now(); ; {
			info, err := root.Lstat(name)
			switch missing := errors.Is(err, fs.ErrNotExist); {
			case missing && flag&os.O_CREATE != 0:
				file, err = root.OpenFile(name, flag|os.O_EXCL, 0o666)
				if !errors.Is(err, fs.ErrExist) || flag&os.O_EXCL != 0 {
					return err
				}
			case err != nil:
				return err
			case flag&os.O_EXCL != 0:
				return &fs.PathError{Op: "openat", Path: name, Err: fs.ErrExist}
			case !info.Mode().IsRegular():
				return f.irregular(name, "a regular file", info.Mode())
			default: // it may have become a pipe since
				file, err = root.OpenFile(name, flag&^os.O_CREATE|syscall.O_NONBLOCK, 0)
				if !errors.Is(err, fs.ErrNotExist) {
					return f.checkRegular(name, &file, err)
				}
			}
			if time.Since(begin) > patience { // somebody makes and removes it all the time
				return err
			}
		}
	})
	return file, err
}

// checkRegular closes the file and returns an error unless it is regular; err is that of opening it.
func (f Folder) checkRegular(name string, file **os.File, err error) error {
	if err != nil {
		return err
	}
	info, err := (*file).Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = f.irregular(name, "a regular file", info.Mode())
	}
	if err != nil {
		(*file).Close()
		*file = nil
	}
	return err
}

// Lstat describes what is at name, which may be a link.
func (f Folder) Lstat(name string) (info fs.FileInfo, err error) {
	err = f.in(name, func(root *os.Root) error {
		info, err = root.Lstat(name)
		return err
	})
	return info, err
}

// Check returns a *FileTypeError unless name is a regular file or does not exist.
func (f Folder) Check(name string) error {
	info, err := f.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !info.Mode().IsRegular():
		return f.irregular(name, "a regular file", info.Mode())
	}
	return err
}

// Replace is the function Replace for the file name.
func (f Folder) Replace(name string, write func(io.Writer) error) error {
	return f.in(name, func(root *os.Root) error {
		f.sweep(root, name)
		tmp := Temp(name)
		file, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return err
		}
		lock(file) // tells sweep that the file is in use; without locks, sweep goes by the file's age
		err = fill(file, write)
		if err == nil {
			err = rename(root, tmp, name)
		}
		if err != nil {
			root.Remove(tmp)
			return err
		}
		return syncIn(root, filepath.Dir(name))
	})
}

// Create makes the new file name with what write produces. Until it returns, the file may be incomplete.
func (f Folder) Create(name string, write func(io.Writer) error) error {
	file, err := f.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	return fill(file, write)
}

// readers is how long Rename waits for readers of the file that it replaces.
const readers = 500 * time.Millisecond

// Rename renames a file or folder, and replaces a file at the new name. Windows cannot replace an open file: there,
// Rename retries for a while, so that a short read of run.json does not fail the run.
func (f Folder) Rename(from, to string) error {
	return f.in(from, func(root *os.Root) error {
		if err := f.checkFolders(root, filepath.Dir(filepath.Clean(to))); err != nil {
			return err
		}
		return rename(root, from, to)
	})
}

func rename(root *os.Root, from, to string) error {
	for begin := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		err := root.Rename(from, to)
		if err == nil || runtime.GOOS != "windows" || time.Since(begin) > readers {
			return err
		}
	}
}

// Exchange exchanges two entries of the folder, whatever they are, in one step. The error is errors.ErrUnsupported
// where the system or the file system has no such step.
func (f Folder) Exchange(a, b string) error {
	return f.in(a, func(root *os.Root) error {
		dir, err := root.Open(".")
		if err != nil {
			return err
		}
		defer dir.Close()
		err = exchange(int(dir.Fd()), a, b)
		if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
			return errors.ErrUnsupported
		}
		if err != nil {
			return &os.LinkError{Op: "exchangeat", Old: a, New: b, Err: err}
		}
		return nil
	})
}

// Remove removes a file, a link or an empty folder.
func (f Folder) Remove(name string) error {
	return f.in(name, func(root *os.Root) error { return root.Remove(name) })
}

// RemoveAll removes what is at name with all that it contains, if it is there.
func (f Folder) RemoveAll(name string) error {
	err := f.in(name, func(root *os.Root) error { return root.RemoveAll(name) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Mkdir makes a folder. The error is fs.ErrExist if something is at its name.
func (f Folder) Mkdir(name string) error {
	return f.in(name, func(root *os.Root) error { return root.Mkdir(name, 0o777) })
}

// MkdirAll makes a folder, and those that it is in, unless they are there.
func (f Folder) MkdirAll(name string) error {
	if name = filepath.Clean(name); name == "." {
		return os.MkdirAll(cmp.Or(string(f), "."), 0o777)
	}
	err := f.Mkdir(name)
	if errors.Is(err, fs.ErrNotExist) {
		if err := f.MkdirAll(filepath.Dir(name)); err != nil {
			return err
		}
		err = f.Mkdir(name)
	}
	if errors.Is(err, fs.ErrExist) {
		return f.in(name, func(root *os.Root) error { return f.checkFolders(root, name) })
	}
	return err
}

// ReadDir lists the folder name, in the order of the names.
func (f Folder) ReadDir(name string) (list []fs.DirEntry, err error) {
	err = f.in(name, func(root *os.Root) error {
		if err := f.checkFolders(root, filepath.Clean(name)); err != nil {
			return err
		}
		list, err = readDir(root, name)
		return err
	})
	return list, err
}

func readDir(root *os.Root, name string) ([]fs.DirEntry, error) {
	dir, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	list, err := dir.ReadDir(-1)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, err
}

// Symlink makes a link, which no method follows.
func (f Folder) Symlink(target, name string) error {
	return f.in(name, func(root *os.Root) error { return root.Symlink(target, name) })
}

// Readlink returns the target of a link.
func (f Folder) Readlink(name string) (target string, err error) {
	err = f.in(name, func(root *os.Root) error {
		target, err = root.Readlink(name)
		return err
	})
	return target, err
}

// Link makes name a hard link of the file old.
func (f Folder) Link(old, name string) error {
	return f.in(name, func(root *os.Root) error {
		if err := f.checkFolders(root, filepath.Dir(filepath.Clean(old))); err != nil {
			return err
		}
		return root.Link(old, name)
	})
}

// Sync makes entries that were created, renamed or removed in the folder survive a power cut, on systems that support
// it.
func (f Folder) Sync() error {
	return f.in(".", func(root *os.Root) error { return syncIn(root, ".") })
}

// syncIn is Sync for a folder below root.
func syncIn(root *os.Root, dir string) error {
	if runtime.GOOS == "windows" {
		return nil // a folder cannot be synced there
	}
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// Ages below which sweep keeps a temporary file: without a lock on it, as its writer may be about to take one, and
// where the file system has no locks.
const (
	young = time.Minute
	old   = time.Hour
)

// sweep removes the temporary files of name whose writers were killed. It ignores errors: a file that stays is
// harmless.
func (f Folder) sweep(root *os.Root, name string) {
	dir, base := filepath.Dir(name), filepath.Base(name)
	list, err := readDir(root, dir)
	if err != nil {
		return
	}
	for _, e := range list {
		of, ok := TempOf(e.Name())
		if !ok || of != base || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) < young {
			continue
		}
		left := filepath.Join(dir, e.Name())
		held, err := f.Held(left)
		if !held && (err == nil || time.Since(info.ModTime()) > old) {
			root.Remove(left)
		}
	}
}
