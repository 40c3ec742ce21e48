package sets

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"io"
	"path/filepath"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// grayWebP and whiteWebP are images of one pixel, lossy and lossless, as libwebp's cwebp writes them.
const (
	grayWebP  = "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA"
	whiteWebP = "UklGRh4AAABXRUJQVlA4TBEAAAAvAAAAAAfQ//73v/+BiOh/AAA="
)

// encoded is a red image of 32 × 32.
func encoded(t testing.TB, encode func(io.Writer, image.Image) error) []byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, 32, 32), color.Palette{red})
	var b bytes.Buffer
	if err := encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func unbase64(t testing.TB, text string) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// formats are files of each format, under the endings that they have.
func formats(t testing.TB) map[string][]byte {
	withGIF := func(w io.Writer, img image.Image) error { return gif.Encode(w, img, nil) }
	deflated := func(w io.Writer, img image.Image) error {
		return tiff.Encode(w, img, &tiff.Options{Compression: tiff.Deflate})
	}
	plainTIFF := func(w io.Writer, img image.Image) error { return tiff.Encode(w, img, nil) }
	return map[string][]byte{
		".png": encoded(t, png.Encode), ".jpg": plain(".jpg", 32, 32, red), ".jpeg": plain(".jpeg", 9, 7, red),
		".gif": encoded(t, withGIF), ".bmp": encoded(t, bmp.Encode),
		".tif": encoded(t, plainTIFF), ".tiff": encoded(t, deflated),
		".webp": unbase64(t, grayWebP), ".WEBP": unbase64(t, whiteWebP),
	}
}

func TestEveryFormatIsRead(t *testing.T) {
	want := map[string]struct {
		color [3]int
		exact bool
	}{
		".png": {[3]int{255, 0, 0}, true}, ".bmp": {[3]int{255, 0, 0}, true},
		".tif": {[3]int{255, 0, 0}, true}, ".tiff": {[3]int{255, 0, 0}, true},
		".gif": {[3]int{255, 0, 0}, false}, ".jpg": {[3]int{254, 0, 0}, false}, ".jpeg": {[3]int{254, 0, 0}, false},
		".webp": {[3]int{128, 128, 128}, false}, ".WEBP": {[3]int{255, 255, 255}, false},
	}
	for ext, b := range formats(t) {
		pixels := make([]uint8, rgb32.Size())
		d, err := decode(pixels, "x"+ext, bytes.NewReader(b), rgb32)
		got := [3]int{int(pixels[0]), int(pixels[1024]), int(pixels[2048])}
		if w := want[ext]; err != nil || d.exact != w.exact || got != w.color {
			t.Errorf("%s: %v, exact %v (%v); want %v, exact %v", ext, got, d.exact, err, w.color, w.exact)
		}
	}
}

func TestAFolderHoldsEveryFormat(t *testing.T) {
	dir := t.TempDir()
	all := formats(t)
	for ext, b := range all {
		write(t, filepath.Join(dir, "train", "red", "x"+ext), b)
		write(t, filepath.Join(dir, "test", "red", "x"+ext), b)
	}
	tree(t, filepath.Join(dir, "train"), 1, "blue")
	s, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if s.Test.Len() != len(all) || s.Train.Len() != len(all)+1 || !s.Altered {
		t.Errorf("%d + %d images, altered %v; want %d + %d, altered", s.Train.Len(), s.Test.Len(), s.Altered,
			len(all)+1, len(all))
	}
}
