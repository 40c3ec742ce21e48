package sets

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/foreign"
)

// EMNIST, as NIST distributes it: IDX files whose images are transposed, rows as columns, and a file with the codes of
// the characters of each label.
// Source: Cohen, Afshar, Tapson, van Schaik 2017 (arXiv:1702.05373).

// readEMNIST puts the images of EMNIST upright and reads the names of its classes. It does nothing unless prefix, with
// which the names of the files begin, is emnist.
func readEMNIST(s *data.Set, folder, prefix string) error {
	if !strings.HasPrefix(strings.ToLower(prefix), "emnist") || s.Rows != s.Cols || s.Floats() {
		return nil
	}
	for _, part := range []data.Split{s.Train, s.Val, s.Test} {
		for i := range part.Len() {
			transpose(part.Bytes(i), s.Rows)
		}
	}
	s.Inventory.Notes = append(s.Inventory.Notes, "EMNIST's files have each picture transposed, on its side: "+
		"the pictures were put upright, so their digests are not those of the files")
	return readMapping(s, folder, prefix+"mapping.txt")
}

// transpose exchanges the rows and columns of a gray image of n × n.
func transpose(image []uint8, n int) {
	for y := range n {
		for x := range y {
			image[y*n+x], image[x*n+y] = image[x*n+y], image[y*n+x]
		}
	}
}

// readMapping reads names of classes, if the file is there. Each line is a label and the codes of its characters: 1 65
// 97 names class 1 Aa.
func readMapping(s *data.Set, folder, file string) error {
	path := filepath.Join(folder, file)
	b, err := foreign.ReadFile(path, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unreadable(path, err)
	}
	for line := range strings.Lines(string(b)) {
		var numbers []int
		for _, field := range strings.Fields(line) {
			n, err := strconv.ParseUint(field, 10, 20)
			if err != nil {
				return corrupt(path, err, "want lines of a label and the codes of its characters, as 1 65 97")
			}
			numbers = append(numbers, int(n))
		}
		if len(numbers) < 2 || numbers[0] >= len(s.Classes) {
			continue
		}
		name := ""
		for _, code := range numbers[1:] {
			name += string(rune(code))
		}
		s.Classes[numbers[0]] = name
	}
	s.Inventory.Read = append(s.Inventory.Read, file)
	return nil
}
