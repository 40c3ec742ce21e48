package data

import (
	"fmt"
	"image"
	_ "image/gif" // the formats of images
	_ "image/jpeg"
	_ "image/png"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	_ "golang.org/x/image/bmp"
	"golang.org/x/image/draw"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"

	"github.com/attnconv/attnconv/internal/memory"
)

// ImageFiles are the endings of the files that are taken for images in a folder.
var ImageFiles = []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff"}

// ImageFormats is what images may be, whatever their files are called.
const ImageFormats = "PNG, JPEG, GIF, WebP, BMP or TIFF"

// lossless are the formats that preserve the bytes of an image.
var lossless = []string{"png", "bmp", "tiff"}

const (
	mostPixels = 100 << 20 // an image with more is refused before it is decoded
	// bytes that decoding takes for a pixel at most: a progressive JPEG's coefficients and planes
	pixelMemory = 16
	large       = 4 << 20 // pixels: images with more are decoded one at a time, for the sake of memory

	// ImageBytes is the most that the file of an image may have.
	ImageBytes = 256 << 20
)

// largest is how many pixels an image may have here. The system is asked once: a set has tens of thousands of images.
var largest = sync.OnceValue(func() int64 {
	if have := memory.Total(); have > 0 {
		return min(mostPixels, have/pixelMemory)
	}
	return mostPixels
})

var oneLarge sync.Mutex

// decodeAll decodes images as f side by side, and reports whether any of them was altered by that. Of several that
// cannot be read, the error names the first.
func decodeAll(images []imageFile, f Format) (s Split, altered bool, err error) {
	s = Split{Format: f}
	s.allocate(len(images), false)
	errs := make([]error, len(images))
	var next, changed atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(images)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(images); i = int(next.Add(1)) - 1 {
				s.Labels[i] = images[i].label
				var exact bool
				if exact, errs[i] = decodeFile(s.Bytes(i), images[i].path, f); !exact {
					changed.Add(1)
				}
			}
		})
	}
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return Split{}, false, err
		}
	}
	return s, changed.Load() > 0, nil
}

func decodeFile(dst []uint8, path string, f Format) (exact bool, err error) {
	in, err := open(path)
	if err != nil {
		return false, err
	}
	defer in.Close()
	if in.Size > ImageBytes {
		return false, corrupt(path, nil, "want an image of at most %d bytes, got %d", ImageBytes, in.Size)
	}
	return decode(dst, path, in, f)
}

// ReadImage reads the image file in as one image of format f, (channels, rows, cols): what of it, around its middle,
// has the proportions of f, resized, the way up that the file's EXIF data say. Errors call it name. Image files have 1
// or 3 channels.
func ReadImage(name string, in io.ReadSeeker, f Format) (Split, error) {
	if err := drawable(f); err != nil {
		return Split{}, fmt.Errorf("%s: %w", name, err)
	}
	s := Split{Format: f}
	s.allocate(1, false)
	_, err := decode(s.Pixels, name, in, f)
	return s, err
}

// drawable requires a format that image files can have.
func drawable(f Format) error {
	if f.Channels != 1 && f.Channels != 3 {
		return fmt.Errorf("want images of %d channels, and image files have 1 or 3: take an array of NumPy", f.Channels)
	}
	return f.check()
}

// decode reads one image into dst (channels, rows, cols) of format f, cropped around its middle and resized. It is
// exact if the file contains these very bytes.
func decode(dst []uint8, path string, in io.ReadSeeker, f Format) (exact bool, err error) {
	c, format, err := image.DecodeConfig(in)
	if err != nil {
		return false, corrupt(path, err, "want an image (%s)", ImageFormats)
	}
	if c.Width < 1 || c.Height < 1 || int64(c.Width)*int64(c.Height) > largest() {
		return false, corrupt(path, nil, "want 1 to %d pixels, got %d × %d", largest(), c.Width, c.Height)
	}
	if c.Width*c.Height > large {
		oneLarge.Lock()
		defer oneLarge.Unlock()
	}
	way := orientationOf(in)
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return false, corrupt(path, err, "want a readable image")
	}
	img, _, err := image.Decode(in)
	if err != nil {
		return false, corrupt(path, err, "want a whole image")
	}
	fit(dst, img, way, f)
	_, gray := img.(*image.Gray)
	return slices.Contains(lossless, format) && c.Width == f.Cols && c.Height == f.Rows && (f.Channels == 3 || gray),
		nil
}

// fit writes the middle of img to dst, (channels, rows, cols) of format f, resized.
func fit(dst []uint8, img image.Image, way orientation, f Format) {
	rows, cols := way.stored(f.Rows, f.Cols)
	small := image.NewRGBA(image.Rect(0, 0, cols, rows))
	draw.CatmullRom.Scale(small, small.Bounds(), img, way.middle(img.Bounds(), f.Rows, f.Cols), draw.Src, nil)
	for j := range f.Rows * f.Cols {
		put(dst, j, f, [3]uint8(small.Pix[4*way.source(j, f.Rows, f.Cols):]))
	}
}

// put makes pixel j of dst, (channels, rows, cols), the color c; of a gray image its luma.
// Source of the weights: ITU-R BT.601.
func put(dst []uint8, j int, f Format, c [3]uint8) {
	if f.Channels == 1 {
		dst[j] = uint8((299*int(c[0]) + 587*int(c[1]) + 114*int(c[2]) + 500) / 1000)
		return
	}
	for ch, v := range c {
		dst[ch*f.Rows*f.Cols+j] = v
	}
}
