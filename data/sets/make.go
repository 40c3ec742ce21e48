package sets

import (
	"fmt"
	"image"
	"image/draw"

	"github.com/attnconv/attnconv/data"
)

// New makes a set of a program's own images; val and test may be empty. All images have one format. The error says what
// is wrong: a name that a set cannot have, fewer than two classes, sizes that do not fit the format, a label that is no
// class's, a value that is not finite. The set uses the slices that it is given.
//
// Without val images a tenth of the training images is held out. Package session needs test images.
func New(name string, classes []string, train, val, test data.Split) (*data.Set, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	if Kinds.Has(name) {
		return nil, fmt.Errorf("%q is the name of another set: want one of its own", name)
	}
	if n := len(classes); n < 2 || n > mostClasses {
		return nil, fmt.Errorf("%d classes: want 2 to %d", n, mostClasses)
	}
	s := &data.Set{Name: name, Classes: classes, Train: train, Val: val, Test: test, Stream: holdoutOf("")}
	for _, part := range []struct {
		name string
		of   data.Split
	}{{"train", train}, {"val", val}, {"test", test}} {
		if part.of.Len() == 0 && part.name != "train" {
			continue
		}
		if err := checkImages(part.of, len(classes)); err != nil {
			return nil, fmt.Errorf("%s: %w", part.name, err)
		}
	}
	if s.HeldOut = max(1, train.Len()/10); train.Len() < 2 {
		return nil, fmt.Errorf("want 2 or more training images, got %d", train.Len())
	}
	if err := uniform(s); err != nil {
		return nil, err
	}
	if test.Len() == 0 {
		s.Test = data.Split{Format: s.Format}
	}
	return finish(s), nil
}

// checkImages is check, also of every label and value.
func checkImages(s data.Split, classes int) error {
	if err := s.Check(); err != nil {
		return err
	}
	for i, label := range s.Labels {
		if label < 0 || int(label) >= classes {
			return fmt.Errorf("label %d of image %d: want 0 to %d", label, i, classes-1)
		}
		if err := checkFinite(s.Values(i)); err != nil {
			return fmt.Errorf("image %d: %w", i, err)
		}
	}
	return nil
}

// FromImages makes a split of images, all of one size, and their labels. It is gray where all of them are image.Gray,
// else RGB; transparency becomes black.
func FromImages(images []image.Image, labels []int32) (data.Split, error) {
	if len(images) == 0 || len(images) != len(labels) {
		return data.Split{}, fmt.Errorf("%d images and %d labels: want one or more, and as many of both", len(images),
			len(labels))
	}
	channels := 1
	for i, img := range images {
		if img == nil {
			return data.Split{}, fmt.Errorf("image %d is nil", i)
		}
		if _, gray := img.(*image.Gray); !gray {
			channels = 3
		}
		if got, want := img.Bounds().Size(), images[0].Bounds().Size(); got != want {
			return data.Split{}, fmt.Errorf("image %d has %d × %d pixels, and image 0 has %d × %d: want one size", i, got.Y,
				got.X,
				want.Y, want.X)
		}
	}
	size := images[0].Bounds().Size()
	format := data.FormatOf(size.Y, size.X, channels)
	if err := format.Check(); err != nil {
		return data.Split{}, err
	}
	s := data.NewSplit(format, len(images), false)
	copy(s.Labels, labels)
	for i, img := range images {
		fromImage(s.Bytes(i), img, s.Format)
	}
	return s, nil
}

// fromImage writes img to dst, (channels, rows, cols) of format f.
func fromImage(dst []uint8, img image.Image, f data.Format) {
	if gray, ok := img.(*image.Gray); ok && f.Channels == 1 {
		for y := range f.Rows {
			copy(dst[y*f.Cols:][:f.Cols], gray.Pix[y*gray.Stride:])
		}
		return
	}
	whole := image.NewRGBA(image.Rect(0, 0, f.Cols, f.Rows))
	draw.Draw(whole, whole.Bounds(), img, img.Bounds().Min, draw.Src)
	for j := range f.Rows * f.Cols {
		put(dst, j, f, [3]uint8(whole.Pix[4*j:]))
	}
}

// Shapes draws shapes32: 32 × 32 RGB images of ten shapes, each with its own place, size, rotation and colors,
// lighter than the graded background, among small distractors, partly occluded, and with noise. Neither color nor place
// determines the class, only the shape of an edge or a pattern, wherever it is. Image i shows class i mod 10.
//
// The test accuracy of softmax regression on the pixels is 46 % at best (TestShapesAreNotLinear); that of three layers
// that mix the 3 × 3 neighbors of 4 × 4 pixel tokens, 48 channels wide, is 95 % after two epochs and 99 % after five.
//
// All arithmetic is on integers, so that the bytes are the same on every machine.
func Shapes() *data.Set {
	s, err := shapesKind.made(data.Options{})
	if err != nil {
		panic(err) // it takes no options
	}
	return s
}

// SomeShapes returns the first n test images of Shapes, and the names of its classes, without drawing the others.
func SomeShapes(n int) (test data.Split, classes []string) { return drawAll("test", n), figureNames() }

// Placeholder returns the set called name with all images black, for what depends on their number alone: how long a run
// takes. It is nil for a set that does not come as files, and for one whose size is not known.
func Placeholder(name string) *data.Set {
	k := Kinds.Find(name)
	if !k.comesAsFiles() {
		return nil
	}
	format := k.format()
	black := func(n int) data.Split {
		s := data.NewSplit(format, n, false)
		for i := range s.Labels {
			s.Labels[i] = int32(i % len(k.Classes))
		}
		return s
	}
	return &data.Set{
		Format: format, Name: name, Classes: k.Classes, Train: black(k.Train), Test: black(k.Test),
		Note: fmt.Sprintf("%s is not there: black images stand for it", name), HeldOut: k.ValSize,
		Stream: holdoutOf(name),
	}
}
