package sets

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/attnconv/attnconv/data"
)

// A layout is a way in which CIFAR is distributed. The binary one: files of records, a record being one or two
// labels and then 1,024 red, 1,024 green and 1,024 blue bytes, row by row. Python's: pickles of dictionaries with an
// array of the same bytes, a row an image, and a list of labels.
type layout struct {
	format  data.Format
	name    string
	title   string   // of the layout
	folder  string   // its folder inside the archive
	archive string   // the archive's name without .tar.gz
	train   []string // files, each of perTrain records
	test    string   // a file of perTest records

	perTrain, perTest int
	coarse            int    // coarse classes, whose label comes first in a record; 0: none
	floats            bool   // values are float32, not bytes
	labels            string // the key of the labels in a pickle; empty: this is a binary layout
	classes           []string
	published         release
}

// A release is an archive as it was published; its zero value was not.
type release struct {
	from   string // where the archive is, without its name
	size   int64
	sha256 string
}

// trainLen is the number of training images.
func (l layout) trainLen() int { return len(l.train) * l.perTrain }

// valSize is how many training images are held out.
func (l layout) valSize() int { return min(5000, l.trainLen()/10) }

// filesIn reports whether folder has any of the files, and the first that it lacks.
func (l layout) filesIn(folder string) (have bool, lacks string) {
	for _, f := range l.files() {
		switch {
		case isFile(filepath.Join(folder, f)):
			have = true
		case lacks == "":
			lacks = f
		}
	}
	return have, lacks
}

// files are the names of the set's files: those of training images, then the test file.
func (l layout) files() []string { return append(slices.Clone(l.train), l.test) }

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// layouts are the ways in which one set is distributed, the one to prefer first.
type layouts []layout

// name is that of the set.
func (f layouts) name() string { return f[0].name }

// A place is where a distribution of a set lies.
type place struct {
	layout  layout
	path    string // the folder of its files, or the archive
	archive bool
}

// open reads the set from dir: a folder with the files, with a folder of them or with the archive; or the archive.
func (f layouts) open(dir string) (*data.Set, error) {
	if isFile(dir) {
		return f.openArchive(dir)
	}
	for _, folder := range places(dir, f.name()) {
		if p, err := readPacked(folder); err != nil || p.Name == f.name() {
			return openPacked(folder)
		}
	}
	at, err := f.find(dir)
	switch {
	case err != nil:
		return nil, err
	case at.archive:
		return f.openArchive(at.path)
	}
	return at.layout.openFolder(at.path)
}

// find looks for the set in dir and in the folder of its name there.
func (f layouts) find(dir string) (place, error) {
	all, err := f.places(dir)
	if len(all) == 0 {
		return place{}, err
	}
	return all[0], nil
}

// places lists where the set is, folders before archives; the error says why there is no place.
func (f layouts) places(dir string) (all []place, err error) {
	var lost error // the first file that an incomplete folder lacks
	in := []string{dir, filepath.Join(dir, f.name())}
	for _, parent := range in {
		for _, l := range f {
			for _, folder := range []string{parent, filepath.Join(parent, l.folder)} {
				switch have, lacks := l.filesIn(folder); {
				case lacks == "":
					all = append(all, place{l, folder, false})
				case have && lost == nil:
					lost = corrupt(filepath.Join(folder, lacks), nil,
						"want this file next to the others of %s, and it is not there", l.name)
				}
			}
		}
	}
	for _, l := range f {
		for _, parent := range in {
			for _, ext := range []string{".tar.gz", ".tgz", ".tar"} {
				if path := filepath.Join(parent, l.archive+ext); isFile(path) {
					all = append(all, place{l, path, true})
				}
			}
		}
	}
	if lost != nil {
		return all, lost
	}
	return all, &MissingError{f.name(), dir}
}

// rgb32 is the format of CIFAR, shapes32 and images from files, unless the user asks for another.
var rgb32 = data.FormatOf(32, 32, 3)
