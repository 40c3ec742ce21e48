package viz

import (
	"image"
	"image/color"
	"math"

	xdraw "golang.org/x/image/draw"
	"gonum.org/v1/plot/vg/draw"
)

// grain is the number of dots per side of a token, fewer on large images, so that viewers do not blur its edges.
const grain = 12

// shades draws the tokens of a map that are in the frame, as one image.
func (f frame) shades(c draw.Canvas, t *Theme, m Map, o MapsOptions) {
	most, zero := m.scale(o)
	row0, col0 := int(math.Round(f.rows[0]+0.5)), int(math.Round(f.cols[0]+0.5))
	rows, cols := int(math.Round(f.rows[1]-f.rows[0])), int(math.Round(f.cols[1]-f.cols[0]))
	grain := max(1, min(grain, 600/max(rows, cols)))
	img := image.NewNRGBA(image.Rect(0, 0, cols*grain, rows*grain))
	for r := range rows {
		for k := range cols {
			row, col := row0+r, col0+k
			shade := t.Faint // outside of the image
			if row >= 0 && col >= 0 && row < m.Rows && col < m.Cols {
				shade = o.color(t, (m.Values[row*m.Cols+col]-zero)/max(most, math.SmallestNonzeroFloat64))
			}
			paint(img, image.Rect(k*grain, r*grain, (k+1)*grain, (r+1)*grain), shade)
		}
	}
	c.DrawImage(f.box, img)
}

// color returns the color of x in -1..1: the theme's shade or, over an image, a translucent color.
func (o *MapsOptions) color(t *Theme, x float64) color.NRGBA {
	if !o.Overlay {
		return t.Shade(x)
	}
	glaze := t.Ramp[len(t.Ramp)-3]
	if x < 0 {
		glaze, x = t.Negative[len(t.Negative)-3], -x
	} else if !o.Scores {
		glaze = t.Negative[len(t.Negative)-3] // a warm color, visible on the gray image
	}
	glaze.A = uint8(math.Round(225 * math.Min(1, x)))
	return glaze
}

func paint(img *image.NRGBA, r image.Rectangle, col color.NRGBA) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			img.SetNRGBA(x, y, col)
		}
	}
}

// image draws the part of an image that is in the frame; its tokens are those of a map.
func (f frame) image(c draw.Canvas, img image.Image, m Map) {
	b := img.Bounds()
	rows, cols := int(math.Round(f.rows[1]-f.rows[0])), int(math.Round(f.cols[1]-f.cols[0]))
	dots := max(1, 480/cols) // per side of a token
	out := image.NewNRGBA(image.Rect(0, 0, dots*cols, dots*rows))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			row := (f.rows[0] + 0.5 + (float64(y)+0.5)/float64(dots)) / float64(m.Rows)
			col := (f.cols[0] + 0.5 + (float64(x)+0.5)/float64(dots)) / float64(m.Cols)
			if row >= 0 && row < 1 && col >= 0 && col < 1 {
				out.Set(x, y, img.At(b.Min.X+int(col*float64(b.Dx())), b.Min.Y+int(row*float64(b.Dy()))))
			}
		}
	}
	c.DrawImage(f.box, out)
}

// grayed returns an image in grays between the theme's ground and ink, faded.
func grayed(img image.Image, t *Theme) image.Image {
	out := image.NewNRGBA(img.Bounds())
	xdraw.Copy(out, img.Bounds().Min, img, img.Bounds(), xdraw.Src, nil)
	dark, light := t.Ink, t.Ground
	if dark.R > light.R {
		dark, light = light, dark
	}
	for i := 0; i < len(out.Pix); i += 4 {
		y := color.GrayModel.Convert(color.NRGBA{out.Pix[i], out.Pix[i+1], out.Pix[i+2], 255}).(color.Gray).Y
		g := blend(dark, light, 0.25+0.75*float64(y)/255)
		out.Pix[i], out.Pix[i+1], out.Pix[i+2], out.Pix[i+3] = g.R, g.G, g.B, 255
	}
	return out
}
