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
	all, err := f.places(dir)
	if len(all) == 0 {
		return place{}, err
	}
	return all[0], nil
}

// places lists where the set is, folders before archives; the error says why there is no place.
func (f forms) places(dir string) (all []place, err error) {
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
						"want this file beside the others of %s, and it is not there", l.name)
				}
			}
		}
	}
	var looked []string
	for _, l := range f {
		looked = append(looked, l.folder, l.archive+".tar.gz")
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
	return all, &Missing{Name: f.name(), Dir: dir, Looked: looked}
}
