// Package data turns files into batches: CIFAR-10 and CIFAR-100, folders of images, and shapes32, drawn here.
//
//	files ── Open ── Set ── Set.Split ── Split (train, val, test) ── Loader ── Batch
//
// Images stay bytes until the loader crops, flips and normalises them. The package knows nothing of graphs or models.
package data

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"math"
	"sync"
)

// A Format is the layout of images in memory and their normalisation: x = (byte/255 - mean) / std, by channel.
type Format struct {
	Rows, Cols, Channels int
	Mean, Std            [3]float32 // of each channel, in 0..1
}

// rgb32 is the format of every set here. Mean and std are those that the paper's code takes for CIFAR; all sets share
// them, so that a model trained on one takes images of another.
var rgb32 = Format{
	Rows: 32, Cols: 32, Channels: 3,
	Mean: [3]float32{0.4914, 0.4822, 0.4465},
	Std:  [3]float32{0.2023, 0.1994, 0.2010},
}

// Size is the number of bytes of one image.
func (f Format) Size() int { return f.Rows * f.Cols * f.Channels }

// A Split is a list of n labelled images.
type Split struct {
	Format
	Pixels []uint8 // (n, channels, rows, cols): planes of red, green, blue, as in CIFAR's files
	Labels []uint8 // (n): an index into Set.Classes

	order []int // pixel order[i] is shown at place i, row by row; nil: no permutation (see Options.Permute)
}

// Len is the number of images.
func (s Split) Len() int { return len(s.Labels) }

// check returns the first inconsistency of a split that a caller has composed.
func (s Split) check() error {
	switch {
	case s.Rows < 1 || s.Cols < 1:
		return fmt.Errorf("data: want images of 1 or more rows and columns, got %d × %d", s.Rows, s.Cols)
	case s.Channels < 1 || s.Channels > len(s.Mean):
		return fmt.Errorf("data: want images of 1 to %d channels, got %d", len(s.Mean), s.Channels)
	case len(s.Pixels) != s.Len()*s.Size():
		return fmt.Errorf("data: %d labels, and %d bytes of pixels; want %d × %d × %d bytes an image",
			s.Len(), len(s.Pixels), s.Rows, s.Cols, s.Channels)
	}
	for c, std := range s.Std[:s.Channels] {
		if mean := float64(s.Mean[c]); !(std > 0) || math.IsInf(float64(std), 0) || math.IsNaN(mean) || math.IsInf(mean, 0) {
			return fmt.Errorf("data: mean %v and std %v of channel %d: want finite values, and a std above 0", mean, std, c)
		}
	}
	return nil
}

// Bytes returns image i, (channels, rows, cols), as they are in the set. They belong to the split.
func (s Split) Bytes(i int) []uint8 {
	size := s.Size()
	return s.Pixels[i*size : (i+1)*size : (i+1)*size]
}

// Image returns image i for drawing, as a network sees it: with permuted pixels if the split is permuted.
func (s Split) Image(i int) image.Image {
	plane := s.Rows * s.Cols
	p, img := s.Bytes(i), image.NewNRGBA(image.Rect(0, 0, s.Cols, s.Rows))
	for j := range plane {
		from := j
		if s.order != nil {
			from = s.order[j]
		}
		for c := range 3 {
			img.Pix[4*j+c] = p[min(c, s.Channels-1)*plane+from]
		}
		img.Pix[4*j+3] = 255
	}
	return img
}

// Seen undoes the normalisation of x, (rows, cols, channels), which a loader made, and returns it as an image.
func (f Format) Seen(x []float32) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, f.Cols, f.Rows))
	for j := range f.Rows * f.Cols {
		for c := range 3 {
			from := min(c, f.Channels-1)
			v := 255 * (x[j*f.Channels+from]*f.Std[from] + f.Mean[from])
			img.Pix[4*j+c] = uint8(max(0, min(255, v+0.5)))
		}
		img.Pix[4*j+3] = 255
	}
	return img
}

// Subset copies the images at the given indices, in the order of the indices.
func (s Split) Subset(indices []int) Split {
	out := Split{
		Format: s.Format, order: s.order,
		Pixels: make([]uint8, 0, len(indices)*s.Size()),
		Labels: make([]uint8, 0, len(indices)),
	}
	for _, i := range indices {
		out.Pixels = append(out.Pixels, s.Bytes(i)...)
		out.Labels = append(out.Labels, s.Labels[i])
	}
	return out
}

// Counts is the number of images of each of n classes.
func (s Split) Counts(n int) []int {
	counts := make([]int, n)
	for _, l := range s.Labels {
		counts[l]++
	}
	return counts
}

// Digest is the SHA-256, in hexadecimal, over one record an image: its label, then its bytes. For CIFAR-10 those are
// the records of the published files, in whichever layout the set came.
func (s Split) Digest() string {
	h := sha256.New()
	for i := range s.Labels {
		h.Write(s.Labels[i : i+1])
		h.Write(s.Bytes(i))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Digests are the content digests of a set, as Split.Digest gives them.
type Digests struct {
	Train string `json:"train"`
	Test  string `json:"test"`
}

// A Set is a data set, opened.
type Set struct {
	Format
	Name      string   // what auto was resolved to: cifar10, cifar100, shapes32, or the path of a folder
	Path      string   // the folder or archive that the images came from; empty for shapes32
	Classes   []string // names, by label
	Train     Split
	Val       Split // empty unless the set brings images of its own for validation (val/ of a folder)
	Test      Split
	Digest    Digests
	Published bool   // Digest is the one that this package knows for Name
	Altered   bool   // some images were decoded from JPEG or the like, or resized: they are not their makers' bytes
	Note      string // what the user should be told: what auto chose, and why; may be empty

	valSize int    // how many images to hold out by default
	holdout string // the stream of the hold-out, the same for every run
}

// finish computes what follows from the images.
func (s *Set) finish() *Set {
	var both sync.WaitGroup
	both.Go(func() { s.Digest.Train = s.Train.Digest() })
	both.Go(func() { s.Digest.Test = s.Test.Digest() })
	both.Wait()
	return s.named(s.Name)
}

// named gives the set its name.
func (s *Set) named(name string) *Set {
	k := Kinds.Find(name)
	s.Name, s.Published = name, k.publishes(s.Digest)
	return s
}

// publishes reports whether d are the digests of k's images as they were published. k may be nil.
func (k *Kind) publishes(d Digests) bool { return k != nil && k.Digest != (Digests{}) && k.Digest == d }
