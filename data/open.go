package data

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/internal/memory"
)

// A Kind is a data set by name.
type Kind struct {
	Name string
	Help string
	open func(dir string) (*Set, error)
}

// Kinds are the sets that Options.Name may name everywhere; any other name is that of a set that was imported, or the
// path of a folder of images.
var Kinds = []Kind{
	{"auto", "cifar10 if it is in the data folder, else shapes32", openAuto},
	{"cifar10", "CIFAR-10: 50,000 + 10,000 photographs of 10 classes", cifar10Forms.open},
	{"cifar100", "CIFAR-100: 50,000 + 10,000 photographs of 100 classes (fine labels)", cifar100Forms.open},
	{"shapes32", "10,000 + 2,000 drawings of 10 shapes, built in", func(string) (*Set, error) { return Shapes(), nil }},
}

// KindNames are the names in Kinds.
func KindNames() []string {
	names := make([]string, len(Kinds))
	for i, k := range Kinds {
		names[i] = k.Name
	}
	return names
}

// kindOf finds the kind of a name: one of the table, a set that was imported into dir under it, or a folder.
func kindOf(name, dir string) (Kind, bool) {
	for _, k := range Kinds {
		if k.Name == name {
			return k, true
		}
	}
	if checkName(name) == nil && isPacked(filepath.Join(dir, name)) {
		return Kind{Name: name, open: func(dir string) (*Set, error) { return openImported(dir, name) }}, true
	}
	if !looksLikeFolder(name) {
		return Kind{}, false
	}
	return Kind{Name: name, open: func(string) (*Set, error) { return OpenFolder(name) }}, true
}

// openImported reads a set by the name that it has in the data folder dir.
func openImported(dir, name string) (*Set, error) {
	s, err := openPacked(filepath.Join(dir, name))
	if err == nil {
		s.Name = name // also where its folder was renamed
	}
	return s, err
}

// Known returns nil where Open knows what name is in the data folder dir, else an *invalid.Error that lists the names
// there are. It opens nothing.
func Known(name, dir string) error {
	if _, ok := kindOf(name, dir); ok {
		return nil
	}
	return unknown(name, packedIn(dir)...)
}

// unknown is the error for a name that is none: neither in Kinds, nor imported, nor a folder.
func unknown(name string, imported ...string) error {
	known := KindNames()
	for _, i := range imported {
		if !slices.Contains(known, i) {
			known = append(known, i)
		}
	}
	return invalid.Choice("data.name", name, append(known, "DIR"))
}

// Open reads the set o.Name, looking for files in dir (a folder; or the archive itself). The error is a *Missing when
// the set is not there, a *Corrupt when a file of it is not what it should be, an *invalid.Error for what can be no name.
func Open(o Options, dir string) (*Set, error) {
	if k, ok := kindOf(o.Name, dir); ok {
		return k.open(dir)
	}
	if checkName(o.Name) != nil {
		return nil, unknown(o.Name)
	}
	_, err := Find(dir, o.Name)
	return nil, err
}

// openAuto is the default: never a silent stand-in, so the set's Name and Note say what was chosen.
func openAuto(dir string) (*Set, error) {
	s, err := cifar10Forms.open(dir)
	if missing := (*Missing)(nil); errors.As(err, &missing) {
		s := Shapes()
		s.Note = fmt.Sprintf("%s is not in %s: taking the built-in %s", missing.Name, missing.Dir, s.Name)
		return s, nil
	}
	return s, err
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

// Missing says that a data set is not there.
type Missing struct {
	Name   string   // of the set
	Dir    string   // where it was looked for
	Looked []string // every path that would have done
}

func (e *Missing) Error() string {
	if len(e.Looked) == 0 {
		return fmt.Sprintf("data: %s is not there", e.Dir)
	}
	return fmt.Sprintf("data: %s is not in %s; looked for %s", e.Name, e.Dir, strings.Join(e.Looked, ", "))
}

// Corrupt says that a file is not what it should be.
type Corrupt struct {
	Path   string // of the file; inside an archive, ARCHIVE: ENTRY
	Reason string // what was wanted and what came
	Err    error  // the cause, may be nil
}

func (e *Corrupt) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("data: %s: %s: %v", e.Path, e.Reason, e.Err)
	}
	return fmt.Sprintf("data: %s: %s", e.Path, e.Reason)
}

func (e *Corrupt) Unwrap() error { return e.Err }

// fitsMemory refuses a set of n images at path that takes more memory than there is.
func fitsMemory(path string, n int) error {
	if err := memory.Check(int64(n) * int64(rgb32.Size()+1)); err != nil {
		return corrupt(path, nil, "%d images: it %v", n, err)
	}
	return nil
}

// open opens a file of a data set. The error is a *Corrupt.
func open(path string) (*foreign.File, error) {
	f, err := foreign.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	return f, nil
}

// unreadable is the *Corrupt of a file that cannot be read, or must not be.
func unreadable(path string, err error) error {
	if refused := (*foreign.Refused)(nil); errors.As(err, &refused) {
		return &Corrupt{Path: path, Reason: refused.Reason}
	}
	return corrupt(path, err, "want a readable file")
}

func corrupt(path string, cause error, format string, args ...any) error {
	return &Corrupt{Path: path, Reason: fmt.Sprintf(format, args...), Err: cause}
}
