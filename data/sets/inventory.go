package sets

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/internal/shell"
	"github.com/attnconv/attnconv/internal/table"
)

// absent lists the classes of which a split of s has no images.
func absent(s *data.Set, of data.Split) (names []string) {
	for label, n := range of.Counts(len(s.Classes)) {
		if n == 0 {
			names = append(names, s.Classes[label])
		}
	}
	return names
}

// account counts the images that were taken, and notes what is odd about them: classes without images, images of a
// single color.
func account(s *data.Set) *data.Set {
	v := &s.Inventory
	v.Taken = s.Train.Len() + s.Val.Len() + s.Test.Len()
	even, untrained := 0, []string{}
	for part, of := range []data.Split{s.Train, s.Val, s.Test} {
		even += evenImages(of)
		lacks := slices.DeleteFunc(absent(s, of), func(name string) bool { return slices.Contains(untrained, name) })
		if part == trainPart && of.Len() > 0 {
			untrained = lacks
		}
		if of.Len() > 0 && len(lacks) > 0 {
			v.Notes = append(v.Notes, lacking(partNames[part], lacks))
		}
	}
	if s.Train.Len() == 0 {
		v.Notes = append(v.Notes, "no training images: networks can be evaluated on this set, and not trained")
	}
	if v.Taken >= 100 && 10*even > v.Taken { // drawings have a few of them
		v.Notes = append(v.Notes, fmt.Sprintf("%s of %s are of a single color", table.Thousands(even),
			table.Count(v.Taken, "picture")))
	}
	return s
}

// evenImages is the number of images whose channels each have one value.
func evenImages(s data.Split) (n int) {
	plane := s.Rows * s.Cols
	for i := range s.Len() {
		if s.Floats != nil {
			n += one(constant(s.Values(i), plane))
		} else {
			n += one(constant(s.Bytes(i), plane))
		}
	}
	return n
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// constant reports whether every plane of an image has one value.
func constant[T comparable](image []T, plane int) bool {
	for plane := range slices.Chunk(image, plane) {
		if slices.ContainsFunc(plane, func(v T) bool { return v != plane[0] }) {
			return false
		}
	}
	return true
}

// summary is the Note of a set that is read from files each time it is opened.
func summary(s *data.Set) string {
	parts, left := slices.Clone(s.Inventory.Notes), map[string]int{}
	for _, r := range s.Inventory.Left {
		if !r.Usual {
			left[r.What] += len(r.Names)
		}
	}
	var counts []string
	for _, what := range slices.Sorted(maps.Keys(left)) {
		counts = append(counts, table.Count(left[what], what))
	}
	if counts != nil {
		parts = append(parts, fmt.Sprintf("%s not read: attnconv data import %s --dry-run", strings.Join(counts, ", "),
			shell.Word(s.Path)))
	}
	return strings.Join(parts, "; ")
}

// leaveFile notes a file that does not belong to a set, in a folder or an archive.
func leaveFile(s *data.Set, name, base string) {
	if foreign.Hidden(base) || slices.Contains(extras, base) {
		s.Inventory.LeaveUsual("file", name, "next to the images as a rule")
	} else {
		s.Inventory.Leave("file", name, "not a file of the set", "")
	}
}

// leaveBeside notes the files and folders in a folder that do not belong to a set.
func leaveBeside(s *data.Set, folder string, of ...string) {
	entries, _ := os.ReadDir(folder) // it has been read
	for _, e := range entries {
		switch {
		case slices.Contains(of, e.Name()):
		case e.IsDir():
			s.Inventory.Leave("folder", e.Name()+"/", "next to the files of the set", "")
		default:
			leaveFile(s, e.Name(), e.Name())
		}
	}
}

// archived is the error for an archive of pictures, or nil.
func archived(path string, names []string) error {
	if !slices.ContainsFunc(names, isPicture) {
		return nil
	}
	unpack := "tar xf "
	if strings.EqualFold(filepath.Ext(path), ".zip") {
		unpack = "unzip "
	}
	return corrupt(path, nil, "an archive of pictures: unpack it, and import the folder\n  to unpack it: %s%s", unpack,
		shell.Word(path))
}
