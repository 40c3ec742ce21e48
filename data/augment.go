package data

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/option"
)

// An Augmentation is a random change of a training image. It leaves the class as it is, except for Mix.
type Augmentation struct {
	Name, Help string
	Parameters []Parameter // numbers that may follow its name, as in mixup=0.2; nil: none
	// Word says from which of an image's random 64-bit words the change is drawn, counted from 0. Two augmentations
	// may share a word and take other bits of it.
	Word int
	// Alternate has the word drawn once for all epochs, except for its bit 0, which is the other one in every epoch.
	Alternate bool
	// Place draws where the image's pixels go. It costs nothing, since pixels are copied anyway. May be nil.
	Place func(p *Placement, f Format, word uint64)
	// Edit changes the pixels x, (rows, cols, channels), where they are, after normalization: 0 is the mean color. May
	// be nil.
	Edit func(x []float32, f Format, word uint64)
	// Paint changes the bytes of an image, (channels, rows, cols), before they are placed; spare is as long. It does
	// not apply to images of float32. May be nil.
	Paint func(img, spare []uint8, f Format, values []float64, r *rand.Rand)
	// Mix changes the pixels x, as Edit has them, to a mixture with those of another image of the epoch, and returns
	// the share of the other image. The label gets the same share of the other class. Of several augmentations that
	// mix, each image has one, drawn at random. May be nil.
	Mix func(x, other []float32, f Format, values []float64, r *rand.Rand) (share float64)
}

// Entry implements option.Named.
func (a Augmentation) Entry() (name, help string) {
	if len(a.Parameters) == 0 {
		return a.Name, a.Help
	}
	return a.Name, fmt.Sprintf("%s (default: %s=%s)", a.Help, a.Name, valuesText(a.defaults()))
}

// A Placement is where the pixels of an image go.
type Placement struct {
	Down, Right int // the crop begins there: pixels from the image's corner; what comes in from outside is black
	// pixels by which the crop then moves down and right; what comes in is the crop, mirrored at its outermost pixels
	Nudge [2]int
	Flip  bool // left and right change places, at last
}

// source returns the pixel of n along an axis that is at i, of a crop that begins at from and is nudged; -1 for
// padding.
func source(i, n, from, nudge int) int {
	if i -= nudge; i < 0 || i >= n {
		i = mirrorIndex(i, n)
	}
	if i += from; i < 0 || i >= n {
		return -1
	}
	return i
}

// mirrorIndex is i in 0 … n-1, mirrored at both ends as often as it takes: -1 is 1, and n is n-2.
func mirrorIndex(i, n int) int {
	period := max(1, 2*(n-1))
	i = (i%period + period) % period
	return min(i, period-i)
}

// Augmentations lists what Options.Augment may name, in the order in which they are applied, whatever the order of the
// names. To add one, write its function and its line here, with a Word of its own.
//
// Crop and flip are the paper's two (the reference's data pipeline). Sources: of cutout DeVries, Taylor 2017
// (arXiv:1708.04552); of altflip and shift Jordan 2024 (arXiv:2404.00498);
// of mixup Zhang and others 2018 (arXiv:1710.09412); of cutmix Yun and others 2019 (arXiv:1905.04899); of randaugment
// Cubuk and others 2020 (arXiv:1909.13719).
var Augmentations = option.List[Augmentation]{
	{Name: "crop", Help: "crop the image, padded by 4 black pixels, to its size at a random place", Place: placeCrop},
	{Name: "shift", Help: "shift the image by up to 2 pixels, mirrored at its border; instead of crop",
		Place: placeShift},
	{Name: "flip", Help: "mirror the image with probability ½", Place: placeFlip},
	{Name: "altflip", Help: "mirror the image in every second epoch, half of them from the first on; instead of flip",
		Alternate: true, Place: placeFlip},
	{Name: "cutout", Help: "a square of half the side, around a random pixel, becomes the mean color", Word: 1,
		Edit: cutOut},
	{Name: "randaugment", Help: "randaugment=NxM: N of 14 random changes of shape and color, of strength M",
		Parameters: []Parameter{{"changes", 2, 1, 14, true}, {"strength", 5, 0, 10, false}}, Paint: randAugment},
	{Name: "mixup", Help: "mixup=A: a mean of two images and their labels, weights from Beta(A, A)",
		Parameters: []Parameter{{"mixup", 0.2, 0.01, 100, false}}, Mix: mixUp},
	{Name: "cutmix", Help: "cutmix=A: a rectangle from another image, its area from Beta(A, A); labels by area",
		Parameters: []Parameter{{"cutmix", 1, 0.01, 100, false}}, Mix: cutMix},
}

// instead lists the augmentations that take the place of another.
var instead = [][2]string{{"flip", "altflip"}, {"crop", "shift"}}

func placeCrop(p *Placement, _ Format, word uint64) {
	down, right := moves(word, 4)
	p.Down, p.Right = p.Down+down, p.Right+right
}

func placeShift(p *Placement, _ Format, word uint64) {
	up, left := moves(word, 2)
	p.Nudge[0], p.Nudge[1] = p.Nudge[0]-up, p.Nudge[1]-left
}

// moves takes bits 32 to 63 for so many pixels at most along either axis, in either direction.
func moves(word uint64, most int) (rows, cols int) {
	places := uint16(2*most + 1)
	return int(uint16(word>>32)%places) - most, int(uint16(word>>48)%places) - most
}

// placeFlip takes bit 0.
func placeFlip(p *Placement, _ Format, word uint64) { p.Flip = p.Flip != (word&1 == 1) }

// cutOut makes the square around a random pixel, or what of it is inside, the mean color.
func cutOut(x []float32, f Format, word uint64) {
	row, col := cutCenter(f, word)
	first, last := max(col-f.Cols/4, 0), min(col-f.Cols/4+f.Cols/2, f.Cols)
	for r := max(row-f.Rows/4, 0); r < min(row-f.Rows/4+f.Rows/2, f.Rows); r++ {
		clear(x[(r*f.Cols+first)*f.Channels : (r*f.Cols+last)*f.Channels])
	}
}

func cutCenter(f Format, word uint64) (row, col int) {
	return int(uint32(word) % uint32(f.Rows)), int(uint32(word>>32) % uint32(f.Cols))
}

// A Parameter is a number that may follow the name of an augmentation: mixup=0.2. Several have an x between them:
// randaugment=2x5.
type Parameter struct {
	Name              string // in errors
	Default, Min, Max float64
	Whole             bool // a whole number
}

func (a Augmentation) defaults() (values []float64) {
	for _, p := range a.Parameters {
		values = append(values, p.Default)
	}
	return values
}

// valuesText is 2x5.
func valuesText(values []float64) string {
	var words []string
	for _, v := range values {
		words = append(words, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return strings.Join(words, "x")
}
