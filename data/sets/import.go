package sets

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/option"
)

// A Source is what a path was recognized to be.
type Source struct {
	What      string // CIFAR-10 python archive
	Bytes     int64  // of the file; 0 for a folder
	SHA256    string // of the file
	Published bool   // SHA256 is the published one
}

// Recognize reads the data set at path by its content, whatever its name: an archive of CIFAR, binary or of Python,
// unpacked or not; a folder of images, one a class; an .npz file; a folder that Import made. The set's name is that of
// its images where they have one; otherwise it is empty. The error is a *data.MissingError or a *data.CorruptError.
func Recognize(path string) (*data.Set, Source, error) { return RecognizeAs(path, Fit{}) }

// RecognizeAs is Recognize with a choice of the images that are made of the files. It is an error of type *option.Error
// where these have only one size: CIFAR, IDX files and imported sets, unless they are kept.
func RecognizeAs(path string, want Fit) (*data.Set, Source, error) {
	return recognizeAs(path, reading{Fit: want})
}

func recognizeAs(path string, want reading) (*data.Set, Source, error) {
	s, src, err := recognize(path, sets(), want)
	if resized := want.Shape != [3]int{}; err == nil && resized && s.Shape() != want.Shape {
		return nil, src, option.Errorf("image", "%v: images of %s keep their size, %v", want.Shape, src.What, s.Shape())
	}
	return s, src, err
}

func recognize(path string, known []layouts, want reading) (*data.Set, Source, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, Source{}, &data.MissingError{Name: path, Dir: path}
	case err != nil:
		return nil, Source{}, corrupt(path, err, "want something to read")
	case info.IsDir():
		return recognizeFolder(path, known, want)
	}
	return recognizeFile(path, slices.Concat(known...), want)
}

func recognizeFolder(path string, known []layouts, want reading) (*data.Set, Source, error) {
	if isPacked(path) {
		s, err := openPacked(path)
		if err == nil {
			leaveBeside(account(s), path, packedFiles...)
		}
		return s, Source{What: "imported set"}, err
	}
	for _, f := range known {
		all, err := f.places(path)
		var at place
		if len(all) > 0 {
			at, err = all[0], nil
		}
		switch missing := (*data.MissingError)(nil); {
		case errors.As(err, &missing):
			continue
		case err != nil:
			return nil, Source{}, err
		case at.archive:
			s, src, err := recognizeFile(at.path, f, want)
			return besides(s, all), src, err
		}
		s, err := at.layout.openFolder(at.path)
		if err == nil {
			leaveBeside(account(besides(s, all)), at.path, at.layout.files()...)
		}
		return s, Source{What: at.layout.title + " folder"}, err
	}
	if folders := idxFolders(path); len(folders) > 0 {
		s, err := recognizeIDXIn(path, folders)
		return s, Source{What: "IDX files"}, err
	}
	s, err := openFolder(path, want)
	if err != nil {
		return nil, Source{}, err
	}
	what := "folder of images"
	if s.Altered {
		what += fmt.Sprintf(", not all of them lossless and of %d × %d", s.Rows, s.Cols)
	}
	return named(s, nameByContent(s)), Source{What: what}, nil
}

func recognizeFile(path string, known layouts, want reading) (*data.Set, Source, error) {
	f, err := open(path)
	if err != nil {
		return nil, Source{}, err
	}
	defer f.Close()
	hash := sha256.New()
	in := io.TeeReader(f, hash)
	src, s := Source{Bytes: f.Size}, (*data.Set)(nil)
	switch start, _ := io.ReadAll(io.NewSectionReader(f, 0, 262)); { // a tar file's name for itself ends there
	case isIDX(start), isIDX(unzip(start)):
		s, err := recognizeIDX(path)
		return s, Source{What: "IDX files"}, err
	case bytes.HasPrefix(start, []byte("PK\x03\x04")):
		src.What = "NumPy arrays"
		s, err = readArrays(path, f, f.Size, want.Fit)
	case bytes.HasPrefix(start, []byte("\x1f\x8b")), bytes.HasSuffix(start, []byte("ustar")):
		var l layout
		s, l, err = known.readArchive(path, in)
		src.What, src.SHA256 = l.title+" archive", l.published.sha256
	case slices.ContainsFunc(otherArchives, func(magic string) bool { return bytes.HasPrefix(start, []byte(magic)) }):
		return nil, Source{}, corrupt(path, nil, "an archive that is not read: unpack it, and import the folder")
	default:
		return nil, Source{}, corrupt(path, nil, "want an archive of %s (.tar.gz or .tar), arrays (.npz), or a folder",
			known.names())
	}
	if err != nil {
		return nil, Source{}, err
	}
	if _, err = io.Copy(io.Discard, in); err != nil { // what is behind the archive's end counts, too
		return nil, Source{}, corrupt(path, err, "want a readable file")
	}
	sum := hex.EncodeToString(hash.Sum(nil))
	src.Published, src.SHA256 = sum == src.SHA256, sum
	return s, src, nil
}

// otherArchives are the first bytes of 7-Zip, RAR, xz, bzip2 and Zstandard.
var otherArchives = []string{"7z\xbc\xaf", "Rar!", "\xfd7zXZ", "BZh", "\x28\xb5\x2f\xfd"}

// besides notes the places of the set in a folder that were not read, all but the first.
func besides(s *data.Set, all []place) *data.Set {
	for _, other := range all[1:] {
		if s != nil {
			s.Inventory.Leave("copy", other.path, "the same set, once more", "to read it: name it")
		}
	}
	return s
}

// unzip is the first bytes of what gzip packed into a file that begins with start; nil where that is none.
func unzip(start []byte) []byte {
	in, err := gzip.NewReader(bytes.NewReader(start))
	if err != nil {
		return nil
	}
	first := make([]byte, 4)
	n, _ := io.ReadFull(in, first) // start ends early
	return first[:n]
}

// Import copies s, which Recognize found at path into the data folder dir, under name or, where that is empty, the name
// of the set or of the path. The copy opens faster than its source and does not need it. With force, it replaces a set
// of that name. The error is as of Recognize, or an *option.Error.
func Import(s *data.Set, src Source, path, dir, name string, force bool) (folder string, err error) {
	switch {
	case s == nil:
		return "", errors.New("the set to import is nil: want one of Recognize")
	case s.Name != "" && name != "" && name != s.Name && src.What != "imported set":
		return "", option.Errorf("name", "%q: these are the images of %s, which keeps its name", name, s.Name)
	case name == "" && s.Name != "":
		name = s.Name
	case name == "":
		name = nameOf(path)
	case Kinds.Has(name) && name != s.Name:
		return "", option.Errorf("name", "%q is the name of another set: want one of its own", name)
	}
	if err := checkName(name); err != nil {
		return "", option.Errorf("name", "%v", err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	release, err := begin(disk.Folder(dir), name)
	if err != nil {
		return "", err
	}
	defer release()
	folder = filepath.Join(dir, name)
	if _, err := os.Lstat(folder); err == nil && !force {
		return "", &ExistsError{Name: name, Path: folder}
	}
	if other := otherFile(folder); other != "" {
		return "", corrupt(folder, nil,
			"want a set that was imported, to replace it, and nothing else; it holds %q, which stays", other)
	}
	return folder, writePacked(s, folder, packedSet{Name: name, Source: src.What, Archive: src.SHA256})
}

// otherFile is the name of a file in folder that does not belong to an imported set, or "".
func otherFile(folder string) string {
	list, err := os.ReadDir(folder)
	if err != nil {
		if _, err := os.Lstat(folder); err == nil {
			return filepath.Base(folder) // a file, say
		}
		return ""
	}
	for _, e := range list {
		if !slices.Contains(packedFiles, e.Name()) {
			return e.Name()
		}
	}
	return ""
}

// ExistsError says that the data folder already has a set of that name, or that the set is built in: its Path is empty.
type ExistsError struct{ Name, Path string }

func (e *ExistsError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("%s is built in", e.Name)
	}
	return fmt.Sprintf("%s exists already: %s", e.Name, e.Path)
}

func (e *ExistsError) ExitCode() int { return fault.Usage }
func (e *ExistsError) Hint() string {
	return "to replace it: --force   to keep both, unless it is CIFAR: --name NAME"
}

// nameOf makes a name of a path: ~/My Flowers.npz becomes my-flowers.
func nameOf(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	base := strings.ToLower(filepath.Base(path))
	base, _, _ = strings.Cut(base, ".")
	name := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Letter, unicode.Mark, unicode.Digit) || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, base)
	for len(name) > 64 {
		_, last := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-last]
	}
	return strings.Trim(name, "-_")
}
