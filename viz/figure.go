package viz

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Figure is a drawing that can be written in several formats.
type Figure struct {
	Width, Height float64 // cm
	draw          func(draw.Canvas)
}

// Formats lists the endings that Encode knows.
var Formats = []string{"svg", "png", "pdf"}

// Encode draws the figure in the format that name ends with. dpi counts for png. The same figure gives the same bytes
// in svg and png; a pdf holds its date.
func (f *Figure) Encode(name string, dpi int) ([]byte, error) {
	w, h := cm(f.Width), cm(f.Height)
	var c interface {
		vg.CanvasSizer
		io.WriterTo
	}
	switch ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), ".")); ext {
	case "svg":
		c = vgsvg.New(w, h)
	case "pdf":
		c = vgpdf.New(w, h)
	case "png":
		c = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dpi))}
	default:
		return nil, fmt.Errorf("viz: %s: no format %q; known: %s", name, ext, strings.Join(Formats, ", "))
	}
	f.draw(draw.New(c))
	var b bytes.Buffer
	_, err := c.WriteTo(&b)
	return b.Bytes(), err
}
