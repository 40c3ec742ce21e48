package data

import "math/rand/v2"

// padding is how far a crop can shift an image, in pixels; what comes in from outside is black.
const padding = 4

// An augmentation is a way to change training images that leaves their class as it is.
type augmentation struct {
	name string
	set  func(l *Loader)
}

// The paper's two (the reference's data pipeline): a random 32 × 32 crop of the image padded by 4 zero pixels, and a
// horizontal flip of every other image; and cutout (DeVries and Taylor 2017): a square of half a side's length, around
// a random pixel, becomes the mean colour. In whatever order they are named, the crop comes first and cutout last.
var augmentations = []augmentation{
	{"crop", func(l *Loader) { l.crop = true }},
	{"flip", func(l *Loader) { l.flip = true }},
	{"cutout", func(l *Loader) { l.cutout = true }},
}

// AugmentNames are the values in Options.Augment.
func AugmentNames() []string {
	names := make([]string, len(augmentations))
	for i, a := range augmentations {
		names[i] = a.name
	}
	return names
}

func augmentOf(name string) (augmentation, bool) {
	for _, a := range augmentations {
		if a.name == name {
			return a, true
		}
	}
	return augmentation{}, false
}

// A change is what augmentation does to one image.
type change struct {
	down, right int  // the crop begins there: pixels from the image's corner, -padding..padding by augmentation
	flip        bool // left and right change places, after the crop
	cut         bool // a square around the pixel (row, col) becomes the mean colour
	row, col    int
}

// draw chooses the change of image index in the epoch that key stands for. It costs a few multiplications: each
// image has a generator of its own, so the choice does not depend on the order of the images.
func (l *Loader) draw(key uint64, index int) (c change) {
	c.down, c.right = -l.o.Shift[0], -l.o.Shift[1]
	if !l.crop && !l.flip && !l.cutout {
		return c
	}
	var g rand.PCG
	g.Seed(key, uint64(index))
	bits := g.Uint64()
	if l.crop {
		const places = 2*padding + 1
		c.down += int(uint16(bits>>32)%places) - padding
		c.right += int(uint16(bits>>48)%places) - padding
	}
	c.flip = l.flip && bits&1 == 1
	if l.cutout {
		bits := g.Uint64()
		c.cut, c.row, c.col = true, int(uint32(bits)%uint32(l.split.Rows)), int(uint32(bits>>32)%uint32(l.split.Cols))
	}
	return c
}

// prepare writes src, (channels, rows, cols) bytes, changed by c and then normalised, to dst, (rows, cols, channels).
// Padding comes before normalisation, so a padded pixel is -mean/std, not 0. A permutation of the pixels comes last, so
// that augmentation makes the same images with it as without.
func (l *Loader) prepare(dst []float32, src []uint8, c change) {
	rows, cols, channels := l.split.Rows, l.split.Cols, l.split.Channels
	for ch := range channels {
		plane, scale := src[ch*rows*cols:][:rows*cols], &l.scale[ch]
		for y := range rows {
			out := dst[y*cols*channels+ch:]
			step, at := channels, 0
			if c.flip {
				step, at = -channels, (cols-1)*channels
			}
			from := y + c.down
			for x := range cols {
				v := uint8(0)
				if sx := x + c.right; 0 <= from && from < rows && 0 <= sx && sx < cols {
					v = plane[from*cols+sx]
				}
				if l.place == nil {
					out[at] = scale[v]
				} else {
					dst[l.place[y*cols+at/channels]*channels+ch] = scale[v]
				}
				at += step
			}
		}
	}
	if c.cut {
		l.erase(dst, c.row, c.col)
	}
}

// erase makes the square around (row, col), or what of it is inside, the mean colour, which is 0 after normalisation.
func (l *Loader) erase(dst []float32, row, col int) {
	rows, cols, channels := l.split.Rows, l.split.Cols, l.split.Channels
	for y := max(row-rows/4, 0); y < min(row-rows/4+rows/2, rows); y++ {
		for x := max(col-cols/4, 0); x < min(col-cols/4+cols/2, cols); x++ {
			at := y*cols + x
			if l.place != nil {
				at = l.place[at]
			}
			clear(dst[at*channels:][:channels])
		}
	}
}
