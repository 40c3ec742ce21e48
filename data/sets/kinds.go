package sets

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/option"
)

// Kinds are the sets that data.Options.Name may name everywhere; any other name is that of a set that was imported, or
// the path of a folder of images. To add one, write its file, as cifar.go or shapes.go, and its line here; a program
// that imports this module calls Register.
var Kinds = option.List[Kind]{
	{Name: "auto", Help: "cifar10 if it is in the data folder, else shapes32", First: []string{"cifar10", "shapes32"}},
	cifar10Kind,
	cifar100Kind,
	fashionKind,
	shapesKind,
	relationsKind,
}

// sets lists the layouts of every set that comes as files.
func sets() (all []layouts) {
	for _, k := range Kinds {
		if k.layouts != nil {
			all = append(all, k.layouts)
		}
	}
	return all
}

// unknownError is the error for a name that is none: neither in Kinds, nor imported, nor a folder.
func unknownError(name string, imported ...string) error {
	known := Kinds.Names()
	for _, i := range imported {
		if !slices.Contains(known, i) {
			known = append(known, i)
		}
	}
	return option.Choice("data.name", name, append(known, "DIR"))
}

// OwnValSize says in words how many training images the set called name holds out where data.Options.ValSize is 0.
func OwnValSize(name string) string {
	if k := Kinds.Find(name); k != nil && k.ValSize >= 1000 {
		return fmt.Sprintf("the set's own: %d,%03d", k.ValSize/1000, k.ValSize%1000)
	} else if k != nil && k.ValSize > 0 {
		return fmt.Sprintf("the set's own: %d", k.ValSize)
	}
	return "the set's own: its val, or a tenth of its training images"
}

// copied is the kind that comes in layouts and of which s is a copy by its classes and sizes, or nil.
func copied(s *data.Set) *Kind {
	for i, k := range Kinds {
		if k.layouts != nil && s.Format.Shape() == k.format().Shape() && slices.Equal(s.Classes, k.Classes) &&
			s.Train.Len() == k.Train && s.Test.Len() == k.Test &&
			s.Val.Len() == 0 {
			return &Kinds[i]
		}
	}
	return nil
}

// adopt gives s the name, the classes and the hold-out of the set whose published images it has, if there is one.
func adopt(s *data.Set) *data.Set {
	for _, k := range Kinds {
		if k.idx != nil && k.publishes(s.Digest) {
			s.Classes, s.HeldOut, s.Stream = k.Classes, k.ValSize, holdoutOf(k.Name)
			return named(s, k.Name)
		}
	}
	return s
}

// numberClasses names the classes 0, 1, ... as many as there are labels, and holds out a tenth.
func numberClasses(s *data.Set) {
	classes := 2
	for _, part := range []data.Split{s.Train, s.Val, s.Test} {
		if part.Len() > 0 {
			classes = max(classes, 1+int(slices.Max(part.Labels)))
		}
	}
	s.Classes, s.HeldOut, s.Stream = numberNames(classes), min(s.Train.Len(), max(1, s.Train.Len()/10)), holdoutOf("")
}

// uniform gives s the format of its images, and requires that all have it.
func uniform(s *data.Set) error {
	parts := []data.Split{s.Train, s.Val, s.Test}
	parts = slices.DeleteFunc(parts, func(part data.Split) bool { return part.Len() == 0 })
	if len(parts) == 0 {
		return errors.New("no images")
	}
	s.Format = parts[0].Format
	for _, part := range parts {
		if part.Shape() != s.Shape() || (part.Floats == nil) != (parts[0].Floats == nil) {
			return fmt.Errorf("training images of %v and others of %v", s.Format, part.Format)
		}
	}
	return nil
}

// named gives the set its name.
func named(s *data.Set, name string) *data.Set {
	k := Kinds.Find(name)
	s.Name, s.Published = name, k.publishes(s.Digest)
	return s
}

// missing says that the set called name is not in dir, and how to get it.
func missing(name, dir string) *data.MissingError {
	archives, files := downloadsOf(name), filesOf(name)
	get, have := "", ""
	switch {
	case files != nil:
		total := int64(0)
		for _, f := range files {
			total += f.Size
		}
		get, have = fmt.Sprintf("%s, or none of it: apt install dataset-%s", table.Size(total), name), "DIR"
	case archives != nil:
		get, have = table.Size(archives[0].Size)+", from a slow host", archives[len(archives)-1].File
	default:
		return &data.MissingError{Name: name, Dir: dir, Text: fmt.Sprintf("data set %q is not in %s\n"+
			"  to list them: attnconv data ls   a new one: attnconv data import PATH", name, dir)}
	}
	return &data.MissingError{Name: name, Dir: dir, Text: fmt.Sprintf(`data set %q is not here yet
  looked in:   %s
  get it:      attnconv data get %[1]s   # %[3]s
  have a copy: attnconv data import %[4]s
  no data:     attnconv train --encoding quadratic --data shapes32`, name, dir, get, have)}
}

// HasDigest reports whether the digest of the set called name was published, so that a copy can be compared with it.
func HasDigest(name string) bool {
	k := Kinds.Find(name)
	return k != nil && k.Digest != (data.Digests{})
}

// downloadsOf lists the archives of the set called name, the one to prefer first; none where it is not published.
func downloadsOf(name string) (list []Download) {
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

// filesOf lists the files of the set called name, where it is published as several that are all needed. File is where
// they are kept, in the data folder, until all are there.
func filesOf(name string) (list []Download) {
	k := Kinds.Find(name)
	if k == nil || k.idx == nil {
		return nil
	}
	for _, f := range k.idx.files {
		list = append(list, Download{f.URL + f.File, filepath.Join(name+"-files", f.File), f.Size, f.SHA256})
	}
	return list
}

// holdoutOf is the random stream of the hold-out of an imported set: the named set's own, else that of folders.
func holdoutOf(name string) string {
	if Kinds.Find(name).comesAsFiles() {
		return "holdout/" + name
	}
	return "holdout/folder"
}

// nameByContent is the name of the set that s is a copy of, or "".
func nameByContent(s *data.Set) string {
	if k := copied(s); k != nil {
		return k.Name
	}
	return ""
}

// hint advises a user who has named an unpacked CIFAR folder as a folder of images.
func hint(dir string) string {
	for _, set := range sets() {
		l := set[0]
		if have, _ := l.filesIn(dir); have {
			return "; it holds files of " + l.name + ": name " + l.name +
				" as the data set and this folder as the data folder"
		}
	}
	return ""
}
