package data

import (
	"path/filepath"
	"slices"
)

// A Check is one thing of a stored set that was hashed.
type Check struct {
	What  string `json:"what"`  // archive, train, val or test
	Got   string `json:"got"`   // the SHA-256 that it has
	Want  string `json:"want"`  // the one that it should have; empty where none is known
	By    string `json:"by"`    // who says so: published or imported
	Holds bool   `json:"holds"` // Got is Want, or Want is not known
}

func check(what, got, want, by string) Check {
	if want == "" {
		by = ""
	}
	return Check{what, got, want, by, want == "" || got == want}
}

// Verify reads the set anew and compares its digests with those that were published; those of an imported set with those
// that it had when it was imported. The error is a *Corrupt for files that cannot be read as a set.
func (s Stored) Verify() ([]Check, error) {
	if s.packed {
		set, p, err := loadPacked(s.Path)
		if err != nil {
			return nil, err
		}
		checks := []Check{
			check("train", set.Digest.Train, p.Digest.Train, "imported"),
			check("test", set.Digest.Test, p.Digest.Test, "imported"),
		}
		if set.Val.Len() > 0 {
			checks = slices.Insert(checks, 1, check("val", set.valDigest(), p.Val, "imported"))
		}
		return checks, nil
	}
	var checks []Check
	var set *Set
	var err error
	if s.place.archive {
		var src Source
		if set, src, err = recogniseFile(s.Path, layouts{s.place.layout}, Fit{}); err == nil {
			checks = append(checks, check("archive", src.SHA256, s.place.layout.published.sha256, "published"))
		}
	} else {
		set, err = s.place.layout.openFolder(s.Path)
	}
	if err != nil {
		return nil, err
	}
	var known Digests
	if k := Kinds.Find(s.Name); k != nil {
		known = k.Digest
	}
	return append(checks, check("train", set.Digest.Train, known.Train, "published"),
		check("test", set.Digest.Test, known.Test, "published")), nil
}

// HasDigest reports whether the digest of the set called name was published, so that a copy can be compared with it.
func HasDigest(name string) bool {
	k := Kinds.Find(name)
	return k != nil && k.Digest != (Digests{})
}

// Exact reports whether checks are those of images as they were published.
func Exact(name string, checks []Check) bool {
	if !HasDigest(name) {
		return false
	}
	k := Kinds.Find(name)
	for _, c := range checks {
		if c.What == "train" && c.Got != k.Digest.Train || c.What == "test" && c.Got != k.Digest.Test {
			return false
		}
	}
	return true
}

// A Download is an archive of a set, as it was published.
type Download struct {
	URL    string
	File   string // its name
	Size   int64
	SHA256 string
}

// Downloads are the archives of the set called name, the one to prefer first; none where the set is not published.
func Downloads(name string) (list []Download) {
	k := Kinds.Find(name)
	if k == nil {
		return nil
	}
	for _, l := range k.layouts {
		if p := l.published; p.from != "" {
			file := l.archive + ".tar.gz"
			list = append(list, Download{p.from + file, file, p.size, p.sha256})
		}
	}
	return list
}

// Files are the files of the set called name, where it is published as several that are all needed. File is where they are
// kept, in the data folder, until all are there.
func Files(name string) (list []Download) {
	k := Kinds.Find(name)
	if k == nil || k.idx == nil {
		return nil
	}
	for _, f := range k.idx.files {
		list = append(list, Download{f.URL + f.File, filepath.Join(name+"-files", f.File), f.Size, f.SHA256})
	}
	return list
}
