package cmd

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

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/attnconv/attnconv/data"
)

// Images are rotated as their EXIF data say. The files are made by data/testdata/orient.py.
func TestImagesAreSeenTheWayUpThatEXIFSays(t *testing.T) {
	const dir = "../data/testdata/orient/"
	got, err := cli.NewConsole(nil, io.Discard, io.Discard, nil).ReadImages([]string{dir + "scene.png", dir + "6.png", dir + "7.tif", dir + "1.jpg"}, data.FormatOf(32, 32, 3))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range got[1:3] {
		if !slices.Equal(p.Fit.Pixels, got[0].Fit.Pixels) {
			t.Errorf("%s is not as the scene", p.Name)
		}
	}
}

// Images are recognised by content: as a file, in a folder, and on standard input.
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
		if _, images := cli.SplitImages([]string{path}); len(images) != 1 {
			t.Errorf("%s is taken for a checkpoint", name)
		}
		c := cli.NewConsole(&b, io.Discard, io.Discard, nil)
		if images, err := c.ReadImages([]string{"-"}, data.FormatOf(32, 32, 3)); err != nil || len(images) != 1 {
			t.Errorf("%s on standard input: %d images, %v", name, len(images), err)
		}
	}
	images, err := cli.NewConsole(nil, io.Discard, io.Discard, nil).ReadImages([]string{dir}, data.FormatOf(32, 32, 3))
	if err != nil || len(images) != len(files) {
		t.Fatalf("%d images, want %d: %v", len(images), len(files), err)
	}
	for _, p := range images {
		if least := slices.Min(p.Fit.Pixels); least < 255 {
			t.Errorf("%s: a byte is %d, want white everywhere", p.Name, least)
		}
	}
}
