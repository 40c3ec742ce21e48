package data

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A layout describes a CIFAR distribution in its binary form: files of records, a record being one or two labels and
// then 1,024 red, 1,024 green and 1,024 blue bytes, row by row.
// Source: Krizhevsky, https://www.cs.toronto.edu/~kriz/cifar.html, "Binary version".
type layout struct {
	format  Format
	name    string
	folder  string   // its folder inside the archive
	archive string   // the archive's name without .tar.gz
	train   []string // files, each of perTrain records
	test    string   // a file of perTest records

	perTrain, perTest int
	coarse            int // number of coarse classes, whose label comes first in a record; 0: there is none
	classes           []string
}

var cifar10 = layout{
	format: rgb32, name: "cifar10", folder: "cifar-10-batches-bin", archive: "cifar-10-binary",
	train:    []string{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"},
	test:     "test_batch.bin",
	perTrain: 10000, perTest: 10000,
	classes: strings.Fields("airplane automobile bird cat deer dog frog horse ship truck"),
}

var cifar100 = layout{
	format: rgb32, name: "cifar100", folder: "cifar-100-binary", archive: "cifar-100-binary",
	train: []string{"train.bin"}, test: "test.bin",
	perTrain: 50000, perTest: 10000,
	coarse: 20,
	classes: strings.Fields(`apple aquarium_fish baby bear beaver bed bee beetle bicycle bottle bowl boy bridge bus
		butterfly camel can castle caterpillar cattle chair chimpanzee clock cloud cockroach couch crab crocodile cup
		dinosaur dolphin elephant flatfish forest fox girl hamster house kangaroo keyboard lamp lawn_mower leopard lion
		lizard lobster man maple_tree motorcycle mountain mouse mushroom oak_tree orange orchid otter palm_tree pear
		pickup_truck pine_tree plain plate poppy porcupine possum rabbit raccoon ray road rocket rose sea seal shark
		shrew skunk skyscraper snail snake spider squirrel streetcar sunflower sweet_pepper table tank telephone
		television tiger tractor train trout tulip turtle wardrobe whale willow_tree wolf woman worm`),
}

// open reads the set from dir: a folder with the files, with a folder of them or with the archive; or the archive.
func (l layout) open(dir string) (*Set, error) {
	if isFile(dir) {
		return l.openArchive(dir)
	}
	var folders, archives []string
	for _, d := range []string{dir, filepath.Join(dir, l.name)} {
		folders = append(folders, d, filepath.Join(d, l.folder))
		for _, ext := range []string{".tar.gz", ".tgz", ".tar"} {
			archives = append(archives, filepath.Join(d, l.archive+ext))
		}
	}
	lost := "" // the first file that an incomplete folder lacks
	for _, folder := range folders {
		switch have, lacks := l.filesIn(folder); {
		case lacks == "":
			return l.openFolder(folder)
		case have && lost == "":
			lost = filepath.Join(folder, lacks)
		}
	}
	for _, path := range archives {
		if isFile(path) {
			return l.openArchive(path)
		}
	}
	if lost != "" {
		return nil, corrupt(lost, nil, "want this file beside the others of %s, and it is not there", l.name)
	}
	looked := []string{l.train[0], filepath.Join(l.folder, l.train[0]), l.archive + ".tar.gz"}
	return nil, &Missing{Name: l.name, Dir: dir, Looked: looked}
}

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

// files are the names of the set's files: those of training pictures, then the test file.
func (l layout) files() []string { return append(slices.Clone(l.train), l.test) }

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
