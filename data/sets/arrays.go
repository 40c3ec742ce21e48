package sets

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/internal/memory"
	"github.com/attnconv/attnconv/internal/visible"
)

// The names under which arrays of images and labels are kept: those of Keras (x_train, y_train), of MedMNIST
// (train_images, train_labels), and the like.
var (
	imageNames = []string{"x_%", "%_x", "%_images", "images_%", "%_data", "x%", "%x"}
	labelNames = []string{"y_%", "%_y", "%_labels", "labels_%", "%_targets", "y%", "%y"}
)

// unsplit are the names of images and labels in a file of one split.
var unsplit = [2][]string{{"x", "images", "data", "arr_0"}, {"y", "labels", "targets", "arr_1"}}

// readArrays reads an .npz file, a zip of arrays: the images of each split, bytes (n, rows, cols, channels), (n, rows,
// cols), (n, 3, rows, cols) or (n, 3072), or floats of the first three shapes, and their labels, integers (n) or (n,
// 1). Bytes become images as want says; floats are kept as they are. Images without a split are test images.
func readArrays(path string, in io.ReaderAt, size int64, want Fit) (*data.Set, error) {
	archive, err := foreign.Zip(in, size)
	if err != nil {
		return nil, corrupt(path, err, "want a zip file of arrays (.npz)")
	}
	s := &data.Set{Path: path}
	left, read := mostOf(size), []*zip.File{}
	for _, part := range []struct {
		to   *data.Split
		name string
	}{{&s.Train, "train"}, {&s.Val, "val"}, {&s.Test, "test"}} {
		images, labels := member(archive, imageNames, part.name), member(archive, labelNames, part.name)
		if images == nil && labels == nil && (part.name != "test" || len(read) > 0) {
			continue
		}
		if images == nil && labels == nil {
			images, labels = member(archive, unsplit[0], ""), member(archive, unsplit[1], "")
			s.Inventory.Notes = []string{"the arrays name no split: they became the test images"}
		}
		switch {
		case images == nil && labels == nil:
			return nil, noArrays(path, archive, "train")
		case images == nil || labels == nil:
			return nil, noArrays(path, archive, part.name)
		}
		lost, err := readImages(part.to, path, images, want, &left)
		if err != nil {
			return nil, err
		}
		s.Altered = s.Altered || lost != 0
		if err := readLabels(part.to, path, labels); err != nil {
			return nil, err
		}
		for _, why := range lost.words(part.to.Format) {
			s.Inventory.Lose(part.to.Len(), images.Name, why)
		}
		read = append(read, images, labels)
	}
	if s.Test.Len() == 0 {
		return nil, noArrays(path, archive, "test")
	}
	if err := uniform(s); err != nil {
		return nil, corrupt(path, err, "want images of one kind")
	}
	for _, f := range archive.File {
		if !slices.Contains(read, f) {
			s.Inventory.Leave("array", strings.TrimSuffix(f.Name, ".npy"), "neither images nor labels of a split", "")
		}
	}
	nameClasses(s)
	return account(adopt(finish(s))), nil
}

// noArrays is the error for a zip file without the images or the labels of a split.
func noArrays(path string, archive *zip.Reader, part string) error {
	arrays := false
	var names []string
	for _, f := range archive.File {
		names = append(names, f.Name)
		arrays = arrays || strings.HasSuffix(f.Name, ".npy")
	}
	if err := archived(path, names); err != nil && !arrays {
		return err
	}
	if !arrays && len(names) > 0 {
		return corrupt(path, nil, "a zip file without arrays (%s): unpack it, and import the folder", members(archive))
	}
	return corrupt(path, nil, "want arrays x_%s and y_%s, and got %s", part, part, members(archive))
}

// mostOf is how many bytes the images of an .npz file of size bytes may take: deflate makes 1,032 bytes of one, and an
// image of one pixel becomes 32 × 32, so that a small file could otherwise take all memory. Real images come nowhere
// near.
func mostOf(size int64) int64 {
	const free, ratio = 64 << 20, 1000
	most := free + ratio*min(size, math.MaxInt64/(2*ratio))
	if have := memory.Total(); have > 0 {
		most = min(most, have/2) // Import and digests take more
	}
	return most
}

// nameClasses names the classes of arrays, which have only indices: like those of CIFAR if the sizes are CIFAR's.
func nameClasses(s *data.Set) {
	numberClasses(s)
	n := len(s.Classes)
	for _, k := range Kinds {
		if s.Classes = k.Classes; n == len(k.Classes) && nameByContent(s) == k.Name {
			s.Name, s.HeldOut, s.Stream = k.Name, k.ValSize, holdoutOf(k.Name)
			return
		}
	}
	s.Classes = numberNames(n)
}

// member finds the array of a split by its names.
func member(archive *zip.Reader, names []string, part string) *zip.File {
	for _, name := range names {
		want := strings.ReplaceAll(name, "%", part) + ".npy"
		for _, f := range archive.File {
			if strings.EqualFold(f.Name, want) {
				return f
			}
		}
	}
	return nil
}

// members are the names in the archive, for an error.
func members(archive *zip.Reader) string {
	var names []string
	for _, f := range archive.File[:min(len(archive.File), 8)] {
		names = append(names, visible.Word(strings.TrimSuffix(f.Name, ".npy")))
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// openArray opens an array of the zip file at path, and requires as many bytes in it as its header says.
func openArray(path string, f *zip.File) (entry string, h header, in *bufio.Reader, end func() error, err error) {
	entry = path + ": " + visible.Word(f.Name)
	content, err := f.Open()
	if err != nil {
		return entry, h, nil, nil, corrupt(entry, err, "want a readable array")
	}
	in = bufio.NewReaderSize(content, 1<<18)
	h, err = readHeader(in)
	if want := int64(h.count()) * int64(h.bytes); err == nil && int64(f.UncompressedSize64) < want {
		err = fmt.Errorf("%s take %d bytes, and the member has %d", h, want, f.UncompressedSize64)
	}
	if packed := int64(min(f.CompressedSize64, math.MaxInt64)); err == nil && f.Method != zip.Store &&
		int64(h.count())*int64(h.bytes) > unpacksTo(packed) {
		err = fmt.Errorf("%s are packed into %d bytes, fewer than images pack to: save it by numpy.savez", h, packed)
	}
	if err != nil {
		content.Close()
		return entry, h, nil, nil, corrupt(entry, err, "want an array of numbers")
	}
	return entry, h, in, content.Close, nil
}

// readImages reads an array of images that take at most *left bytes, and subtracts what they take. It returns what they
// lose.
func readImages(s *data.Split, path string, f *zip.File, want Fit, left *int64) (lost losses, err error) {
	entry, h, buffered, end, err := openArray(path, f)
	if err != nil {
		return 0, err
	}
	defer end()
	p, ok := imagesOf(h)
	if !ok {
		return 0, corrupt(entry, nil,
			"want bytes (n, rows, cols, 3), (n, rows, cols), (n, 3, rows, cols) or (n, 3072), or "+
				"floats of 32 or 64 bits, got %s", h)
	}
	if s.Format, err = want.of(p); err != nil {
		return 0, corrupt(entry, err, "%s", h)
	}
	n, one := h.shape[0], int64(recordForm{true, p.floats, s.Size()}.bytes())
	if int64(n)*one > *left {
		return 0, corrupt(entry, nil,
			"%d images are too many for a file of its size, or for this machine's memory: "+
				"want at most %d", n, *left/one)
	}
	*left -= int64(n) * one
	if err := fitsMemory(entry, n, int(one)); err != nil {
		return 0, err
	}
	if err := p.read(s, buffered, h); err != nil {
		return 0, corrupt(entry, err, "want %d images of %d bytes", n, p.size()*h.bytes)
	}
	return p.lossesTo(s.Format), nil
}

// readLabels reads the labels of the images in s.
func readLabels(s *data.Split, path string, f *zip.File) error {
	entry, h, buffered, end, err := openArray(path, f)
	if err != nil {
		return err
	}
	defer end()
	n := max(len(s.Pixels), len(s.Floats)) / s.Size()
	if h.kind == 'f' || h.shape[0] != n || h.count() != n {
		return corrupt(entry, nil, "want %d integers, one per image, got %s", n, h)
	}
	if s.Labels, err = h.labels(buffered, n); err != nil {
		return corrupt(entry, err, "want %d labels", n)
	}
	return nil
}
