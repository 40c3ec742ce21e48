package sets

import "github.com/attnconv/attnconv/data"

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

// Entry implements option.Named.
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

// publishes reports whether d are the digests of k's images as they were published. k may be nil.
func (k *Kind) publishes(d data.Digests) bool {
	return k != nil && k.Digest != (data.Digests{}) && k.Digest == d
}

// An idxSet is a set of IDX files that has a name. It is used once it has been imported.
type idxSet struct {
	format data.Format
	folder string     // where a package of the system puts the files, in one of its folders of data
	files  []Download // as they were published; URL is that of their folder
}

// A Download is an archive of a set, as it was published.
type Download struct {
	URL    string
	File   string // its name
	Size   int64
	SHA256 string
}
