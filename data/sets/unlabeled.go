package sets

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
)

// unknownClasses is the error for folders with pictures of classes without training images.
func (s *survey) unknownClasses(b *branch) error {
	var names []string
	for _, below := range b.filled() {
		if !slices.Contains(s.classes, below.base()) {
			names = append(names, below.name)
		}
	}
	return corrupt(filepath.Join(s.root, strings.Join(names, ", ")), nil, "want a class of the training images: %s",
		shorten(visible.Apart(s.classes)))
}

// unlabeled is the error for a folder in which classes of pictures are not to be found. It says what is there.
func (s *survey) unlabeled(b *branch) error {
	path, filled := filepath.Join(s.root, b.name), b.filled()
	const want = "want two or more folders of images, one a class, got "
	switch {
	case b.count == 0:
		return corrupt(path, nil, want+"0 with 0 images%s%s", s.endings(b), hint(path))
	case len(filled) == 1 && len(b.pictures) == 0:
		return corrupt(path, nil, want+"1 (%s) with %s\n  %s", visible.Word(filled[0].base()),
			table.Count(b.count, "image"), howToSort(filled[0].all()))
	}
	return corrupt(path, nil, want+"%s in no such folder\n  %s", table.Count(len(b.pictures), "image"),
		howToSort(b.pictures))
}

// howToSort says how to give classes to pictures without.
func howToSort(pictures []string) string {
	advice := "sort them into a folder for each class, or put a table (.csv) of their names and classes next to them"
	if begins := beginnings(pictures); len(begins) > 1 {
		advice = fmt.Sprintf("their names begin with %s: if these are the classes, move them into folders of these names\n"+
			"  as by, in their folder: mkdir %[2]s && mv %[2]s?* %[2]s/", shorten(begins), begins[0])
	}
	return advice
}

// endings says which other files a folder without pictures has.
func (s *survey) endings(b *branch) string {
	counts := map[string]int{}
	var count func(b *branch)
	count = func(b *branch) {
		for _, name := range b.others {
			counts[strings.ToLower(filepath.Ext(name))]++
		}
		for _, below := range b.branches {
			count(below)
		}
	}
	count(b)
	var list []string
	for _, ext := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, strings.TrimSpace(table.Count(counts[ext], "file")+" "+visible.Word(ext)))
	}
	text := ""
	if len(list) > 0 {
		text = ", and " + shorten(list)
	}
	if counts[".npy"] > 0 {
		text += "\n  to evaluate a network on arrays: attnconv eval RUN --data X.npy --labels Y.npy"
	}
	return text
}

var leadingName = regexp.MustCompile(`^(\pL[\pL_-]*?)[-_. (]*[0-9]+\)?\.[A-Za-z]+$`)

// beginnings are what the names of pictures that end with a number begin with, if all do: cat of cat_12.png.
func beginnings(pictures []string) []string {
	all := map[string]bool{}
	for _, name := range pictures {
		m := leadingName.FindStringSubmatch(filepath.Base(name))
		if m == nil {
			return nil
		}
		all[m[1]] = true
	}
	return slices.Sorted(maps.Keys(all))
}
