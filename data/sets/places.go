package sets

import (
	"path/filepath"

	"github.com/attnconv/attnconv/data"
)

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
	return all, missing(f.name(), dir)
}
