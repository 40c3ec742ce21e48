package data

import "path/filepath"

// forms are the ways in which one set is distributed, the one to prefer first.
type forms []layout

var (
	cifar10Forms  = forms{cifar10, cifar10Python}
	cifar100Forms = forms{cifar100, cifar100Python}
)

// name is that of the set.
func (f forms) name() string { return f[0].name }

// A place is where a distribution of a set lies.
type place struct {
	form    layout
	path    string // the folder of its files, or the archive
	archive bool
}

// open reads the set from dir: a folder with the files, with a folder of them or with the archive; or the archive.
func (f forms) open(dir string) (*Set, error) {
	if isFile(dir) {
		return f.openArchive(dir)
	}
	for _, folder := range []string{dir, filepath.Join(dir, f.name())} {
		if !isPacked(folder) {
			continue
		}
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
	return at.form.openFolder(at.path)
}

// find looks for the set in dir and in the folder of its name there.
func (f forms) find(dir string) (place, error) {
	var lost error // the first file that an incomplete folder lacks
	var looked []string
	for _, in := range []string{dir, filepath.Join(dir, f.name())} {
		for _, l := range f {
			for _, folder := range []string{in, filepath.Join(in, l.folder)} {
				switch have, lacks := l.filesIn(folder); {
				case lacks == "":
					return place{l, folder, false}, nil
				case have && lost == nil:
					lost = corrupt(filepath.Join(folder, lacks), nil,
						"want this file beside the others of %s, and it is not there", l.name)
				}
			}
		}
	}
	for _, in := range []string{dir, filepath.Join(dir, f.name())} {
		for _, l := range f {
			for _, ext := range []string{".tar.gz", ".tgz", ".tar"} {
				if path := filepath.Join(in, l.archive+ext); isFile(path) {
					return place{l, path, true}, nil
				}
			}
		}
	}
	if lost != nil {
		return place{}, lost
	}
	for _, l := range f {
		looked = append(looked, l.folder, l.archive+".tar.gz")
	}
	return place{}, &Missing{Name: f.name(), Dir: dir, Looked: looked}
}
