package sets

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/attnconv/attnconv/data"
)

// OpenArrays reads images and labels, each an array of NumPy (.npy), as the test images of a set with the given
// classes: what CIFAR-10-C and CIFAR-10.1 are distributed as. Shapes are as in an .npz file, and want says what becomes
// of bytes. The error is a *data.CorruptError.
func OpenArrays(images, labels string, classes []string, want Fit) (*data.Set, error) {
	s := &data.Set{Name: images, Path: images, Classes: classes, Stream: holdoutOf("")}
	err := readArray(images, func(h header, in *bufio.Reader) error {
		p, ok := imagesOf(h)
		if !ok {
			return fmt.Errorf("want bytes (n, rows, cols, 3), (n, rows, cols), (n, 3, rows, cols) or (n, 3072), or "+
				"floats of 32 or 64 bits, got %s", h)
		}
		format, err := want.of(p)
		if err != nil {
			return err
		}
		s.Test.Format = format
		lost := p.lossesTo(format)
		s.Altered = lost != 0
		for _, why := range lost.words(format) {
			s.Inventory.Lose(h.shape[0], images, why)
		}
		if err := fitsMemory(images, h.shape[0], recordForm{true, p.floats, format.Size()}.bytes()); err != nil {
			return err
		}
		return p.read(&s.Test, in, h)
	})
	if err != nil {
		return nil, err
	}
	n := max(len(s.Test.Pixels), len(s.Test.Floats)) / s.Test.Size()
	err = readArray(labels, func(h header, in *bufio.Reader) (err error) {
		if h.kind == 'f' || h.shape[0] != n || h.count() != n {
			return fmt.Errorf("want %d integers, one for each image of %s, got %s", n, images, h)
		}
		if s.Test.Labels, err = h.labels(in, n); err == nil && int(slices.Max(s.Test.Labels)) >= len(classes) {
			err = fmt.Errorf("label %d: want labels below %d, the number of classes", slices.Max(s.Test.Labels),
				len(classes))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s.Format = s.Test.Format
	return finish(account(s)), nil
}

// readArray opens an array of NumPy, and requires as many bytes as its header says.
func readArray(path string, read func(h header, in *bufio.Reader) error) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<18)
	counted := &io.LimitedReader{R: in, N: f.Size}
	h, err := readHeader(counted)
	if want := int64(h.count()) * int64(h.bytes); err == nil && counted.N != want {
		err = fmt.Errorf("%s take %d bytes, and the file has %d", h, want, counted.N)
	}
	if err == nil {
		err = read(h, in)
	}
	if bad := (*data.CorruptError)(nil); err == nil || errors.As(err, &bad) {
		return err
	}
	return corrupt(path, err, "want an array of numbers (.npy)")
}
