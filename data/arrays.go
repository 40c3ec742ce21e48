package data

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"strings"

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

// readArrays reads an .npz file, a zip of arrays: the images of each split, bytes (n, rows, cols, 3),
// (n, rows, cols), (n, 3, 32, 32) or (n, 3072), and their labels, integers (n) or (n, 1). Images that are not 32 × 32
// are cropped to their central square and resized.
func readArrays(path string, in io.ReaderAt, size int64) (*Set, error) {
	archive, err := foreign.Zip(in, size)
	if err != nil {
		return nil, corrupt(path, err, "want a zip file of arrays (.npz)")
	}
	s := &Set{Format: rgb32, Path: path}
	left := mostOf(size)
	for _, part := range []struct {
		to   *Split
		name string
	}{{&s.Train, "train"}, {&s.Val, "val"}, {&s.Test, "test"}} {
		images, labels := member(archive, imageNames, part.name), member(archive, labelNames, part.name)
		if images == nil && labels == nil && part.name == "val" {
			continue
		}
		if images == nil || labels == nil {
			return nil, corrupt(path, nil, "want arrays x_%s and y_%s, and got %s", part.name, part.name, members(archive))
		}
		*part.to = Split{Format: rgb32}
		altered, err := readImages(part.to, path, images, &left)
		if err != nil {
			return nil, err
		}
		s.Altered = s.Altered || altered
		if err := readLabels(part.to, path, labels); err != nil {
			return nil, err
		}
	}
	s.nameClasses()
	return s.finish(), nil
}

// mostOf is how many images an .npz file of size bytes may give: deflate makes 1,032 bytes of one, and an image of one
// pixel becomes 32 × 32, so that a small file could otherwise take all memory. Real images come nowhere near.
func mostOf(size int64) int64 {
	const free, ratio = 64 << 20, 1000
	most := free + ratio*min(size, math.MaxInt64/(2*ratio))
	if have := memory.Total(); have > 0 {
		most = min(most, have/2) // Import and digests take more
	}
	return most / int64(rgb32.Size()+1)
}

// nameClasses names the classes of arrays, which have indices alone: like those of CIFAR if the sizes are CIFAR's.
func (s *Set) nameClasses() {
	s.numberClasses()
	n := len(s.Classes)
	for _, k := range Kinds {
		if s.Classes = k.Classes; n == len(k.Classes) && s.nameByContent() == k.Name {
			s.Name, s.valSize, s.holdout = k.Name, k.ValSize, holdoutOf(k.Name)
			return
		}
	}
	s.Classes = numbersTo(n)
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

// openArray opens an array of the zip file at path, and wants as many bytes in it as its header says.
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
	if err != nil {
		content.Close()
		return entry, h, nil, nil, corrupt(entry, err, "want an array of NumPy")
	}
	return entry, h, in, content.Close, nil
}

// readImages reads an array of at most *left images, and subtracts their number from *left.
func readImages(s *Split, path string, f *zip.File, left *int64) (altered bool, err error) {
	entry, h, buffered, end, err := openArray(path, f)
	if err != nil {
		return false, err
	}
	defer end()
	p, ok := imagesOf(h)
	if !ok {
		return false, corrupt(entry, nil, "want bytes (n, rows, cols, 3), (n, rows, cols), (n, 3, 32, 32) or (n, 3072), "+
			"got %s", h)
	}
	if *left -= int64(h.shape[0]); *left < 0 {
		return false, corrupt(entry, nil, "%d images are too many for a file of its size, or for this machine's memory: "+
			"want at most %d", h.shape[0], *left+int64(h.shape[0]))
	}
	if err := fitsMemory(entry, h.shape[0], rgb32.Size()+1); err != nil {
		return false, err
	}
	s.Pixels = make([]byte, 0, h.shape[0]*s.Size())
	raw, one := make([]byte, p.size()), make([]byte, s.Size())
	for i := range h.shape[0] {
		if _, err := io.ReadFull(buffered, raw); err != nil {
			return false, corrupt(entry, cause(err), "want %d images of %d bytes, and image %d is not whole",
				h.shape[0], len(raw), i+1)
		}
		p.convert(one, raw)
		s.Pixels = append(s.Pixels, one...)
	}
	if err := atEnd(buffered); err != nil {
		return false, corrupt(entry, err, "want %d images of %d bytes", h.shape[0], len(raw))
	}
	return p.rows != rgb32.Rows || p.cols != rgb32.Cols, nil
}

// readLabels reads the labels of the images in s.
func readLabels(s *Split, path string, f *zip.File) error {
	entry, h, buffered, end, err := openArray(path, f)
	if err != nil {
		return err
	}
	defer end()
	n := len(s.Pixels) / s.Size()
	if h.kind == 'f' || h.shape[0] != n || h.count() != n {
		return corrupt(entry, nil, "want %d integers, one per image, got %s", n, h)
	}
	if s.Labels, err = h.labels(buffered, n); err != nil {
		return corrupt(entry, err, "want %d labels", n)
	}
	return nil
}

// atEnd wants the end of an array; with it comes the checksum of the zip file.
func atEnd(in io.Reader) error {
	switch n, err := io.CopyN(io.Discard, in, 1); {
	case n > 0:
		return errors.New("it goes on")
	case err != io.EOF:
		return err
	}
	return nil
}

// images says how the images of an array lie in it.
type images struct {
	rows, cols, channels int
	planes               bool // channels come first
}

func (p images) size() int { return p.rows * p.cols * p.channels }

// imagesOf reads the shape of an array.
func imagesOf(h header) (p images, ok bool) {
	if h.kind != 'u' || h.bytes != 1 || len(h.shape) < 2 {
		return p, false
	}
	switch d := h.shape[1:]; {
	case len(d) == 1 && d[0] == rgb32.Size(), len(d) == 3 && d[0] == 3 && d[1] == rgb32.Rows && d[2] == rgb32.Cols:
		p = images{rgb32.Rows, rgb32.Cols, 3, true}
	case len(d) == 3 && (d[2] == 1 || d[2] == 3):
		p = images{d[0], d[1], d[2], false}
	case len(d) == 2:
		p = images{d[0], d[1], 1, false}
	}
	ok = p.rows > 0 && p.cols > 0 && p.rows <= 4096 && p.cols <= 4096 && h.shape[0] <= mostImages
	return p, ok
}

// convert writes one image to dst, as in Split.Pixels.
func (p images) convert(dst, raw []byte) {
	if p.planes {
		copy(dst, raw)
		return
	}
	plane := rgb32.Rows * rgb32.Cols
	if p.rows == rgb32.Rows && p.cols == rgb32.Cols {
		for j := range plane {
			for ch := range 3 {
				dst[ch*plane+j] = raw[j*p.channels+min(ch, p.channels-1)]
			}
		}
		return
	}
	img := image.NewNRGBA(image.Rect(0, 0, p.cols, p.rows))
	for j := range p.rows * p.cols {
		for ch := range 3 {
			img.Pix[4*j+ch] = raw[j*p.channels+min(ch, p.channels-1)]
		}
		img.Pix[4*j+3] = 255
	}
	fit(dst, img, upright)
}
