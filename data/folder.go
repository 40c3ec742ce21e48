package data

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/internal/option"
	"github.com/attnconv/attnconv/internal/stream"
)

// An imageFile is a file of a known class.
type imageFile struct {
	path  string
	label int32
}

// OpenFolder reads a folder of images (ImageFormats) as a data set, or one that Import made:
//
//	DIR/train/CLASS/*   training images, one folder a class; or DIR/CLASS/*
//	DIR/test/CLASS/*    test images; without it DIR/val; without both, a fixed sixth of each training class
//	DIR/val/CLASS/*     validation images, where there is a DIR/test
//
// Classes are the names of the training folders, sorted. Files and folders whose name starts with a dot are
// skipped. Each image is cropped to its central square and resized to 32 × 32 RGB; transparency becomes black.
func OpenFolder(dir string) (*Set, error) { return openFolder(dir, Fit{}) }

// openFolder is OpenFolder with a choice of the images' format.
func openFolder(dir string, want Fit) (*Set, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, &MissingError{Name: dir, Dir: dir}
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
	root, nested := filepath.Join(dir, "train"), true
	if !isDir(root) {
		root, nested = dir, false
	}
	classes, err := folders(root)
	if err != nil {
		return nil, err
	}
	train, err := scan(root, classes)
	if err != nil {
		return nil, err
	}
	if len(classes) < 2 || len(train) == 0 {
		return nil, corrupt(root, nil, "want two or more folders of images, one a class, got %d with %d images%s",
			len(classes), len(train), hint(dir))
	}
	var val, test []imageFile
	for _, name := range []string{"test", "val"} {
		if from := filepath.Join(dir, name); nested && isDir(from) {
			found, err := scan(from, classes)
			if err != nil {
				return nil, err
			}
			if test == nil {
				test = found
			} else {
				val = found
			}
		}
	}
	if len(test) == 0 {
		train, test = splitOff(train, classes)
	}
	if len(train) == 0 || len(test) == 0 {
		return nil, corrupt(root, nil, "want two or more images in some class, got %d in all", len(train)+len(test))
	}
	if hasDigest(classes, len(train), len(test)) {
		byNumber(train)
		byNumber(test)
	}
	f, err := want.ofFiles(train)
	if err == nil {
		err = fitsMemory(root, len(train)+len(val)+len(test), f.Size()+1)
	}
	if err != nil {
		return nil, err
	}
	s := &Set{
		Format: f, Name: dir, Path: dir, Classes: classes,
		valSize: max(1, len(train)/10), holdout: "holdout/folder",
	}
	for _, part := range []struct {
		to   *Split
		from []imageFile
	}{{&s.Train, train}, {&s.Val, val}, {&s.Test, test}} {
		var altered bool
		if *part.to, altered, err = decodeAll(part.from, f); err != nil {
			return nil, err
		}
		s.Altered = s.Altered || altered
	}
	return s.finish(), nil
}

// hasDigest reports whether a set of these classes and sizes may be a copy of one whose digest is known.
func hasDigest(classes []string, train, test int) bool {
	return slices.ContainsFunc(Kinds, func(k Kind) bool {
		return k.Digest != (Digests{}) && slices.Equal(classes, k.Classes) && train == k.Train && test == k.Test
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

// scan lists the images in the folders of root, class by class, each class sorted by name. A folder of root that is not
// a class is an error, since its images would be ignored silently.
func scan(root string, classes []string) ([]imageFile, error) {
	names, err := folders(root)
	if err != nil {
		return nil, err
	}
	var found []imageFile
	for _, class := range names {
		label := slices.Index(classes, class)
		if label < 0 {
			return nil, corrupt(filepath.Join(root, class), nil, "want a class of the training images: %s",
				strings.Join(classes, ", "))
		}
		entries, err := os.ReadDir(filepath.Join(root, class))
		if err != nil {
			return nil, corrupt(filepath.Join(root, class), err, "want a readable folder")
		}
		for _, e := range entries {
			ext := strings.ToLower(filepath.Ext(e.Name()))
			if slices.Contains(ImageFiles, ext) && !strings.HasPrefix(e.Name(), ".") {
				found = append(found, imageFile{filepath.Join(root, class, e.Name()), int32(label)})
			}
		}
		if len(found) > mostImages {
			return nil, corrupt(root, nil, "want at most %d images", mostImages)
		}
	}
	return found, nil
}

// folders lists the folders in root, sorted. Labels are bytes, so 256 classes are the most.
func folders(root string) ([]string, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, corrupt(root, err, "want a readable folder")
	}
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && isDir(filepath.Join(root, e.Name())) {
			names = append(names, e.Name())
		}
	}
	if len(names) > 256 {
		return nil, corrupt(root, nil, "want at most 256 classes, got %d", len(names))
	}
	return names, nil
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

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
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
