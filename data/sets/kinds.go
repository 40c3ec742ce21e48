package sets

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/choice"
	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/internal/option"
)

// A Kind is a data set that has a name everywhere: one that comes as files, one that is made here, or the first of
// several others that is there.
type Kind struct {
	Name, Help  string
	Classes     []string     // names, by label
	Train, Test int          // images
	ValSize     int          // training images held out where data.Options.ValSize is 0
	Digest      data.Digests // of the images as they were published; empty: not known
	First       []string     // the names of Kinds of which the first that is there is taken

	// makes Format, Train and Test of a set without files, the same on every machine
	Make func(o data.Options) *data.Set
	// a pointer to a struct with the defaults of its own options (docs/extending.md), or nil
	Options any

	layouts layouts // in which its files are distributed
	idx     *idxSet // or its IDX files
}

// Kinds are the sets that data.Options.Name may name everywhere; any other name is that of a set that was imported, or
// the path of a folder of images. To add one, write its file, as cifar.go or shapes.go, and its line here; a program
// that imports this module calls Register.
var Kinds = choice.List[Kind]{
	{Name: "auto", Help: "cifar10 if it is in the data folder, else shapes32", First: []string{"cifar10", "shapes32"}},
	cifar10Kind,
	cifar100Kind,
	fashionKind,
	shapesKind,
	relationsKind,
}

// Entry implements choice.Choice.
func (k Kind) Entry() (name, help string) { return k.Name, k.Help }

// BuiltIn reports whether the set is made here, without files.
func (k Kind) BuiltIn() bool { return k.Make != nil }

// fileKind is the kind of a set that comes as files in the given layouts, the one to prefer first.
func fileKind(help string, published data.Digests, all ...layout) Kind {
	l := all[0]
	return Kind{
		Name: l.name, Help: help, Classes: l.classes, Train: l.trainLen(), Test: l.perTest, ValSize: l.valSize(),
		Digest: published, layouts: all,
	}
}

// comesAsFiles reports whether the set is one that others distribute.
func (k *Kind) comesAsFiles() bool { return k != nil && (k.layouts != nil || k.idx != nil) }

// format is that of the images of a set that comes as files.
func (k *Kind) format() data.Format {
	if k.idx != nil {
		return k.idx.format
	}
	return k.layouts[0].format
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
		switch missing := (*MissingError)(nil); {
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
		missing := (*MissingError)(nil)
		if _, err := Find(dir, name); !errors.As(err, &missing) || Kinds.Find(name).BuiltIn() {
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

// publishes reports whether d are the digests of k's images as they were published. k may be nil.
func (k *Kind) publishes(d data.Digests) bool {
	return k != nil && k.Digest != (data.Digests{}) && k.Digest == d
}
