package sets

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
)

// A survey finds the pictures in and below a folder, by split and class, and accounts for every other file there.
type survey struct {
	root    string   // as the user named it; all names of files are relative to it
	classes []string // sorted
	files   [3][]imageFile
	seen    int // number of files and folders
	foreign.Inventory
}

// The indices of survey.files, as of Splits.
const (
	trainPart = iota
	valPart
	testPart
)

// A branch is what is in a folder and below it.
type branch struct {
	name     string // relative to the root of the survey
	branches []*branch
	pictures []string // directly in it
	others   []string // files that are no pictures, directly in it
	count    int      // pictures in and below it
	files    int      // all files in and below it that no system has made
}

// Bounds of a survey.
const (
	mostFiles   = 1 << 22 // files and folders
	deepest     = 16      // folders inside one another
	linkedDepth = 2       // folders of splits and classes, down to this depth, may be links
)

// unread are the endings of pictures and videos that are not read.
var unread = strings.Fields(".heic .heif .avif .jp2 .jxl .jfif .jpe .svg .tga .ppm .pgm .pbm .pnm .psd .ico .dds " +
	".exr .hdr .raw .cr2 .nef .dng .arw .dcm .npy .mp4 .mov .avi .mkv .webm")

func isPicture(name string) bool {
	return slices.Contains(ImageFiles, strings.ToLower(filepath.Ext(name)))
}

// surveyFolder finds the pictures of a folder. The error is a *CorruptError.
func surveyFolder(root string) (*survey, error) {
	s := &survey{root: root}
	top, err := s.walk("", 0)
	if err == nil {
		err = s.assign(top)
	}
	return s, err
}

// walk lists what is in and below a folder, sorted by name.
func (s *survey) walk(name string, depth int) (*branch, error) {
	path := filepath.Join(s.root, name)
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, corrupt(path, err, "want a readable folder")
	}
	if s.seen += len(entries); s.seen > mostFiles {
		return nil, corrupt(s.root, nil, "want at most %d files and folders, and it has more", mostFiles)
	}
	b := &branch{name: name}
	for _, e := range entries {
		one := filepath.Join(name, e.Name())
		link := e.Type()&fs.ModeSymlink != 0
		folder := e.IsDir() || link && isDir(filepath.Join(s.root, one))
		switch {
		case foreign.Hidden(e.Name()) && folder:
			s.LeaveUsual("folder", one+"/", "hidden, or made by a system")
		case foreign.Hidden(e.Name()):
			s.LeaveUsual("file", one, "hidden, or made by a system")
		case folder && link && depth >= linkedDepth:
			s.Leave("folder", one+"/", "a link", "put the folder in its place")
		case folder && depth >= deepest:
			return nil, corrupt(filepath.Join(s.root, one), nil, "want at most %d folders inside one another", deepest)
		case folder:
			below, err := s.walk(one, depth+1)
			if err != nil {
				return nil, err
			}
			b.branches = append(b.branches, below)
			b.count, b.files = b.count+below.count, b.files+below.files
		default:
			b.add(one)
		}
	}
	return b, nil
}

// add adds a file that is directly in the folder.
func (b *branch) add(name string) {
	b.files++
	if isPicture(name) {
		b.pictures, b.count = append(b.pictures, name), b.count+1
	} else {
		b.others = append(b.others, name)
	}
}

// all lists the pictures in and below the folder, in the order of filepath.WalkDir.
func (b *branch) all() (list []string) {
	pictures := b.pictures
	for _, below := range b.branches {
		for len(pictures) > 0 && pictures[0] < below.name {
			list, pictures = append(list, pictures[0]), pictures[1:]
		}
		list = append(list, below.all()...)
	}
	return append(list, pictures...)
}

// filled are the folders that have pictures in or below them.
func (b *branch) filled() (list []*branch) {
	for _, below := range b.branches {
		if below.count > 0 {
			list = append(list, below)
		}
	}
	return list
}

// base is the last part of the folder's name.
func (b *branch) base() string { return filepath.Base(b.name) }

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

// note adds a sentence to the inventory. The arguments may be names from the folder.
func (s *survey) note(format string, args ...any) {
	s.Notes = append(s.Notes, visible.Word(fmt.Sprintf(format, args...)))
}

// leaveFolder notes that a folder was not read, which stands for what walk has left in it.
func (s *survey) leaveFolder(b *branch, why, do string) {
	inside := func(name string) bool { return strings.HasPrefix(name, b.name+"/") }
	for i, r := range s.Left {
		s.Left[i].Names = slices.DeleteFunc(r.Names, inside)
	}
	s.Left = slices.DeleteFunc(s.Left, func(r foreign.Rest) bool { return len(r.Names) == 0 })
	if b.count > 0 {
		why += fmt.Sprintf(" (%s in it)", table.Count(b.count, "picture"))
	}
	s.Leave("folder", b.name+"/", why, do)
}

// leaveFiles notes the files directly in a folder that are no pictures and were not read for their labels.
func (s *survey) leaveFiles(b *branch) {
	for _, name := range b.others {
		switch ext := strings.ToLower(filepath.Ext(name)); {
		case slices.Contains(s.Read, name):
		case slices.Contains(unread, ext):
			s.Leave("picture", name, "a format that is not read", "convert it to PNG or JPEG")
		default:
			s.Leave("file", name, "no picture, by the ending", "")
		}
	}
}
