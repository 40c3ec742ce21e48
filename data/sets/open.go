// Package sets finds, reads, makes and keeps data sets: CIFAR-10 and CIFAR-100, Fashion-MNIST and other IDX files,
// folders, arrays, images of a program, and shapes32 and relations32, which are drawn here.
//
//	files, images, a name in Kinds ── Open, New ── data.Set ── Import ── the data folder
//
// Stable: Open, New, FromImages, Register, the errors, and digests. What the commands for stored sets need (StoredSet,
// Get, ImportFrom and their options) may change.
package sets

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/internal/memory"
	"github.com/attnconv/attnconv/internal/table"
)

// openImported reads a set by the name that it has in the data folder dir.
func openImported(dir, name string) (*data.Set, error) {
	s, err := openPacked(filepath.Join(dir, name))
	if err == nil {
		s.Name = name // also where its folder was renamed
	}
	return s, err
}

// Open reads the set o.Name, looking for files in dir (a folder; or the archive itself). The error is a *MissingError
// when the set is not there, a *CorruptError when a file of it is not what it should be, an *option.Error for what can
// be no name.
func Open(o data.Options, dir string) (*data.Set, error) {
	if open, ok := kindOf(o, dir); ok {
		s, err := open(dir)
		if err != nil {
			return nil, err
		}
		return s.With(o)
	}
	if checkName(o.Name) != nil {
		return nil, unknownError(o.Name)
	}
	_, err := Find(dir, o.Name)
	return nil, err
}

// Dir is the data folder unless the user names one: $ATTNCONV_DATA, else attnconv in the user's cache folder.
func Dir() string {
	if dir := os.Getenv("ATTNCONV_DATA"); dir != "" {
		return dir
	}
	cache, err := os.UserCacheDir()
	if err != nil { // no home folder: a container
		return "data"
	}
	return filepath.Join(cache, "attnconv")
}

// MissingError says that a data set is not there.
type MissingError struct {
	Name string // of the set, or a path
	Dir  string // where it was looked for
}

func (e *MissingError) Error() string {
	archives, files := Downloads(e.Name), Files(e.Name)
	get, have := "", ""
	switch {
	case e.Name == e.Dir:
		return fmt.Sprintf("%s is not there", e.Dir)
	case files != nil:
		total := int64(0)
		for _, f := range files {
			total += f.Size
		}
		get, have = fmt.Sprintf("%s, or none of it: apt install dataset-%s", table.Size(total), e.Name), "DIR"
	case archives != nil:
		get, have = table.Size(archives[0].Size)+", from a slow host", archives[1].File
	default:
		return fmt.Sprintf("data set %q is not in %s\n  to list them: attnconv data ls   a new one: attnconv data "+
			"import PATH", e.Name, e.Dir)
	}
	return fmt.Sprintf(`data set %q is not here yet
  looked in:   %s
  get it:      attnconv data get %[1]s   # %[3]s
  have a copy: attnconv data import %[4]s
  no data:     attnconv train --encoding quadratic --data shapes32`, e.Name, e.Dir, get, have)
}

func (e *MissingError) ExitCode() int { return fault.Missing }

// CorruptError says that a file is not what it should be.
type CorruptError struct {
	Path   string // of the file; inside an archive, ARCHIVE: ENTRY
	Reason string // what was wanted and what came
	Err    error  // the cause, may be nil
}

func (e *CorruptError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Path, e.Reason, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Path, e.Reason)
}

func (e *CorruptError) ExitCode() int { return fault.Corrupt }

func (e *CorruptError) Unwrap() error { return e.Err }

// fitsMemory refuses a set at path of n images of the given size that takes more memory than there is.
func fitsMemory(path string, n, bytes int) error {
	if err := memory.Check(int64(n) * int64(bytes)); err != nil {
		return corrupt(path, nil, "%d images: it %v", n, err)
	}
	return nil
}

// open opens a file of a data set. The error is a *CorruptError.
func open(path string) (*foreign.File, error) {
	f, err := foreign.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	return f, nil
}

// unreadable is the *CorruptError of a file that cannot be read, or must not be.
func unreadable(path string, err error) error {
	if refused := (*foreign.RefusalError)(nil); errors.As(err, &refused) {
		return &CorruptError{Path: path, Reason: refused.Reason}
	}
	return corrupt(path, err, "want a readable file")
}

func corrupt(path string, cause error, format string, args ...any) error {
	return &CorruptError{Path: path, Reason: fmt.Sprintf(format, args...), Err: cause}
}

// With returns s with the normalization of o or, where its kind has options of its own, the set that is made with those
// of o. dir is the data folder.
func With(s *data.Set, o data.Options, dir string) (*data.Set, error) {
	o.Name = s.Name
	if OptionsOf(o) == nil {
		return s.With(o)
	}
	return Open(o, dir)
}

// looksLikeFolder reports whether name is a path rather than the name of a set.
func looksLikeFolder(name string) bool {
	if name == "" {
		return false
	}
	if strings.HasPrefix(name, ".") || strings.ContainsRune(filepath.ToSlash(name), '/') {
		return true
	}
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
