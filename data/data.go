// Package data turns the images of a set, in memory, into batches.
//
//	Set ── Set.Split ── Split (train, val, test) ── Loader ── Batch
//
// Images stay bytes until the loader crops, flips and normalizes them. The package reads no files and knows nothing of
// graphs or models.
//
// Stable: Options, Set, Split, Loader, and the order of batches that a seed means.
package data

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/attnconv/attnconv/internal/stream"
)

// A Format is the layout of images in memory and their normalization: x = (byte/255 - mean) / std, by channel, or
// x = (value - mean) / std of images that are float32.
type Format struct {
	Rows, Cols, Channels int
	Mean, Std            []float32 // one for each channel
}

// The normalization of bytes, in 0..1: of images of three channels that of CIFAR in the paper's code, of all others
// that of Fashion-MNIST's training images. All sets share them, so that a model trained on one takes images of another.
var (
	meanRGB, stdRGB = []float32{0.4914, 0.4822, 0.4465}, []float32{0.2023, 0.1994, 0.2010}

	meanGray, stdGray float32 = 0.2860, 0.3530
)

// FormatOf is the format of images of bytes, with the normalization that all such images share here.
func FormatOf(rows, cols, channels int) Format {
	if channels == 3 {
		return Format{Rows: rows, Cols: cols, Channels: channels, Mean: meanRGB, Std: stdRGB}
	}
	return evenFormat(rows, cols, channels, meanGray, stdGray)
}

// FloatFormat is the format of images of float32, which enter a network as they are: mean 0, std 1.
func FloatFormat(rows, cols, channels int) Format { return evenFormat(rows, cols, channels, 0, 1) }

// evenFormat is the format of images whose channels all have one mean and one std.
func evenFormat(rows, cols, channels int, mean, std float32) Format {
	f := Format{Rows: rows, Cols: cols, Channels: channels}
	if n := min(max(0, channels), mostChannels); n > 0 {
		f.Mean, f.Std = slices.Repeat([]float32{mean}, n), slices.Repeat([]float32{std}, n)
	}
	return f
}

// Bounds of an image that is read from a file or made by a program, as model.Spec has them.
const (
	mostSide     = 1 << 12
	mostChannels = 1 << 12
)

// Size is the number of values of one image.
func (f Format) Size() int { return f.Rows * f.Cols * f.Channels }

// Shape is rows, columns and channels, as model.Spec.Image has them.
func (f Format) Shape() [3]int { return [3]int{f.Rows, f.Cols, f.Channels} }

// String is "28 × 28 grey", "32 × 32 RGB" or "16 × 16 × 5".
func (f Format) String() string {
	switch f.Channels {
	case 1:
		return fmt.Sprintf("%d × %d grey", f.Rows, f.Cols)
	case 3:
		return fmt.Sprintf("%d × %d RGB", f.Rows, f.Cols)
	}
	return fmt.Sprintf("%d × %d × %d", f.Rows, f.Cols, f.Channels)
}

// Check returns the first rule that f breaks.
func (f Format) Check() error {
	switch {
	case f.Rows < 1 || f.Cols < 1 || max(f.Rows, f.Cols) > mostSide:
		return fmt.Errorf("want images of 1 to %d rows and columns, got %d × %d", mostSide, f.Rows, f.Cols)
	case f.Channels < 1 || f.Channels > mostChannels:
		return fmt.Errorf("want images of 1 to %d channels, got %d", mostChannels, f.Channels)
	case len(f.Mean) != f.Channels || len(f.Std) != f.Channels:
		return fmt.Errorf("%d means and %d stds: want one of each for each of %d channels", len(f.Mean), len(f.Std),
			f.Channels)
	}
	for c, std := range f.Std {
		if mean := float64(f.Mean[c]); !(std > 0) || math.IsInf(float64(std), 0) || math.IsNaN(mean) ||
			math.IsInf(mean, 0) {
			return fmt.Errorf("mean %v and std %v of channel %d: want finite values, and a std above 0", mean, std, c)
		}
	}
	return nil
}

// A Split is a list of n labeled images, of bytes or of float32.
type Split struct {
	Format
	Pixels []uint8   // (n, channels, rows, cols): planes of red, green, blue, as in CIFAR's files
	Floats []float32 // instead of Pixels, for images of float32, finite
	Labels []int32   // (n): an index into Set.Classes

	order []int // pixel order[i] is shown at place i, row by row; nil: no permutation (see Options.Permute)
}

// NewSplit is a split of n images, of bytes or of float32, that are all zero and of class 0.
func NewSplit(f Format, n int, floats bool) Split {
	s := Split{Format: f, Labels: make([]int32, n)}
	if floats {
		s.Floats = make([]float32, n*s.Size())
	} else {
		s.Pixels = make([]uint8, n*s.Size())
	}
	return s
}

// Len is the number of images.
func (s Split) Len() int { return len(s.Labels) }

// Check returns the first inconsistency of a split that a caller has composed.
func (s Split) Check() error {
	if err := s.Format.Check(); err != nil {
		return err
	}
	values, kind := len(s.Pixels), "bytes"
	if s.Floats != nil {
		values, kind = len(s.Floats), "floats"
	}
	switch {
	case s.Floats != nil && s.Pixels != nil:
		return errors.New("images of bytes and of floats: want one of both")
	case values != s.Len()*s.Size():
		return fmt.Errorf("%d labels, and %d %s of pixels; want %d × %d × %d %s an image",
			s.Len(), values, kind, s.Rows, s.Cols, s.Channels, kind)
	}
	return nil
}

// Bytes returns image i, (channels, rows, cols), as they are in the set. They belong to the split. Of images of float32
// it is nil.
func (s Split) Bytes(i int) []uint8 { return of(s.Pixels, i, s.Size()) }

// Values returns image i, (channels, rows, cols), of a split of float32. They belong to the split. Of images of bytes
// it is nil.
func (s Split) Values(i int) []float32 { return of(s.Floats, i, s.Size()) }

// of is part i of size elements; nil of none.
func of[T any](all []T, i, size int) []T {
	if all == nil {
		return nil
	}
	return all[i*size : (i+1)*size : (i+1)*size]
}

// Subset copies the images at the given indices, in the order of the indices.
func (s Split) Subset(indices []int) Split {
	out := Split{Format: s.Format, order: s.order, Labels: make([]int32, 0, len(indices))}
	if s.Floats != nil {
		out.Floats = make([]float32, 0, len(indices)*s.Size())
	} else {
		out.Pixels = make([]uint8, 0, len(indices)*s.Size())
	}
	for _, i := range indices {
		out.Pixels = append(out.Pixels, s.Bytes(i)...)
		out.Floats = append(out.Floats, s.Values(i)...)
		out.Labels = append(out.Labels, s.Labels[i])
	}
	return out
}

// Sample copies n images, or all if there are fewer, in the order of s. It chooses them at random, since some sets list
// their images by class, and always the same.
func (s Split) Sample(n int) Split {
	at := stream.Rand(0, "sample").Perm(s.Len())[:min(max(n, 0), s.Len())]
	slices.Sort(at)
	return s.Subset(at)
}

// Counts is the number of images of each of n classes.
func (s Split) Counts(n int) []int {
	counts := make([]int, n)
	for _, l := range s.Labels {
		counts[l]++
	}
	return counts
}

// Digests are the content digests of a set: the SHA-256, in hexadecimal, over one record an image, its label and then
// its values (see record). For CIFAR-10 those are the records of the published files, in whichever layout the set came.
type Digests struct {
	Train string `json:"train"` // of the training images
	Test  string `json:"test"`  // of the test images
}

// A Set is a data set, opened.
type Set struct {
	Format
	Name      string   // what auto was resolved to: a name in sets.Kinds, of an imported set, or the path of a folder
	Path      string   // the folder or archive that the images came from; empty for shapes32
	Classes   []string // names, by label
	Train     Split
	Val       Split // empty unless the set brings images of its own for validation (val/ of a folder)
	Test      Split
	Digest    Digests
	Published bool      // Digest is the one that this package knows for Name
	Altered   bool      // images were decoded from JPEG or the like, or resized: not their makers' bytes
	Note      string    // what the user should be told: what auto chose, what was not read; may be empty
	Inventory Inventory // what was taken of the files, and what was left; empty for imported and built-in sets

	HeldOut int    // how many images to hold out by default
	Stream  string // the stream of the hold-out, the same for every run
}

// Floats reports whether the images are float32; else they are bytes.
func (s *Set) Floats() bool { return s.Train.Floats != nil || s.Test.Floats != nil }

// Kind says in words what the images are: 28 × 28 grey, 16 × 16 × 5 of float32.
func (s *Set) Kind() string {
	if s.Floats() {
		return s.Format.String() + " of float32"
	}
	return s.Format.String()
}

// Unusual is Kind, or "" for a set of 32 × 32 RGB bytes, as most are.
func (s *Set) Unusual() string {
	if s.Shape() == [3]int{32, 32, 3} && !s.Floats() {
		return ""
	}
	return s.Kind()
}
