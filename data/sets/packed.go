package sets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/internal/foreign"
)

// NotPublished says of a copy of published images that it differs from them.
const NotPublished = "not the published images: accuracies cannot be compared"

// packedFile is in the folder of an imported set, next to its images:
//
//	train.bin, val.bin, test.bin   records: the label, then the bytes of the image as in data.Split.Pixels
//
// So the SHA-256 of train.bin is the digest of the training images.
const packedFile = "set.json"

// packedFiles are all files of an imported set.
var packedFiles = []string{"train.bin", "val.bin", "test.bin", packedFile}

// packedSet is what set.json says.
type packedSet struct {
	V       int      `json:"v"`
	Name    string   `json:"name"`
	Source  string   `json:"source"`             // what it was imported from: CIFAR-10 python archive
	Archive string   `json:"archive,omitempty"`  // the SHA-256 of that, where it was one file
	Altered bool     `json:"altered,omitempty"`  // images were decoded from JPEG or the like, or resized
	ValSize int      `json:"val_size,omitempty"` // held out by default; 0 where there is a val.bin
	Classes []string `json:"classes"`
	Images  struct {
		Train int `json:"train"`
		Val   int `json:"val"`
		Test  int `json:"test"`
	} `json:"pictures"`
	// Image is rows, columns and channels where they are not 32, 32 and 3 bytes, which sets of v 1 always have; theirs
	// is v 2.
	Image  [3]int       `json:"image,omitzero"`
	Floats bool         `json:"float32,omitempty"` // values are float32
	Digest data.Digests `json:"digest"`
	Val    string       `json:"digest_val,omitempty"` // of val.bin
}

// parsePacked reads set.json, and nothing else.
func parsePacked(b []byte) (p packedSet, err error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	if err := dec.Decode(&p); err != nil {
		return p, err
	}
	n := p.Images
	switch {
	case p.V < 1 || p.V > 2 || p.V == 1 && (p.Floats || p.Image != [3]int{}):
		return p, fmt.Errorf("v is %d: this program reads 1 and 2", p.V)
	case p.format().Check() != nil:
		return p, p.format().Check()
	case checkName(p.Name) != nil:
		return p, checkName(p.Name)
	case len(p.Classes) < 2 || len(p.Classes) > mostClasses:
		return p, fmt.Errorf("%d classes: want 2 to %d", len(p.Classes), mostClasses)
	case min(n.Train, n.Val) < 0 || n.Test < 1 || max(n.Train, n.Test, n.Val) > mostImages:
		return p, fmt.Errorf("%d, %d and %d images: want 1 to %d for testing, and no more of the others", n.Train,
			n.Val, n.Test, mostImages)
	case p.ValSize < 0 || p.ValSize > n.Train:
		return p, fmt.Errorf("val_size is %d: want at most the %d training images", p.ValSize, n.Train)
	}
	return p, nil
}

// describe notes what kind of images s has.
func (p *packedSet) describe(s *data.Set) {
	if p.Floats = s.Floats(); p.Floats || s.Format.Shape() != rgb32.Shape() {
		p.V, p.Image = 2, s.Format.Shape()
	}
}

// bytes is the memory that an image takes.
func (p packedSet) bytes() int { return recordForm{true, p.Floats, p.format().Size()}.bytes() }

// format is that of the images.
func (p packedSet) format() data.Format {
	rows, cols, channels := p.Image[0], p.Image[1], p.Image[2]
	switch {
	case p.V == 1:
		return rgb32
	case p.Floats:
		return data.FloatFormat(rows, cols, channels)
	}
	return data.FormatOf(rows, cols, channels)
}

// checkName refuses names that are no plain name of a folder: of those that any folder may have, it takes short ones in
// small letters.
func checkName(name string) error {
	other := func(r rune) bool {
		return !unicode.In(r, unicode.Letter, unicode.Mark, unicode.Digit) && !strings.ContainsRune("._-", r)
	}
	if disk.CheckName(name) != nil || len(name) > 64 || strings.ContainsFunc(name, other) ||
		name != strings.ToLower(name) ||
		strings.Trim(name, "._-") == "" {
		return fmt.Errorf("%q is no name: want up to 64 bytes of small letters, digits, and . _ - inside", name)
	}
	return nil
}

// isPacked reports whether folder is that of an imported set.
func isPacked(folder string) bool { return isFile(filepath.Join(folder, packedFile)) }

// readPacked reads the description in folder.
func readPacked(folder string) (packedSet, error) {
	path := filepath.Join(folder, packedFile)
	b, err := foreign.ReadFile(path, 4<<20)
	if err != nil {
		return packedSet{}, unreadable(path, err)
	}
	p, err := parsePacked(b)
	if err != nil {
		return packedSet{}, corrupt(path, err, "want what data import wrote")
	}
	return p, nil
}

// openPacked reads the imported set in folder.
func openPacked(folder string) (*data.Set, error) {
	s, p, err := loadPacked(folder)
	if err == nil && (s.Digest != p.Digest || valDigest(s) != p.Val) {
		return nil, corrupt(folder, nil,
			"its images are not those that were imported: their digest differs from that in %s",
			packedFile)
	}
	return s, err
}

// loadPacked is openPacked without the comparison of digests.
func loadPacked(folder string) (*data.Set, packedSet, error) {
	p, err := readPacked(folder)
	if err != nil {
		return nil, p, err
	}
	n := p.Images
	if err := fitsMemory(folder, n.Train+n.Val+n.Test, p.bytes()); err != nil {
		return nil, p, err
	}
	s := &data.Set{
		Format: p.format(), Name: p.Name, Path: folder, Classes: p.Classes, Altered: p.Altered, HeldOut: p.ValSize,
		Stream: holdoutOf(p.Name),
	}
	for _, part := range []struct {
		to   *data.Split
		file string
		n    int
	}{{&s.Train, "train.bin", p.Images.Train}, {&s.Val, "val.bin", p.Images.Val},
		{&s.Test, "test.bin", p.Images.Test}} {
		if part.n == 0 {
			continue
		}
		one := layout{format: p.format(), name: p.Name, test: part.file, perTest: part.n, classes: p.Classes,
			floats: p.Floats}
		r := newReader(one)
		if err := r.open(0, filepath.Join(folder, part.file)); err != nil {
			return nil, p, err
		}
		*part.to = r.test
	}
	return finish(s), p, nil
}

// Contents are the digests of the images and labels of the three splits: for training, for validation ("": the set
// brings none), for testing.
func Contents(s *data.Set) [3]string { return [3]string{s.Digest.Train, valDigest(s), s.Digest.Test} }

// valDigest is the digest of the set's own validation images; empty where it has none.
func valDigest(s *data.Set) string { return digest(s, s.Val) }
