package sets

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/internal/visible"
)

// IDX files hold one array each: images (n, rows, cols) or labels (n).
//
//	0, 0, type, number of dimensions; each dimension, 32 bits; the elements. The high byte comes first.
//
// Source: LeCun, Cortes, Burges, "The MNIST database of handwritten digits", "File formats".

// idxTypes are the elements of an IDX file by the type's code: size in bytes, and kind as in header.
var idxTypes = map[byte]struct {
	bytes int
	kind  byte
}{0x08: {1, 'u'}, 0x09: {1, 'i'}, 0x0B: {2, 'i'}, 0x0C: {4, 'i'}, 0x0D: {4, 'f'}, 0x0E: {8, 'f'}}

// isIDX reports whether a file may begin so.
func isIDX(start []byte) bool {
	return len(start) >= 4 && start[0] == 0 && start[1] == 0 && idxTypes[start[2]].bytes > 0 && start[3] >= 1 &&
		start[3] <= 4
}

// readIDXHeader reads an IDX file up to its first element.
func readIDXHeader(in io.Reader) (h header, err error) {
	start := make([]byte, 4)
	if _, err := io.ReadFull(in, start); err != nil || !isIDX(start) {
		return h, errors.New("it does not begin as IDX: 0, 0, a type and 1 to 4 dimensions")
	}
	t := idxTypes[start[2]]
	h.kind, h.bytes, h.big = t.kind, t.bytes, true
	left := int64(mostBytes) / int64(h.bytes)
	for range start[3] {
		var dim [4]byte
		if _, err := io.ReadFull(in, dim[:]); err != nil {
			return h, errors.New("its header ends early")
		}
		n := int64(binary.BigEndian.Uint32(dim[:]))
		if n < 1 || n > left {
			return h, fmt.Errorf("dimension %d is %d: want 1 element or more, and at most 1 TB of them", len(h.shape)+1,
				n)
		}
		left /= n
		h.shape = append(h.shape, int(n))
	}
	return h, nil
}

// bytes is the size of an IDX file of that header.
func (h header) idxBytes() int64 { return int64(4+4*len(h.shape)) + int64(h.count())*int64(h.bytes) }

// startIDX reads an IDX file of size bytes, packed by gzip or not, up to its first element, and requires as many bytes
// as its header says; of a packed one no more than unpacksTo.
func startIDX(path string, file io.Reader, size int64) (h header, in *bufio.Reader, err error) {
	in = bufio.NewReaderSize(file, 1<<18)
	most, packed := size, false
	if magic, _ := in.Peek(2); string(magic) == "\x1f\x8b" {
		unzipped, err := gzip.NewReader(in)
		if err != nil {
			return h, nil, corrupt(path, err, "want a gzip file")
		}
		in, most, packed = bufio.NewReaderSize(unzipped, 1<<18), unpacksTo(size), true
	}
	h, err = readIDXHeader(in)
	if want := h.idxBytes(); err == nil && (want > most || !packed && want != most) {
		err = fmt.Errorf("%s take %d bytes, and the file has %d%s", h, want, size,
			map[bool]string{true: ", to which images do not pack: unpack it first"}[packed])
	}
	if err != nil {
		return h, nil, corrupt(path, err, "want an IDX file")
	}
	return h, in, nil
}

// readIDX reads the images and the labels of a split.
func readIDX(s *data.Split, images, labels string) error {
	for _, part := range []struct {
		path string
		read func(s *data.Split, path string, file io.Reader, size int64) error
	}{{images, readIDXImages}, {labels, readIDXLabels}} {
		f, err := open(part.path)
		if err != nil {
			return err
		}
		err = part.read(s, part.path, f, f.Size)
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// readIDXImages reads images into s, bytes as bytes and floats as float32.
func readIDXImages(s *data.Split, path string, file io.Reader, size int64) error {
	h, in, err := startIDX(path, file, size)
	if err != nil {
		return err
	}
	floats := h.kind == 'f'
	if len(h.shape) != 3 || !floats && (h.kind != 'u' || h.bytes != 1) {
		return corrupt(path, nil, "want images (n, rows, cols) of bytes or floats, got %s", h)
	}
	n, f := h.shape[0], data.FormatOf(h.shape[1], h.shape[2], 1)
	if floats {
		f = data.FloatFormat(h.shape[1], h.shape[2], 1)
	}
	if err := f.Check(); err != nil || n > mostImages {
		return corrupt(path, err, "want at most %d images, got %s", mostImages, h)
	}
	if err := fitsMemory(path, n, recordForm{true, floats, f.Size()}.bytes()); err != nil {
		return err
	}
	s.Format = f
	if floats { // at once: a slice that grows takes up to five times its size, and a small packed file has large images
		s.Floats = make([]float32, 0, n*f.Size())
	} else {
		s.Pixels = make([]uint8, 0, n*f.Size())
	}
	raw := make([]byte, f.Size()*h.bytes)
	for i := range n {
		if _, err := io.ReadFull(in, raw); err != nil {
			return corrupt(path, cause(err), "want %d images of %d bytes, and image %d is not whole", n, len(raw), i+1)
		}
		if !floats {
			s.Pixels = append(s.Pixels, raw...)
			continue
		}
		if s.Floats, err = h.appendFloats(s.Floats, raw); err != nil {
			return corrupt(path, err, "image %d", i+1)
		}
	}
	if err := atEnd(in); err != nil {
		return corrupt(path, err, "want %d images of %d bytes", n, len(raw))
	}
	return nil
}

// readIDXLabels reads as many labels as s has images.
func readIDXLabels(s *data.Split, path string, file io.Reader, size int64) error {
	h, in, err := startIDX(path, file, size)
	if err != nil {
		return err
	}
	n := max(len(s.Pixels), len(s.Floats)) / s.Size()
	if h.kind == 'f' || len(h.shape) != 1 || h.shape[0] != n {
		return corrupt(path, nil, "want %d integers, one per image, got %s", n, h)
	}
	if s.Labels, err = h.labels(in, n); err != nil {
		return corrupt(path, err, "want %d labels", n)
	}
	return nil
}

// idxName splits the name of an IDX file: what comes before, the split, images or labels.
var idxName = regexp.MustCompile(`^(.*?)(train|t10k|test|val)[-_.]?(images|labels)[-_.]idx[134]-(?:ubyte|float)(\.gz)?$`)

// An idxFamily is the files of one set: the path of each by split and kind, as "train images".
type idxFamily struct {
	prefix string
	files  map[string]string
}

// idxFamilies finds IDX files in a folder by their names, by prefix; of a file that is there packed and unpacked, the
// unpacked. A file may be in a folder of its name, as programs that unpack put it.
func idxFamilies(folder string) (all []idxFamily) {
	entries, _ := os.ReadDir(folder) // of a folder that cannot be read, there are none
	for _, e := range entries {      // NAME comes before NAME.gz
		part, path := idxName.FindStringSubmatch(e.Name()), filepath.Join(folder, e.Name())
		if isDir(path) {
			path = filepath.Join(path, e.Name())
		}
		if part == nil || !isFile(path) {
			continue
		}
		split := strings.Replace(part[2], "t10k", "test", 1)
		i := slices.IndexFunc(all, func(f idxFamily) bool { return f.prefix == part[1] })
		if i < 0 {
			i, all = len(all), append(all, idxFamily{part[1], map[string]string{}})
		}
		if key := split + " " + part[3]; all[i].files[key] == "" {
			all[i].files[key] = path
		}
	}
	return all
}

// idxFolders are the folders with IDX files: path itself, and those in it or one deeper (MNIST/raw).
func idxFolders(path string) (with []string) {
	for depth, level := 0, []string{path}; depth < 3; depth++ {
		var below []string
		for _, folder := range level {
			if len(idxFamilies(folder)) > 0 {
				with = append(with, folder)
				continue
			}
			entries, _ := os.ReadDir(folder)
			for _, e := range entries {
				if e.IsDir() && !foreign.Hidden(e.Name()) && len(below) < mostClasses {
					below = append(below, filepath.Join(folder, e.Name()))
				}
			}
		}
		level = below
	}
	return with
}

// recognizeIDXIn reads the one set of IDX files in the folders.
func recognizeIDXIn(path string, folders []string) (*data.Set, error) {
	var names []string
	for _, folder := range folders {
		for _, f := range idxFamilies(folder) {
			names = append(names, visible.Word(filepath.Join(folder, f.prefix)))
		}
	}
	if len(names) > 1 {
		return nil, corrupt(path, nil,
			"it holds IDX files of %d sets, whose names begin with %s: name a folder or a file of one of them", len(names),
			strings.Join(names, ", "))
	}
	s, err := idxFamilies(folders[0])[0].open(folders[0])
	if inside, relErr := filepath.Rel(path, folders[0]); err == nil && relErr == nil && inside != "." {
		s.Inventory.Notes = append(s.Inventory.Notes, visible.Word(inside)+"/ was read: it has the IDX files")
		leaveBeside(s, path, strings.Split(inside, string(filepath.Separator))[0])
	}
	return s, err
}

// recognizeIDX reads the set to which the IDX file at path belongs.
func recognizeIDX(path string) (*data.Set, error) {
	part := idxName.FindStringSubmatch(filepath.Base(path))
	if part == nil {
		return nil, corrupt(path, nil,
			"want the name of an IDX file of a set, as train-images-idx3-ubyte or train-images-idx3-ubyte.gz")
	}
	for _, f := range idxFamilies(filepath.Dir(path)) {
		if f.prefix == part[1] {
			return f.open(filepath.Dir(path))
		}
	}
	return nil, &data.MissingError{Name: path, Dir: path}
}

// open reads the set. Without files of training images, it can only be evaluated.
func (f idxFamily) open(folder string) (*data.Set, error) {
	s := &data.Set{Path: folder}
	for _, part := range []struct {
		to   *data.Split
		name string
	}{{&s.Train, "train"}, {&s.Val, "val"}, {&s.Test, "test"}} {
		images, labels := f.files[part.name+" images"], f.files[part.name+" labels"]
		if part.name != "test" && images == "" && labels == "" {
			continue
		}
		for kind, file := range map[string]string{"images-idx3": images, "labels-idx1": labels} {
			if file == "" {
				return nil, corrupt(filepath.Join(folder, f.prefix+part.name+"-"+kind+"-ubyte"), nil,
					"want this file next to the others of the set, packed (.gz) or not, and it is not there")
			}
		}
		if err := readIDX(part.to, images, labels); err != nil {
			return nil, err
		}
	}
	if err := uniform(s); err != nil {
		return nil, corrupt(folder, err, "want images of one kind")
	}
	numberClasses(s)
	if err := readEMNIST(s, folder, f.prefix); err != nil {
		return nil, err
	}
	leaveOther(s, folder, f)
	return account(adopt(finish(s))), nil
}

// leaveOther notes the files next to the files of the set.
func leaveOther(s *data.Set, folder string, f idxFamily) {
	of := slices.Clone(s.Inventory.Read)
	for _, file := range f.files {
		name, _ := filepath.Rel(folder, file)
		of = append(of, strings.Split(name, string(filepath.Separator))[0])
	}
	leaveBeside(s, folder, of...)
}

// Installed is the folder of the files of the set called name, where a package of the operating system has brought them
// (Debian's dataset-fashion-mnist), else "". It looks in datasets in the folders of $XDG_DATA_DIRS.
func Installed(name string) string {
	k := Kinds.Find(name)
	if k == nil || k.idx == nil {
		return ""
	}
	dirs := os.Getenv("XDG_DATA_DIRS")
	if dirs == "" {
		dirs = "/usr/local/share:/usr/share"
	}
	for _, dir := range filepath.SplitList(dirs) {
		if folder := filepath.Join(dir, k.idx.folder); filepath.IsAbs(dir) && len(idxFamilies(folder)) > 0 {
			return folder
		}
	}
	return ""
}
