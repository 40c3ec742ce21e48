package sets

import (
	"cmp"
	"fmt"
	"image"
	_ "image/gif" // the formats of images
	_ "image/jpeg"
	_ "image/png"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	_ "golang.org/x/image/bmp"
	"golang.org/x/image/draw"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/memory"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
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

// BrokenImages is the *data.CorruptError that lists which of n image files at path cannot be read.
func BrokenImages(path string, n int, broken []error) error {
	const most = 100
	slices.SortFunc(broken, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	text := fmt.Sprintf("%s of %s cannot be read", table.Thousands(len(broken)), table.Count(n, "image"))
	for _, err := range broken[:min(most, len(broken))] {
		text += "\n  " + visible.Word(err.Error())
	}
	if len(broken) > most {
		text += fmt.Sprintf("\n  and %s more", table.Thousands(len(broken)-most))
	}
	return corrupt(path, nil, "%s", text)
}

func decodeFile(dst []uint8, path string, f data.Format) (decoding, error) {
	in, err := open(path)
	if err != nil {
		return decoding{}, err
	}
	defer in.Close()
	switch {
	case in.Size == 0:
		return decoding{}, corrupt(path, nil, "the file is empty")
	case in.Size > ImageBytes:
		return decoding{}, corrupt(path, nil, "want an image of at most %d bytes, got %d", ImageBytes, in.Size)
	}
	return decode(dst, path, in, f)
}

// ReadImage reads the image file in as one image of format f, (channels, rows, cols): what of it, around its middle,
// has the proportions of f, resized, the way up that the file's EXIF data say. Errors call it name. Image files have 1
// or 3 channels.
func ReadImage(name string, in io.ReadSeeker, f data.Format) (data.Split, error) {
	if err := drawable(f); err != nil {
		return data.Split{}, fmt.Errorf("%s: %w", name, err)
	}
	s := data.NewSplit(f, 1, false)
	_, err := decode(s.Pixels, name, in, f)
	return s, err
}

// drawable requires a format that image files can have.
func drawable(f data.Format) error {
	if f.Channels != 1 && f.Channels != 3 {
		return fmt.Errorf("want images of %d channels, and image files have 1 or 3: take an array of NumPy", f.Channels)
	}
	return f.Check()
}

// A decoding says what became of an image file.
type decoding struct {
	exact  bool // the file contains the very bytes of the image
	losses losses
}

// decode reads one image into dst (channels, rows, cols) of format f, cropped around its middle and resized.
func decode(dst []uint8, path string, in io.ReadSeeker, f data.Format) (d decoding, err error) {
	c, format, err := image.DecodeConfig(in)
	if err != nil {
		if end, _ := in.Seek(0, io.SeekEnd); end == 0 {
			return d, corrupt(path, nil, "the file is empty")
		}
		return d, corrupt(path, err, "want an image (%s)", ImageFormats)
	}
	if c.Width < 1 || c.Height < 1 || int64(c.Width)*int64(c.Height) > largest() {
		return d, corrupt(path, nil, "want 1 to %d pixels, got %d × %d", largest(), c.Width, c.Height)
	}
	if c.Width*c.Height > large {
		oneLarge.Lock()
		defer oneLarge.Unlock()
	}
	way := orientationOf(in)
	several := hasSeveral(in, format)
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return d, corrupt(path, err, "want a readable image")
	}
	img, _, err := image.Decode(in)
	if err != nil && format == "webp" && several {
		return d, corrupt(path, nil, "a WebP animation, which is not read: save one of its frames")
	}
	if err != nil {
		return d, corrupt(path, err, "want a whole image")
	}
	fit(dst, img, way, f)
	d.losses = lossesOf(img, way, f)
	if several {
		d.losses |= lostFrames
	}
	_, gray := img.(*image.Gray)
	d.exact = slices.Contains(lossless, format) && c.Width == f.Cols && c.Height == f.Rows &&
		(f.Channels == 3 || gray) && d.losses&(lostDepth|lostAlpha) == 0
	return d, nil
}

// fit writes the middle of img to dst, (channels, rows, cols) of format f, resized.
func fit(dst []uint8, img image.Image, way orientation, f data.Format) {
	rows, cols := way.stored(f.Rows, f.Cols)
	small := image.NewRGBA(image.Rect(0, 0, cols, rows))
	draw.CatmullRom.Scale(small, small.Bounds(), img, way.middle(img.Bounds(), f.Rows, f.Cols), draw.Src, nil)
	for j := range f.Rows * f.Cols {
		put(dst, j, f, [3]uint8(small.Pix[4*way.source(j, f.Rows, f.Cols):]))
	}
}

// put makes pixel j of dst, (channels, rows, cols), the color c; of a gray image its luma.
// Source of the weights: ITU-R BT.601.
func put(dst []uint8, j int, f data.Format, c [3]uint8) {
	if f.Channels == 1 {
		dst[j] = uint8((299*int(c[0]) + 587*int(c[1]) + 114*int(c[2]) + 500) / 1000)
		return
	}
	for ch, v := range c {
		dst[ch*f.Rows*f.Cols+j] = v
	}
}

// unread are the endings of pictures and videos that are not read.
var unread = strings.Fields(".heic .heif .avif .jp2 .jxl .jfif .jpe .svg .tga .ppm .pgm .pbm .pnm .psd .ico .dds " +
	".exr .hdr .raw .cr2 .nef .dng .arw .dcm .npy .mp4 .mov .avi .mkv .webm")

func isPicture(name string) bool {
	return slices.Contains(ImageFiles, strings.ToLower(filepath.Ext(name)))
}
