package data

import (
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
	mostPixels  = 100 << 20 // an image with more is refused before it is decoded
	pixelMemory = 16        // bytes that decoding takes for a pixel at most: a progressive JPEG's coefficients and planes
	large       = 4 << 20   // pixels: images with more are decoded one at a time, for the sake of memory

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

// decodeAll decodes images side by side, and reports whether any of them was altered by that. Of several that cannot
// be read, the error names the first.
func decodeAll(images []imageFile) (s Split, altered bool, err error) {
	s = Split{
		Format: rgb32,
		Pixels: make([]uint8, len(images)*rgb32.Size()),
		Labels: make([]int32, len(images)),
	}
	errs := make([]error, len(images))
	var next, changed atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(images)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(images); i = int(next.Add(1)) - 1 {
				s.Labels[i] = images[i].label
				var exact bool
				if exact, errs[i] = decodeFile(s.Bytes(i), images[i].path); !exact {
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

func decodeFile(dst []uint8, path string) (exact bool, err error) {
	f, err := open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if f.Size > ImageBytes {
		return false, corrupt(path, nil, "want an image of at most %d bytes, got %d", ImageBytes, f.Size)
	}
	return decode(dst, path, f)
}

// ReadImage reads the image file in as one image of the sets here, (channels, rows, cols): its central square, resized
// to 32 × 32, the way up that the file's EXIF data say. Errors call it name.
func ReadImage(name string, in io.ReadSeeker) (Split, error) {
	s := Split{Format: rgb32, Pixels: make([]uint8, rgb32.Size()), Labels: make([]int32, 1)}
	_, err := decode(s.Pixels, name, in)
	return s, err
}

// decode reads one image into dst (channels, rows, cols), cropped to its central square and resized. It is exact if the
// file contains these very bytes.
func decode(dst []uint8, path string, in io.ReadSeeker) (exact bool, err error) {
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
	fit(dst, img, way)
	return slices.Contains(lossless, format) && c.Width == rgb32.Cols && c.Height == rgb32.Rows, nil
}

// fit writes the central square of img to dst, resized to 32 × 32.
func fit(dst []uint8, img image.Image, way orientation) {
	square := way.square(img.Bounds())
	small := image.NewRGBA(image.Rect(0, 0, rgb32.Cols, rgb32.Rows))
	draw.CatmullRom.Scale(small, small.Bounds(), img, square, draw.Src, nil)
	plane := rgb32.Rows * rgb32.Cols
	for j := range plane {
		from := 4 * way.source(j, rgb32.Cols)
		for ch := range rgb32.Channels {
			dst[ch*plane+j] = small.Pix[from+ch]
		}
	}
}
