package sets

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"testing"
)

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
		s, err := ReadImage("a.png", bytes.NewReader(b), rgb32)
		if err == nil && (s.Len() != 1 || len(s.Pixels) != s.Size()) {
			t.Errorf("%d images", s.Len())
		}
	})
}
