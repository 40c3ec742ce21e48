package sets

import (
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

// rgb32 is the format of CIFAR, shapes32 and images from files, unless the user asks for another.
var rgb32 = data.FormatOf(32, 32, 3)

// extras are the other files of the published archives.
var extras = []string{
	"readme.html", "batches.meta", "batches.meta.txt", "meta", "coarse_label_names.txt", "fine_label_names.txt",
	"file.txt~",
}

// Bounds of a set: images of a split, and classes.
const mostImages, mostClasses = 1 << 20, 1 << 16
