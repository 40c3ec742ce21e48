package cmd

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/data"
)

// Every value that a plot flag accepts is in its range.
func FuzzPlotFlags(f *testing.F) {
	for _, s := range []string{
		"", "1-3", "1,4", "3-1", "8,8", "-1,0", " 7 , 2 ", "50,90", "50%, 90 %", "NaN", "1e3", "17.5", "12cm",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if numbers, err := layerNumbers(s, 6); err == nil {
			if len(numbers) == 0 || numbers[0] < 1 || numbers[len(numbers)-1] > 6 || !slices.IsSorted(numbers) {
				t.Errorf("layers %q: %v", s, numbers)
			}
		}
		var queries []place
		err := (places{&queries}).Set(s)
		if (err == nil) != (len(queries) == 1) || err == nil && min(queries[0][0], queries[0][1]) < 0 {
			t.Errorf("query %q: %v, %v", s, queries, err)
		}
		var parts []float64
		err = (shares{&parts}).Set(s)
		if err == nil && (len(parts) == 0 || !(slices.Min(parts) > 0 && slices.Max(parts) < 1)) {
			t.Errorf("shares %q: %v", s, parts)
		}
		var cm float64
		if err := (length{&cm}).Set(s); err == nil && !(cm >= 4 && cm <= 200) {
			t.Errorf("length %q: %v", s, cm)
		}
	})
}

// A file decodes to an image of the network's size, or is an error.
func FuzzImage(f *testing.F) {
	img := image.NewPaletted(image.Rect(0, 0, 5, 3), []color.Color{color.Black, color.White})
	var b bytes.Buffer
	png.Encode(&b, img)
	f.Add(bytes.Clone(b.Bytes()))
	b.Reset()
	gif.Encode(&b, img, nil)
	f.Add(b.Bytes())
	f.Add([]byte("GIF89a"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, _, err := image.DecodeConfig(bytes.NewReader(b)); err == nil && c.Width*c.Height > 1<<20 {
			t.Skip("large images take long")
		}
		images, err := addImage(nil, "a.png", b, data.FormatOf(32, 32, 3))
		if err == nil && (len(images) != 1 || len(images[0].fit.Pixels) != images[0].fit.Size()) {
			t.Errorf("%d images", len(images))
		}
	})
}
