package viz

import (
	"fmt"
	"image"
	"slices"
	"strings"

	xdraw "golang.org/x/image/draw"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/internal/fault"
)

// A Shown is an image with its name, and below it a note, which may be empty.
type Shown struct {
	Image image.Image
	Name  string
	Note  string
}

// ImagesOptions say how Images draws.
type ImagesOptions struct {
	Across int     // images side by side; 0: 10, or all if there are fewer
	Width  float64 // of the figure; 0: 1.7 cm per image
}

// Lengths of a figure of images, in cm.
const (
	imagesEdge = 0.3
	imagesGap  = 0.15
	imagesName = 0.38 // below an image
	imagesNote = 0.28 // below the name
	imagesDots = 6    // per side of a pixel, so that viewers do not blur its edges
)

// Images draws images in rows, each above its name, without smoothing.
func Images(shown []Shown, o ImagesOptions) (*Figure, error) {
	if len(shown) == 0 {
		return nil, fault.Usagef("no images to draw")
	}
	for i, s := range shown {
		if s.Image == nil {
			return nil, fault.Usagef("image %d of %d is nil", i+1, len(shown))
		}
	}
	if o.Across == 0 {
		o.Across = min(10, len(shown))
	}
	if o.Width == 0 {
		o.Width = max(8, 2*imagesEdge+float64(o.Across)*(1.7+imagesGap))
	}
	side := min(3, (o.Width-2*imagesEdge)/float64(o.Across)-imagesGap)
	rows := (len(shown) + o.Across - 1) / o.Across
	row, noted := side+imagesName+imagesGap, hasNotes(shown)
	if noted {
		row += imagesNote
	}
	f := &Figure{Width: o.Width, Height: row*float64(rows) + 2*imagesEdge, Alt: imagesAlt(shown)}
	f.Data = Table{Columns: []string{"row", "column", "name"}}
	if noted {
		f.Data.Columns = append(f.Data.Columns, "note")
	}
	for i, s := range shown {
		f.Data.add([]any{i/o.Across + 1, i%o.Across + 1, s.Name, s.Note}[:len(f.Data.Columns)]...)
	}
	f.Drawing = func(c draw.Canvas, t *Theme) {
		for i, s := range shown {
			x := c.Min.X + cm(imagesEdge+(side+imagesGap)*float64(i%o.Across))
			y := c.Max.Y - cm(imagesEdge+row*float64(i/o.Across))
			box := vg.Rectangle{Min: vg.Point{X: x, Y: y - cm(side)}, Max: vg.Point{X: x + cm(side), Y: y}}
			b := s.Image.Bounds()
			dots := image.NewNRGBA(image.Rect(0, 0, imagesDots*b.Dx(), imagesDots*b.Dy()))
			xdraw.NearestNeighbor.Scale(dots, dots.Rect, s.Image, b, xdraw.Src, nil)
			c.DrawImage(box, dots)
			// an image of the ground's color has an edge
			outline(c, box, draw.LineStyle{Color: t.Faint, Width: t.points(gridWidth)})
			at := vg.Point{X: mid(box).X, Y: box.Min.Y - vg.Points(1.5)}
			write(c, t.Text(numberSize, t.Ink), at, middle, top, shorten(s.Name, cm(side+imagesGap)))
			at.Y -= cm(imagesNote)
			write(c, t.Text(numberSize, t.Quiet), at, middle, top, shorten(s.Note, cm(side+imagesGap)))
		}
	}
	return f, nil
}

func hasNotes(shown []Shown) bool {
	return slices.ContainsFunc(shown, func(s Shown) bool { return s.Note != "" })
}

// shorten truncates a name to a width.
func shorten(name string, width vg.Length) string {
	st, r := sans(numberSize, nil), []rune(name)
	if st.Width(name) <= width {
		return name
	}
	for len(r) > 1 && st.Width(string(r)+"…") > width {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}

func imagesAlt(shown []Shown) string {
	var names []string
	for _, s := range shown {
		name := s.Name
		if s.Note != "" {
			name += " (" + s.Note + ")"
		}
		names = append(names, name)
	}
	return fmt.Sprintf("%d images: %s.", len(shown), strings.Join(names, ", "))
}
