package data

import (
	"image"
	_ "image/gif" // the formats of pictures
	_ "image/jpeg"
	_ "image/png"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	_ "golang.org/x/image/bmp"
	"golang.org/x/image/draw"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"
)

// PictureFiles are the endings of the files that are taken for pictures in a folder.
var PictureFiles = []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff"}

// PictureFormats is what pictures may be, whatever their files are called.
const PictureFormats = "PNG, JPEG, GIF, WebP, BMP or TIFF"

// lossless are the formats that hold the bytes of a picture as they were.
var lossless = []string{"png", "bmp", "tiff"}

const (
	largest = 64 << 20 // pixels: a picture with more is refused before it is decoded
	large   = 4 << 20  // pixels: pictures with more are decoded one at a time, for the sake of memory
)

var oneLarge sync.Mutex

// decodeAll decodes pictures side by side, and reports whether any of them was altered by that. Of several that cannot
// be read, the error names the first.
func decodeAll(pictures []picture) (s Split, altered bool, err error) {
	s = Split{
		Format: rgb32,
		Pixels: make([]uint8, len(pictures)*rgb32.Size()),
		Labels: make([]uint8, len(pictures)),
	}
	errs := make([]error, len(pictures))
	var next, changed atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(pictures)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(pictures); i = int(next.Add(1)) - 1 {
				s.Labels[i] = pictures[i].label
				var exact bool
				if exact, errs[i] = decodeFile(s.Picture(i), pictures[i].path); !exact {
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
	f, err := os.Open(path)
	if err != nil {
		return false, corrupt(path, err, "want a readable picture")
	}
	defer f.Close()
	return decode(dst, path, f)
}

// decode reads one picture into dst (channels, rows, cols), cropped to its central square and resized. It is exact
// where the file holds these very bytes.
func decode(dst []uint8, path string, in io.ReadSeeker) (exact bool, err error) {
	c, format, err := image.DecodeConfig(in)
	if err != nil {
		return false, corrupt(path, err, "want a picture (%s)", PictureFormats)
	}
	if c.Width < 1 || c.Height < 1 || int64(c.Width)*int64(c.Height) > largest {
		return false, corrupt(path, nil, "want 1 to %d pixels, got %d × %d", largest, c.Width, c.Height)
	}
	if c.Width*c.Height > large {
		oneLarge.Lock()
		defer oneLarge.Unlock()
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return false, corrupt(path, err, "want a readable picture")
	}
	img, _, err := image.Decode(in)
	if err != nil {
		return false, corrupt(path, err, "want a whole picture")
	}
	fit(dst, img)
	return slices.Contains(lossless, format) && c.Width == rgb32.Cols && c.Height == rgb32.Rows, nil
}

// Fit returns img as one picture of the sets here, (channels, rows, cols): its central square, resized to 32 × 32.
func Fit(img image.Image) Split {
	s := Split{Format: rgb32, Pixels: make([]uint8, rgb32.Size()), Labels: make([]uint8, 1)}
	fit(s.Pixels, img)
	return s
}

func fit(dst []uint8, img image.Image) {
	b := img.Bounds()
	side := min(b.Dx(), b.Dy())
	at := b.Min.Add(image.Pt((b.Dx()-side)/2, (b.Dy()-side)/2))
	square := image.Rectangle{Min: at, Max: at.Add(image.Pt(side, side))}
	small := image.NewRGBA(image.Rect(0, 0, rgb32.Cols, rgb32.Rows))
	draw.CatmullRom.Scale(small, small.Bounds(), img, square, draw.Src, nil)
	plane := rgb32.Rows * rgb32.Cols
	for j := range plane {
		for ch := range rgb32.Channels {
			dst[ch*plane+j] = small.Pix[4*j+ch]
		}
	}
}
