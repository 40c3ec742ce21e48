package trained_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/session/trained"
)

// Images are rotated as their EXIF data say. The files are made by data/sets/testdata/orient.py.
func TestImagesAreSeenTheWayUpThatEXIFSays(t *testing.T) {
	const dir = "../../data/sets/testdata/orient/"
	got, names, err := trained.ReadImages(nil, data.FormatOf(32, 32, 3), dir+"scene.png", dir+"6.png", dir+"7.tif",
		dir+"1.jpg")
	if err != nil || got.Len() != 4 {
		t.Fatal(names, err)
	}
	for i := 1; i < 3; i++ {
		if !slices.Equal(got.Bytes(i), got.Bytes(0)) {
			t.Errorf("%s is not as the scene", names[i])
		}
	}
}

// Images are recognized by content: as a file, in a folder, and on standard input.
func TestImagesOfEveryFormatAreRead(t *testing.T) {
	img := image.NewPaletted(image.Rect(0, 0, 40, 30), color.Palette{color.White})
	files := map[string]func(io.Writer) error{
		"a.bmp": func(w io.Writer) error { return bmp.Encode(w, img) },
		"b.tif": func(w io.Writer) error { return tiff.Encode(w, img, nil) },
		"c.webp": func(w io.Writer) error { // one white pixel, as libwebp's cwebp writes it
			_, err := io.Copy(w, base64.NewDecoder(base64.StdEncoding,
				strings.NewReader("UklGRh4AAABXRUJQVlA4TBEAAAAvAAAAAAfQ//73v/+BiOh/AAA=")))
			return err
		},
	}
	dir := t.TempDir()
	for name, encode := range files {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		if images, _, err := trained.ReadImages(&b, data.FormatOf(32, 32, 3), "-"); err != nil || images.Len() != 1 {
			t.Errorf("%s on standard input: %d images, %v", name, images.Len(), err)
		}
	}
	images, names, err := trained.ReadImages(nil, data.FormatOf(32, 32, 3), dir)
	if err != nil || images.Len() != len(files) || len(names) != len(files) {
		t.Fatalf("%q, want %d: %v", names, len(files), err)
	}
	for i, name := range names {
		if least := slices.Min(images.Bytes(i)); least < 255 {
			t.Errorf("%s: a byte is %d, want white everywhere", name, least)
		}
	}
}
