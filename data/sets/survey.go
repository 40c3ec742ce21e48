package sets

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/data"
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
	data.Inventory
}

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
	s.Left = slices.DeleteFunc(s.Left, func(r data.Rest) bool { return len(r.Names) == 0 })
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

// An imageFile is a file of a known class.
type imageFile struct {
	path  string
	label int32
}

// mayLabel reports whether a file may say the classes of pictures: a table that is not a sample of a table.
func mayLabel(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	words := splitWords(filepath.Base(name))
	return (ext == ".csv" || ext == ".tsv" || ext == ".txt") && !slices.Contains(words, "sample") &&
		!slices.Contains(words, "submission")
}

// leaveAll notes all files that are no pictures in and below a folder.
func (s *survey) leaveAll(b *branch) {
	s.leaveFiles(b)
	for _, below := range b.branches {
		s.leaveAll(below)
	}
}

// take takes a picture.
func (s *survey) take(part int, name string, label int) {
	s.files[part] = append(s.files[part], imageFile{filepath.Join(s.root, name), int32(label)})
}

// checkPart bounds the number of pictures and classes.
func (s *survey) checkPart(part int) error {
	switch {
	case len(s.files[part]) > mostImages:
		return corrupt(s.root, nil, "want at most %d images", mostImages)
	case len(s.classes) > mostClasses:
		return corrupt(s.root, nil, "want at most %d classes, got %d", mostClasses, len(s.classes))
	}
	return nil
}
