package sets

import (
	"cmp"
	"errors"
	"image"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/shell"
	"github.com/attnconv/attnconv/internal/stream"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/option"
)

// OpenFolder reads a folder of images (ImageFormats) as a data set, or one that Import made:
//
//	DIR/train/CLASS/**   training images, in and below one folder a class; or DIR/CLASS/**
//	DIR/test/CLASS/**    test images; without it DIR/val; without both, a fixed sixth of each training class
//	DIR/val/CLASS/**     validation images, where there is a DIR/test
//
// The folders of splits may have other usual names, in capitals or not: training; validation, valid, dev; testing,
// eval, evaluation. Instead of folders of classes there may be a table of names and classes (.csv, .tsv, or .txt), or
// names of the form CLASS.NUMBER.png. Without training images, the set can only be evaluated.
//
// Classes are the names of the training folders, sorted. Files and folders whose name starts with a dot are
// skipped, as are those that systems make. Each image is cropped to its central square and resized to 32 × 32 RGB;
// transparency becomes black. Inventory of the set says what was taken and what was left.
func OpenFolder(dir string) (*data.Set, error) { return openFolder(dir, reading{}) }

// A reading says how images are read from files.
type reading struct {
	Fit
	skipBroken bool // leave out pictures that cannot be decoded, instead of an error
}

// openFolder is OpenFolder with a choice of the images' format.
func openFolder(dir string, want reading) (*data.Set, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, &data.MissingError{Name: dir, Dir: dir}
	} else if !info.IsDir() {
		return nil, option.Errorf("data.name", "%s is a file: want a folder of images", dir)
	}
	if isPacked(dir) {
		s, err := openPacked(dir)
		if err == nil && !s.Published {
			s.Name = dir // its own name says nothing elsewhere
		}
		return s, err
	}
	found, err := surveyFolder(dir)
	if err != nil {
		return nil, err
	}
	if err := found.order(); err != nil {
		return nil, err
	}
	return found.read(want)
}

// order splits off test images, if there are none, and puts the images into the order of the set.
func (s *survey) order() error {
	images, tested := &s.files[trainPart], &s.files[testPart]
	if len(*tested) == 0 {
		*images, *tested = splitOff(*images, s.classes)
		s.Notes = append(s.Notes, "no folder has test images: a fixed sixth of each class became the test images")
	}
	if len(*tested) == 0 {
		return corrupt(s.root, nil, "want two or more images in some class, got %d in all", len(*images))
	}
	if hasDigest(s.classes, len(*images), len(*tested)) {
		byNumber(*images)
		byNumber(*tested)
	}
	return nil
}

// read decodes the images.
func (s *survey) read(want reading) (*data.Set, error) {
	all := slices.Concat(s.files[:]...)
	f, err := want.ofFiles(all)
	if err == nil {
		err = fitsMemory(s.root, len(all), f.Size()+1)
	}
	if err != nil {
		return nil, err
	}
	set := &data.Set{Format: f, Name: s.root, Path: s.root, Classes: s.classes, Stream: "holdout/folder"}
	var broken []error
	for part, to := range []*data.Split{trainPart: &set.Train, valPart: &set.Val, testPart: &set.Test} {
		var altered bool
		var failed []error
		*to, altered, failed = s.decode(s.files[part], f, want.skipBroken)
		set.Altered, broken = set.Altered || altered, append(broken, failed...)
	}
	if len(broken) > 0 && !want.skipBroken {
		err := BrokenImages(s.root, len(all), broken).(*data.CorruptError)
		err.Reason += "\n  to leave them out: attnconv data import " + shell.Word(s.root) + " --skip-broken"
		return nil, err
	}
	if lacks := absent(set, set.Train); set.Train.Len() > 0 && lacks != nil {
		return nil, corrupt(s.root, nil, "no training images of %s: every picture there is broken",
			shorten(visible.Apart(lacks)))
	}
	set.HeldOut = min(set.Train.Len(), max(1, set.Train.Len()/10))
	set.Inventory = s.Inventory
	finish(account(set))
	set.Note = summary(set)
	return set, nil
}

// hasDigest reports whether a set of these classes and sizes may be a copy of one whose digest is known.
func hasDigest(classes []string, train, test int) bool {
	return slices.ContainsFunc(Kinds, func(k Kind) bool {
		return k.Digest != (data.Digests{}) && slices.Equal(classes, k.Classes) && train == k.Train && test == k.Test
	})
}

// byNumber sorts images whose files are numbered across the classes (cat/00017.png) by that number, so that a copy of
// CIFAR-10 with the numbers of the original has its digest.
func byNumber(all []imageFile) {
	numbers := make(map[string]int, len(all))
	seen := make(map[int]bool, len(all))
	for _, p := range all {
		base := filepath.Base(p.path)
		digits := base[:len(base)-len(strings.TrimLeft(base, "0123456789"))]
		n, err := strconv.Atoi(digits)
		if err != nil || seen[n] {
			return
		}
		numbers[p.path], seen[n] = n, true
	}
	slices.SortFunc(all, func(a, b imageFile) int { return cmp.Compare(numbers[a.path], numbers[b.path]) })
}

// splitOff takes a sixth of each class, rounded, at least one image of two, for testing; the choice depends on the
// number of images and only the class's name.
func splitOff(all []imageFile, classes []string) (train, test []imageFile) {
	for label, class := range classes {
		var mine []imageFile
		for _, p := range all {
			if int(p.label) == label {
				mine = append(mine, p)
			}
		}
		n := max(min(1, len(mine)/2), (len(mine)+3)/6)
		order := stream.Rand(0, "split/"+class).Perm(len(mine))
		for k, i := range order {
			if k < n {
				test = append(test, mine[i])
			} else {
				train = append(train, mine[i])
			}
		}
	}
	for _, part := range [][]imageFile{train, test} {
		slices.SortFunc(part, func(a, b imageFile) int { return cmp.Compare(a.path, b.path) })
	}
	return train, test
}

// decode decodes images as f side by side, and reports whether any of them was altered by that. Those that cannot be
// read are left out, with an error for each, and what the others lose is counted.
func (s *survey) decode(images []imageFile, f data.Format, skip bool) (all data.Split, altered bool, broken []error) {
	all = data.NewSplit(f, len(images), false)
	errs, decoded := make([]error, len(images)), make([]decoding, len(images))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(images)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(images); i = int(next.Add(1)) - 1 {
				all.Labels[i] = images[i].label
				decoded[i], errs[i] = decodeFile(all.Bytes(i), images[i].path, f)
			}
		})
	}
	workers.Wait()
	var whole []int
	for i, err := range errs {
		name := s.relative(images[i].path)
		if err != nil {
			broken = append(broken, err)
			if bad := (*data.CorruptError)(nil); skip && errors.As(err, &bad) {
				s.Leave("picture", name, "broken: "+reason(bad), "")
			}
			continue
		}
		whole, altered = append(whole, i), altered || !decoded[i].exact
		for _, why := range decoded[i].losses.words(f) {
			s.Lose(1, name, why)
		}
	}
	if len(broken) > 0 {
		all = all.Subset(whole)
	}
	return all, altered, broken
}

// relative is the name of a file in the inventory.
func (s *survey) relative(path string) string {
	if name, err := filepath.Rel(s.root, path); err == nil {
		return name
	}
	return path
}

// ofFiles is the format that image files get. If images are kept as they are, it is the format of the first one that
// can be read, as RGB.
func (w Fit) ofFiles(files []imageFile) (data.Format, error) {
	if !w.Keep {
		f := w.format()
		if err := drawable(f); err != nil {
			return f, option.Errorf("image", "%v: %v", w.Shape, err)
		}
		return f, nil
	}
	for _, file := range files {
		if c, err := sizeOfImage(file.path); err == nil { // others are broken, which decode says
			f := data.FormatOf(c.Height, c.Width, 3)
			if err := f.Check(); err != nil {
				return f, corrupt(file.path, err, "want images that can be kept as they are")
			}
			return f, nil
		}
	}
	return rgb32, nil
}

func sizeOfImage(path string) (image.Config, error) {
	in, err := open(path)
	if err != nil {
		return image.Config{}, err
	}
	defer in.Close()
	c, _, err := image.DecodeConfig(in)
	return c, err
}
