package main

import (
	"fmt"
	"image"
	"image/color"
	xdraw "image/draw"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/internal/plain"
	"github.com/attnconv/attnconv/viz"
)

// A limit is Theorem 1 as an animation over α: an image, its convolution with a kernel, the output of the layer with a
// Gaussian head for each entry of the kernel, and their difference, black where there is none. Blue is positive, orange
// negative.
type limit struct {
	image, convolution [][]float64 // (rows, cols)
	kernel             [][]float64 // (k, k)
	alphas             []float64   // ascending
	outputs            [][][]float64
	errors             []float64 // largest |attention - convolution| of each output
}

// marked are words at some α.
var marked = map[float64]string{1: "α = 1", 3: "3", 10: "10", 46: "46, the paper", 104: "104, exact"}

// add adds the output of the layer at α.
func (s *limit) add(alpha float64, output [][]float64) {
	most := 0.0
	for r, row := range output {
		for c, y := range row {
			most = max(most, math.Abs(y-s.convolution[r][c]))
		}
	}
	s.alphas, s.outputs, s.errors = append(s.alphas, alpha), append(s.outputs, output), append(s.errors, most)
}

func (s *limit) animation() *viz.Animation {
	a := &viz.Animation{FPS: 12, Begin: 80, Palette: limitShades}
	for i := range s.outputs {
		a.Frames = append(a.Frames, &viz.Figure{Width: limitWidth, Height: limitHeight,
			Drawing: func(c draw.Canvas, t *viz.Theme) { s.draw(c, t, i) }})
	}
	return a
}

// Lengths of the figure, in cm from the left and from the top.
const (
	limitWidth  = 19.0
	limitHeight = 12.7
	limitBox    = 3.6 // side of an image
	limitWide   = 4.6 // side of the difference
	limitFirst  = 1.5 // top of the convolution's row
	limitSecond = 6.2 // of the heads' row
	limitLine   = 11.7
)

// limitColumns are the left edges of the image, of the kernel and the heads, of the outputs, and of the difference.
var limitColumns = [4]float64{0.4, 5, 9.6, 14}

// box returns a square with its left and top edges in cm.
func (s *limit) box(c draw.Canvas, x, y, side float64) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: c.Min.X + cm(x), Y: c.Max.Y - cm(y+side)},
		Max: vg.Point{X: c.Min.X + cm(x+side), Y: c.Max.Y - cm(y)}}
}

func (s *limit) draw(c draw.Canvas, t *viz.Theme, i int) {
	letter(c, t.Text(15, t.Ink), vg.Point{X: c.Min.X + cm(0.4), Y: c.Max.Y - cm(0.35)}, draw.XLeft, draw.YTop,
		"Nine heads of attention become a convolution")
	x, halfway := limitColumns, (limitFirst+limitSecond)/2
	shown := s.box(c, x[0], halfway, limitBox)
	kernel, heads := s.box(c, x[1], limitFirst, limitBox), s.box(c, x[1], limitSecond, limitBox)
	above, below := s.box(c, x[2], limitFirst, limitBox), s.box(c, x[2], limitSecond, limitBox)
	apart := s.box(c, x[3], halfway-(limitWide-limitBox)/2-0.9, limitWide)
	most := largest(s.convolution)
	cells(c, shown, s.image, func(v float64) color.NRGBA {
		return color.NRGBA{R: uint8(255 * v), G: uint8(255 * v), B: uint8(255 * v), A: 255}
	})
	for _, out := range []struct {
		box    vg.Rectangle
		values [][]float64
	}{{above, s.convolution}, {below, s.outputs[i]}} {
		cells(c, out.box, out.values, func(v float64) color.NRGBA { return t.Shade(v / most) })
	}
	rest := make([][]float64, len(s.image))
	for r, row := range s.outputs[i] {
		for k, y := range row {
			rest[r] = append(rest[r], math.Abs(y-s.convolution[r][k])/s.errors[0])
		}
	}
	cells(c, apart, rest, glow)
	squares(c, t, kernel, term{matrix: s.kernel, max: 1.6 * largest(s.kernel), numbers: true})
	s.heads(c, t, heads, s.alphas[i])
	line := draw.LineStyle{Color: t.Quiet, Width: vg.Points(0.8)}
	for _, b := range []vg.Rectangle{kernel, heads} {
		bend(c, line, vg.Point{X: shown.Max.X + cm(0.1), Y: mid(shown).Y}, vg.Point{X: b.Min.X - cm(0.1), Y: mid(b).Y})
	}
	for _, b := range []vg.Rectangle{above, below} {
		c.StrokeLine2(line, b.Min.X-cm(0.9), mid(b).Y, b.Min.X-cm(0.1), mid(b).Y)
		bend(c, line, vg.Point{X: b.Max.X + cm(0.1), Y: mid(b).Y}, vg.Point{X: apart.Min.X - cm(0.1), Y: mid(apart).Y})
	}
	small, at := t.Text(9, t.Ink), func(b vg.Rectangle) vg.Point { return b.Min.Sub(vg.Point{Y: vg.Points(4)}) }
	letter(c, small, at(shown), draw.XLeft, draw.YTop, "an image")
	letter(c, small, at(kernel), draw.XLeft, draw.YTop,
		fmt.Sprintf("convolution: %d numbers", len(s.kernel)*len(s.kernel)))
	letter(c, small, at(heads), draw.XLeft, draw.YTop,
		fmt.Sprintf("attention: %d heads", len(s.kernel)*len(s.kernel)))
	letter(c, small, at(above), draw.XLeft, draw.YTop, "its output")
	letter(c, small, at(below), draw.XLeft, draw.YTop, "its output")
	letter(c, small, at(apart), draw.XLeft, draw.YTop, "largest difference")
	letter(c, t.Text(30, t.Ink), at(apart).Sub(vg.Point{Y: vg.Points(15)}), draw.XLeft, draw.YTop,
		digitsOf(s.errors[i]))
	s.timeline(c, t, i)
}

// digitsOf formats an error with two digits.
func digitsOf(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 0.01:
		return fmt.Sprintf("%.0e", v)
	}
	return fmt.Sprintf("%.2f", v)
}

var ember = color.NRGBA{0xB0, 0x48, 0x0C, 255}

// glow returns the color of a difference in 0..1, black for none.
func glow(x float64) color.NRGBA {
	x = math.Sqrt(min(1, x))
	if x < 0.5 {
		return blend(color.NRGBA{A: 255}, ember, 2*x)
	}
	return blend(ember, color.NRGBA{0xFF, 0xE9, 0xC9, 255}, 2*x-1)
}

// limitShades are the colors of outputs, of the difference and of the image.
func limitShades(t *viz.Theme) (list []color.NRGBA) {
	const steps = 50
	for i := range steps {
		x := float64(i+1) / steps
		list = append(list, t.Shade(x), t.Shade(-x), glow(float64(i)/(steps-1)))
		v := uint8(255 * i / (steps - 1))
		list = append(list, color.NRGBA{R: v, G: v, B: v, A: 255})
	}
	return list
}

// cells draws a matrix without a grid.
func cells(c draw.Canvas, box vg.Rectangle, values [][]float64, shade func(float64) color.NRGBA) {
	const dots = 8 // a side, so that viewers do not blur the edges
	img := image.NewNRGBA(image.Rect(0, 0, dots*len(values[0]), dots*len(values)))
	for r, row := range values {
		for k, v := range row {
			xdraw.Draw(img, image.Rect(k*dots, r*dots, (k+1)*dots, (r+1)*dots), image.NewUniform(shade(v)),
				image.Point{}, xdraw.Src)
		}
	}
	c.DrawImage(box, img)
}

// heads draws the attention of each head around the query, in the color of its entry's sign, with the circle of half of
// its attention.
func (s *limit) heads(c draw.Canvas, t *viz.Theme, box vg.Rectangle, alpha float64) {
	k := len(s.kernel)
	grid := gridOf(box, k, k)
	reach := k/2 + 1
	n := 2*reach + 1
	most := 1.6 * largest(s.kernel)
	for i, row := range s.kernel {
		for j, w := range row {
			center := [2]float64{float64(i - k/2), float64(j - k/2)}
			scores := plain.New(1, n*n)
			for q := range n * n {
				dr, dc := float64(q/n-reach)-center[0], float64(q%n-reach)-center[1]
				scores[0][q] = -alpha * (dr*dr + dc*dc)
			}
			p := plain.SoftmaxRows(scores)[0]
			values := make([][]float64, n)
			for r := range n {
				values[r] = p[r*n : (r+1)*n]
			}
			half, radius := make([][2]float64, 49), math.Sqrt(math.Ln2/alpha)
			for m := range half {
				sin, cos := math.Sincos(2 * math.Pi * float64(m%48) / 48)
				half[m] = [2]float64{center[0] + radius*cos, center[1] + radius*sin}
			}
			tile := grid.square(float64(i), float64(j), 0.94)
			cells(c, tile, values, func(v float64) color.NRGBA {
				if w == 0 {
					return blend(t.Faint, t.Quiet, math.Sqrt(v)*0.6)
				}
				return blend(t.Faint, t.Shade(math.Copysign(0.35+0.65*math.Abs(w)/most, w)), math.Sqrt(v))
			})
			edge := float64(reach) + 0.5
			f := frame{tile, [2]float64{-edge, edge}, [2]float64{-edge, edge}}
			outline(c, f.square(0, 0, 1), draw.LineStyle{Color: t.Ink, Width: vg.Points(0.7)})
			f.stroke(c, draw.LineStyle{Color: t.Ink, Width: vg.Points(0.7)}, half)
		}
	}
}

// timeline draws α on a logarithmic line with the largest difference as a curve above it.
func (s *limit) timeline(c draw.Canvas, t *viz.Theme, i int) {
	first, last := math.Log(s.alphas[0]), math.Log(s.alphas[len(s.alphas)-1])
	box := s.box(c, 0.5, limitLine-1, 1)
	box.Max.X = c.Max.X - cm(0.9)
	const floor = 1e-8
	f := frame{box, [2]float64{0, 1}, [2]float64{first, last}}
	high := func(e float64) float64 {
		return 1 - max(0, math.Log(max(e, floor)/floor)/math.Log(s.errors[0]/floor))
	}
	var curve [][2]float64
	for k, alpha := range s.alphas {
		curve = append(curve, [2]float64{high(s.errors[k]), math.Log(alpha)})
	}
	line := draw.LineStyle{Color: t.Quiet, Width: vg.Points(0.6)}
	c.StrokeLine2(line, box.Min.X, box.Min.Y, box.Max.X, box.Min.Y)
	f.stroke(c, draw.LineStyle{Color: t.Quiet, Width: vg.Points(1.4)}, curve)
	for alpha, word := range marked {
		at := f.at(1, math.Log(alpha))
		c.StrokeLine2(line, at.X, at.Y-vg.Points(3), at.X, at.Y+vg.Points(3))
		letter(c, t.Text(labelSize, t.Quiet), at.Sub(vg.Point{Y: vg.Points(5)}), draw.XCenter, draw.YTop, word)
	}
	now := f.at(curve[i][0], curve[i][1])
	dot(c, now, vg.Points(4.5), t.Ink)
	x := max(now.X, box.Min.X+cm(0.7))
	letter(c, t.Text(10, t.Ink), vg.Point{X: min(x, box.Max.X-cm(0.5)), Y: now.Y + vg.Points(7)}, draw.XCenter,
		draw.YBottom, fmt.Sprintf("α = %.3g", s.alphas[i]))
}
