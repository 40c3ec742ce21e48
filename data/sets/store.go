package sets

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/disk"
)

// A StoredSet is a data set in the data folder, in one of its layouts.
type StoredSet struct {
	Name    string
	Layout  string // what it is: CIFAR-10 binary archive; imported CIFAR-10 python archive
	Path    string // its folder or its archive
	Bytes   int64  // of all its files
	Train   int    // images
	Val     int
	Test    int
	Altered bool // images were decoded from JPEG or the like, or resized, when it was imported

	dir    string // the data folder
	place  place  // of a distribution of CIFAR
	packed bool
}

// find lists the places in dir where the set called name is; Open takes the first. The error is a *data.MissingError if
// there is none, a *data.CorruptError if there is only a damaged one.
func find(dir, name string) ([]StoredSet, error) {
	if k := Kinds.Find(name); k != nil && k.layouts != nil {
		return k.layouts.stored(dir)
	} else if k != nil && k.idx != nil {
		return k.idx.stored(name, dir)
	}
	if checkName(name) != nil {
		return nil, missing(name, dir)
	}
	folder, there := packedAt(dir, name)
	if !there {
		return nil, missing(name, dir)
	}
	s, err := storedPacked(dir, folder)
	return []StoredSet{s}, err
}

// storedIn lists every set in dir, each where Open finds it first. A damaged set is an error, and is not in the list.
func storedIn(dir string) (list []StoredSet, err error) {
	names := packedIn(dir)
	for _, f := range sets() {
		if !slices.Contains(names, f.name()) {
			names = append(names, f.name())
		}
	}
	for _, k := range Kinds {
		if k.idx != nil && !slices.Contains(names, k.Name) {
			names = append(names, k.Name)
		}
	}
	var missing *data.MissingError
	for _, name := range names {
		found, findErr := find(dir, name)
		switch {
		case errors.As(findErr, &missing):
		case findErr != nil:
			err = errors.Join(err, findErr)
		default:
			list = append(list, found[0])
		}
	}
	return list, err
}

// Sets describes every set in dir, and those that are built in. It reads no images. A damaged set is an error; the
// other sets are described all the same.
func Sets(dir string) (Catalog, error) {
	r := Catalog{V: 1, Dir: dir, Sets: []CatalogEntry{}}
	list, err := storedIn(dir)
	for _, s := range list {
		r.Sets = append(r.Sets, CatalogEntry{Name: s.Name, Form: s.Layout, Path: s.Path, Train: s.Train, Val: s.Val,
			Test:  s.Test,
			Bytes: s.Bytes, Altered: s.Altered})
	}
	for _, k := range Kinds {
		if k.BuiltIn() {
			r.Sets = append(r.Sets, CatalogEntry{Name: k.Name, Form: "built in", Train: k.Train, Test: k.Test})
		}
	}
	return r, err
}

// Stores lists the places in dir of the sets with these names, each set where Open finds it first. Without names, it
// lists every set in dir: a damaged set is then an error, and is not in the list. Of a name, the error is a
// *data.MissingError if there is no such set, a *data.CorruptError if there is only a damaged one.
func Stores(dir string, names ...string) (list []StoredSet, err error) {
	if len(names) == 0 {
		return storedIn(dir)
	}
	for _, name := range names {
		found, err := find(dir, name)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// stored lists the places of f's set in dir.
func (f layouts) stored(dir string) (list []StoredSet, err error) {
	for _, folder := range places(dir, f.name()) {
		s, packedErr := storedPacked(dir, folder)
		if packedErr != nil {
			return nil, packedErr
		}
		if s.Name == f.name() {
			list = append(list, s)
		}
	}
	places, err := f.places(dir)
	for _, at := range places {
		s := StoredSet{
			dir: dir, Name: f.name(), Path: at.path, Layout: at.layout.title + " folder",
			Bytes: at.layout.sizeIn(at.path),
			Train: len(at.layout.train) * at.layout.perTrain, Test: at.layout.perTest, place: at,
		}
		if at.archive {
			s.Layout, s.Bytes = at.layout.title+" archive", sizeOf(at.path)
		}
		list = append(list, s)
	}
	if len(list) > 0 {
		err = nil
	}
	return list, err
}

func storedPacked(dir, folder string) (StoredSet, error) {
	p, err := readPacked(folder)
	s := StoredSet{
		dir: dir, Name: p.Name, Layout: "imported " + p.Source, Path: folder, Altered: p.Altered, packed: true,
		Train: p.Images.Train, Val: p.Images.Val, Test: p.Images.Test,
	}
	for _, file := range packedFiles {
		s.Bytes += sizeOf(filepath.Join(folder, file))
	}
	return s, err
}

// sizeIn is the size of the set's files in folder.
func (l layout) sizeIn(folder string) (n int64) {
	for _, file := range l.files() {
		n += sizeOf(filepath.Join(folder, file))
	}
	return n
}

// Remove removes the set's files, and its folder if nothing else is in it. Of a set that a link in the data folder
// leads to, it removes the link.
func (s StoredSet) Remove() error {
	in := disk.Folder(s.dir)
	name, err := filepath.Rel(s.dir, s.Path)
	if err == nil && name == "." && s.place.archive { // the user named the archive
		in, name = disk.Split(s.Path)
	}
	if err != nil {
		return err
	}
	info, err := in.Lstat(name)
	if err != nil {
		return err
	}
	if s.place.archive || info.Mode()&fs.ModeSymlink != 0 {
		return in.Remove(name)
	}
	files := packedFiles
	if !s.packed {
		files = s.place.layout.files()
	}
	if !s.packed && filepath.Base(s.Path) == s.place.layout.folder {
		files = slices.Concat(files, extras)
	}
	for _, file := range files {
		if err := in.Remove(filepath.Join(name, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	in.Remove(name) // fails, as it should, where something else is in it
	return nil
}

// Partial lists the incomplete archives of the set that a download left in dir. Bytes is how much has arrived.
func Partial(dir, name string) (list []StoredSet) {
	for _, d := range append(downloadsOf(name), filesOf(name)...) {
		if path := filepath.Join(dir, d.File) + ".part"; isFile(path) {
			s := StoredSet{dir: dir, Name: name, Layout: "beginning of " + d.File, Path: path, Bytes: sizeOf(path)}
			s.place.archive = true // a single file
			list = append(list, s)
		}
	}
	return list
}

// stored lists where the set is.
func (i *idxSet) stored(name, dir string) (list []StoredSet, err error) {
	for _, folder := range places(dir, name) {
		s, err := storedPacked(dir, folder)
		if err != nil {
			return nil, err
		}
		if s.Name == name {
			list = append(list, s)
		}
	}
	if list == nil {
		err = missing(name, dir)
	}
	return list, err
}
