package viz

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Poster returns a figure below large words, in the middle of a page of width × height cm.
func Poster(title, words string, f *Figure, width, height float64) *Figure {
	return &Figure{Width: width, Height: height, Alt: title + ": " + words + ". " + f.Alt, Data: f.Data,
		Drawing: func(c draw.Canvas, t *Theme) {
			write(c, t.Text(40, t.Ink), vg.Point{X: c.Min.X + cm(width/2), Y: c.Max.Y - cm(0.8)}, middle, top, title)
			write(c, t.Text(19, t.Quiet), vg.Point{X: c.Min.X + cm(width/2), Y: c.Max.Y - cm(2.6)}, middle, top, words)
			low := c.Min.Add(vg.Point{X: cm((width - f.Width) / 2), Y: cm(0.4)})
			f.Drawing(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: low,
				Max: low.Add(vg.Point{X: cm(f.Width), Y: cm(f.Height)})}}, t)
		}}
}
