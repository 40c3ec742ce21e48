// Package sets finds, reads, makes and keeps data sets: CIFAR-10 and CIFAR-100, Fashion-MNIST and other IDX files,
// folders, arrays, images of a program, and shapes32 and relations32, which are drawn here.
//
//	files, images, a name in Kinds ── Open, New ── data.Set ── Import ── the data folder
//
// Stable: Open, New, FromImages, Register, the errors, and digests. What the commands for stored sets need (StoredSet,
// Get, ImportFrom and their options) may change.
package sets

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/foreign"
)

// openImported reads a set by the name that it has in the data folder dir.
func openImported(dir, name string) (*data.Set, error) {
	s, err := openPacked(filepath.Join(dir, name))
	if err == nil {
		s.Name = name // also where its folder was renamed
	}
	return s, err
}

// Open reads the set o.Name, looking for files in dir (a folder; or the archive itself). The error is a
// *data.MissingError when the set is not there, a *data.CorruptError when a file of it is not what it should be, an
// *option.Error for what can be no name.
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
	_, err := find(dir, o.Name)
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

// With returns s with the normalization of o or, where its kind has options of its own, the set that is made with those
// of o. dir is the data folder.
func With(s *data.Set, o data.Options, dir string) (*data.Set, error) {
	o.Name = s.Name
	if OptionsOf(o) == nil {
		return s.With(o)
	}
	return Open(o, dir)
}

// open reads the set, looking for files in dir. o has its own options.
func (k Kind) open(o data.Options, dir string) (*data.Set, error) {
	switch {
	case k.layouts != nil:
		return k.layouts.open(dir)
	case k.idx != nil:
		return k.idx.open(k.Name, dir)
	case k.BuiltIn():
		return k.made(o)
	}
	return k.openFirst(o, dir)
}

// made makes a set that is built in.
func (k Kind) made(o data.Options) (*data.Set, error) {
	o.Name = k.Name
	s := k.Make(o)
	if s == nil {
		return nil, fmt.Errorf("%s: Kind.Make returned no set", k.Name)
	}
	if err := cmp.Or(s.Train.Check(), s.Test.Check()); err != nil {
		return nil, fmt.Errorf("%s: %w", k.Name, err)
	}
	s.Name, s.Classes, s.HeldOut, s.Stream = k.Name, k.Classes, k.ValSize, "holdout/"+k.Name
	return finish(s), nil
}

// openFirst opens the first set of k.First that is there: never a silent stand-in, so the set's Name and Note say what
// was chosen. The error is the first set's where none is there.
func (k Kind) openFirst(o data.Options, dir string) (*data.Set, error) {
	var lacks error
	for _, name := range k.First {
		s, err := Kinds.Find(name).open(o, dir)
		switch missing := (*data.MissingError)(nil); {
		case errors.As(err, &missing):
			if lacks == nil {
				lacks = missing
			}
			continue
		case err == nil && lacks != nil:
			what := name
			if Kinds.Find(name).BuiltIn() {
				what = "the built-in " + name
			}
			errors.As(lacks, &missing)
			s.Note = fmt.Sprintf("%s is not in %s: taking %s", missing.Name, missing.Dir, what)
		}
		return s, err
	}
	return nil, lacks
}

// Auto is the set that auto means in the data folder dir: the first that is there or is built in. It opens nothing. A
// damaged set is there, so that Open reports it.
func Auto(dir string) string {
	first := Kinds.Find("auto").First
	for _, name := range first {
		missing := (*data.MissingError)(nil)
		if _, err := find(dir, name); !errors.As(err, &missing) || Kinds.Find(name).BuiltIn() {
			return name
		}
	}
	return first[0]
}

// kindOf finds the kind of o's name: one of the table, a set that was imported into dir under it, or a folder.
func kindOf(o data.Options, dir string) (open func(dir string) (*data.Set, error), ok bool) {
	name := o.Name
	if k := Kinds.Find(name); k != nil {
		return func(dir string) (*data.Set, error) { return k.open(o, dir) }, true
	}
	if checkName(name) == nil {
		if _, there := packedAt(dir, name); there {
			return func(dir string) (*data.Set, error) { return openImported(dir, name) }, true
		}
	}
	if !looksLikeFolder(name) {
		return nil, false
	}
	return func(string) (*data.Set, error) { return OpenFolder(name) }, true
}

// Known returns nil where Open knows what name is in the data folder dir, else an *option.Error that lists the names
// there are. It opens nothing.
func Known(name, dir string) error {
	if _, ok := kindOf(data.Options{Name: name}, dir); ok {
		return nil
	}
	return unknownError(name, packedIn(dir)...)
}

// ClassNames returns what the labels of the set called name mean, without reading an image; dir is the data folder. It
// is nil for a set that is not there and not known by its name.
func ClassNames(name, dir string) []string {
	if name == "auto" {
		name = Auto(dir)
	}
	if k := Kinds.Find(name); k != nil {
		return slices.Clone(k.Classes)
	}
	folder := name
	if checkName(name) == nil && isPacked(filepath.Join(dir, name)) {
		folder = filepath.Join(dir, name)
	}
	if isPacked(folder) {
		p, _ := readPacked(folder) // of a damaged one, there are none
		return p.Classes
	}
	found, err := surveyFolder(name)
	if err == nil {
		return found.classes
	}
	root := filepath.Join(name, "train") // its pictures may be gone
	if !isDir(root) {
		root = name
	}
	var names []string
	entries, _ := os.ReadDir(root)
	for _, e := range entries {
		if !foreign.Hidden(e.Name()) && isDir(filepath.Join(root, e.Name())) {
			names = append(names, e.Name())
		}
	}
	return names
}

// open reads the set that was imported under name into the data folder dir, or into dir itself.
func (i *idxSet) open(name, dir string) (*data.Set, error) {
	at, err := i.stored(name, dir)
	if err != nil {
		return nil, err
	}
	return openPacked(at[0].Path)
}
