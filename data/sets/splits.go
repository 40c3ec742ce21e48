package sets

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/table"
)

// splits finds the folders of splits in b: those whose name is one of splitNames or, next to training images, has one
// as a word (training_set). Such names are of classes where the folders have only pictures, or are no training images,
// and are next to other folders of pictures.
func (s *survey) splits(b *branch) (parts [3]*branch, err error) {
	var exact, words [3][]*branch
	flat, named := true, 0 // the folders have only pictures; how many have the name of a split
	for _, below := range b.filled() {
		part := partOf(strings.ToLower(below.base()))
		if part >= 0 {
			exact[part] = append(exact[part], below)
		} else if part = partOf(splitWords(below.base())...); part >= 0 {
			words[part] = append(words[part], below)
		}
		if part >= 0 {
			named++
		}
		flat = flat && len(below.filled()) == 0
	}
	for part := range exact {
		if len(exact[part]) == 0 && len(exact[trainPart])+len(words[trainPart]) > 0 {
			exact[part] = words[part]
		}
	}
	others := named < len(b.filled())
	if others && (len(exact[trainPart]) == 0 || flat && !slices.ContainsFunc(b.others, mayLabel)) {
		return parts, nil
	}
	for part, list := range exact {
		switch {
		case len(list) > 1:
			return parts, corrupt(s.root, nil, "two folders of %s images, %s/ and %s/: want one; join them, or move one "+
				"away",
				partNames[part], list[0].name, list[1].name)
		case len(list) == 1:
			parts[part] = list[0]
		}
	}
	return parts, nil
}

// assignPart takes the pictures in b as those of a split: by the folders of their classes, else by files with labels,
// which around may also be, else by their names.
func (s *survey) assignPart(part int, b *branch, around []string) error {
	classes, filled := s.classes, b.filled()
	if classes == nil && len(filled) > 1 {
		for _, below := range filled {
			classes = append(classes, below.base())
		}
	}
	known := func(below *branch) bool { return slices.Contains(classes, below.base()) }
	if len(filled) > 0 && len(classes) > 0 && (s.classes == nil || slices.ContainsFunc(filled, known)) {
		return s.assignFolders(part, b, classes)
	}
	labeled, err := s.assignLabels(part, b, around)
	switch {
	case labeled || err != nil:
		return err
	case len(filled) == 1 && len(filled[0].filled()) > 0:
		s.enter(b, filled[0])
		return s.assignPart(part, filled[0], nil)
	case s.classes == nil:
		return s.unlabeled(b)
	case len(filled) > 0 && !slices.ContainsFunc(filled, isGeneric):
		return s.unknownClasses(b)
	}
	for _, name := range b.all() {
		s.Leave("picture", name, "of no known class: no folders of classes, and no table of labels", "")
	}
	s.leaveAll(b)
	return nil
}

// isGeneric reports whether the name of a folder says only that pictures are in it.
func isGeneric(b *branch) bool {
	return slices.Contains(strings.Fields("images image imgs img pictures photos jpg jpeg jpegs png jpegimages"),
		strings.ToLower(b.base()))
}

// enter notes that only one of the folders in b is read.
func (s *survey) enter(b, only *branch) {
	s.note("%s/ was read: the only folder there with pictures of classes", only.name)
	s.leaveFiles(b)
	for _, name := range b.pictures {
		s.Leave("picture", name, "in no folder of a class", "")
	}
	for _, other := range b.branches {
		if other != only {
			s.leaveFolder(other, "next to "+only.name+"/, which was read", "")
		}
	}
}

// checkNested is the error for folders of splits inside other folders, which are several sets or classes.
func (s *survey) checkNested(b *branch) error {
	split := func(below *branch) bool { return partOf(strings.ToLower(below.base())) >= 0 }
	for _, class := range b.filled() {
		inside := class.filled()
		if len(inside) == 0 || !slices.ContainsFunc(inside, func(f *branch) bool {
			return partOf(strings.ToLower(f.base())) == trainPart
		}) || slices.ContainsFunc(inside, func(f *branch) bool { return !split(f) }) {
			continue
		}
		if len(inside[0].filled()) > 0 {
			return corrupt(s.root, nil, "it holds several sets, such as %s/: name one of them", class.name)
		}
		return corrupt(s.root, nil, "the folders of splits are in those of classes, such as %s/: want them around the "+
			"classes, as %s/%s/", inside[0].name, inside[0].base(), class.base())
	}
	return nil
}

// assignFolders takes the pictures in and below each folder of a class.
func (s *survey) assignFolders(part int, b *branch, classes []string) error {
	if err := s.checkNested(b); err != nil {
		return err
	}
	var empty []string
	for _, below := range b.branches {
		label, listed := slices.BinarySearch(classes, below.base())
		switch {
		case below.count > 0 && !listed:
			return s.unknownClasses(b)
		case below.count > 0:
			for _, name := range below.all() {
				s.take(part, name, label)
			}
			s.leaveAll(below)
		case part == trainPart && (below.files == 0 || hasUnread(below)):
			empty = append(empty, below.name+"/")
		case below.files == 0:
			s.Leave("folder", below.name+"/", "empty", "")
		default:
			s.leaveFolder(below, "no pictures in it", "")
		}
	}
	if len(empty) > 0 {
		return corrupt(s.root, nil, "no training images of %s: want pictures (%s) in the folder of each class, "+
			"or the folder removed", strings.Join(empty, ", "), strings.Join(ImageFiles, " "))
	}
	for _, name := range b.pictures {
		s.Leave("picture", name, "in no folder of a class", "put it into one")
	}
	s.leaveFiles(b)
	s.classes = classes
	s.noteNested(b)
	return s.checkPart(part)
}

// hasUnread reports whether a folder has pictures of formats that are not read.
func hasUnread(b *branch) bool {
	return slices.ContainsFunc(b.others, func(name string) bool {
		return slices.Contains(unread, strings.ToLower(filepath.Ext(name)))
	}) || slices.ContainsFunc(b.branches, hasUnread)
}

// noteNested says which pictures are not directly in the folder of their class.
func (s *survey) noteNested(b *branch) {
	var nested int
	var first string
	inside := map[string]int{} // names of folders in folders of classes: in how many
	for _, class := range b.filled() {
		for _, below := range class.filled() {
			if isGeneric(below) {
				continue
			}
			nested += below.count
			first = cmp.Or(first, below.name)
			inside[below.base()]++
		}
	}
	if nested == 0 {
		return
	}
	other := func(class *branch) bool { return len(class.filled()) != len(inside) }
	advice := ""
	if len(inside) > 1 && !slices.ContainsFunc(b.filled(), other) {
		advice = "; if these folders are the classes, name the ones around them train, val and test"
	}
	s.note("%s in folders below a class (%s/) were taken as pictures of the class"+advice,
		table.Count(nested, "picture"), first)
}

// surveyFolder finds the pictures of a folder. The error is a *data.CorruptError.
func surveyFolder(root string) (*survey, error) {
	s := &survey{root: root}
	top, err := s.walk("", 0)
	if err == nil {
		err = s.assign(top)
	}
	return s, err
}

// assign finds the splits, the classes and the pictures of a folder.
func (s *survey) assign(b *branch) error {
	parts, err := s.splits(b)
	filled := b.filled()
	switch generic := slices.IndexFunc(filled, isGeneric); {
	case err != nil:
		return err
	case parts != [3]*branch{}:
		return s.assignSplits(b, parts)
	case len(filled) > 1 && generic >= 0: // next to masks, annotations
		s.enter(b, filled[generic])
		return s.assign(filled[generic])
	case len(filled) == 1 && len(filled[0].filled()) > 0:
		if labeled, err := s.assignLabels(trainPart, b, nil); labeled || err != nil {
			return err
		}
		s.enter(b, filled[0])
		return s.assign(filled[0])
	}
	return s.assignPart(trainPart, b, nil)
}

// assignSplits takes the pictures of the folders of splits. Without test images, those for validation become the test
// images.
func (s *survey) assignSplits(b *branch, parts [3]*branch) error {
	var read []string
	for _, p := range parts {
		if p != nil {
			read = append(read, p.name+"/")
		}
	}
	for _, other := range b.branches {
		switch {
		case slices.Contains(parts[:], other):
		case other.count > 0:
			s.leaveFolder(other, "not the name of a split, next to "+strings.Join(read, ", "), "")
		case partOf(strings.ToLower(other.base())) == trainPart:
			return corrupt(filepath.Join(s.root, other.name), nil, "no training images: want pictures (%s)",
				strings.Join(ImageFiles, " "))
		default:
			s.leaveFolder(other, "no pictures in it", "")
		}
	}
	var around []string // files that may have the labels of a split
	for _, name := range b.others {
		if mayLabel(name) {
			around = append(around, name)
		}
	}
	for part, p := range parts {
		if p == nil {
			continue
		}
		if err := s.assignPart(part, p, around); err != nil {
			return err
		}
	}
	for _, name := range b.pictures {
		s.Leave("picture", name, "in no folder of a split", "put it into one of "+strings.Join(read, ", "))
	}
	b.pictures = nil
	s.leaveFiles(b)
	if len(s.files[testPart]) == 0 && len(s.files[valPart]) > 0 {
		s.files[testPart], s.files[valPart] = s.files[valPart], nil
		instead := ""
		if parts[trainPart] != nil {
			instead = "; validation images are held out from " + parts[trainPart].name + "/"
		}
		s.note("%s/ became the test images, since no folder brings test images%s", parts[valPart].name, instead)
	}
	return nil
}
