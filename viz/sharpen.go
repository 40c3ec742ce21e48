package viz

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/posenc/geometry"
)

// A Sharpening is what a layer of Gaussian heads returns at one sharpness α.
type Sharpening struct {
	Alpha  float64
	Output [][]float64 // rows × columns
}

// SharpenOptions say what Sharpen draws besides numbers.
type SharpenOptions struct {
	Title string
	Marks map[float64]string // words at some α
	FPS   float64            // frames per second; 0: 12
}

// Sharpen draws Theorem 1 as an animation over α: an image, its convolution with a kernel, the output of the layer with
// a Gaussian head for each entry of the kernel, and their difference, black where there is none. Blue is positive,
// orange negative.  image, convolution (rows, cols), kernel (k, k)
func Sharpen(image, kernel, convolution [][]float64, steps []Sharpening, o SharpenOptions) (*Animation, error) {
	rows, cols := len(image), 0
	if rows > 0 {
		cols = len(image[0])
	}
	fine := sized(image, rows, cols) && sized(convolution, rows, cols) && len(kernel)%2 == 1 &&
		sized(kernel, len(kernel), len(kernel)) && len(steps) > 1
	for i, s := range steps {
		fine = fine && sized(s.Output, rows, cols) && s.Alpha > 0 && (i == 0 || s.Alpha > steps[i-1].Alpha)
	}
	if !fine {
		return nil, fault.Usagef("want an image (rows, cols), an odd kernel (k, k), and outputs (rows, cols) at two or " +
			"more ascending α")
	}
	if o.FPS == 0 {
		o.FPS = 12
	}
	s := &sharpen{image: image, kernel: kernel, convolution: convolution, steps: steps, o: o}
	a := &Animation{fps: o.FPS, begin: 80, palette: sharpenShades}
	a.Data.Columns = []string{"alpha", "difference"}
	for i, step := range steps {
		s.errors = append(s.errors, s.difference(i))
		a.Data.add(step.Alpha, s.errors[i])
	}
	for i := range steps {
		a.frames = append(a.frames, &Figure{Width: sharpenWidth, Height: sharpenHeight,
			Drawing: func(c draw.Canvas, t *Theme) { s.draw(c, t, i) }})
	}
	return a, nil
}

// sized reports whether m is a matrix of rows × cols elements, which has some.
func sized(m [][]float64, rows, cols int) bool {
	return len(m) == rows && rows > 0 && cols > 0 && !slices.ContainsFunc(m,
		func(row []float64) bool { return len(row) != cols })
}

// largest returns the largest absolute value.
func largest(a [][]float64) (most float64) {
	for _, row := range a {
		for _, x := range row {
			most = max(most, math.Abs(x))
		}
	}
	return most
}

type sharpen struct {
	image, kernel, convolution [][]float64
	steps                      []Sharpening
	o                          SharpenOptions
	errors                     []float64 // largest |attention - convolution| at each step
}

// Lengths of the figure, in cm from the left and from the top.
const (
	sharpenWidth  = 19.0
	sharpenHeight = 12.7
	sharpenBox    = 3.6 // side of an image
	sharpenWide   = 4.6 // side of the difference
	sharpenFirst  = 1.5 // top of the convolution's row
	sharpenSecond = 6.2 // of the heads' row
	sharpenLine   = 11.7
)

// sharpenColumns are the left edges of the image, of the kernel and the heads, of the outputs, and of the difference.
var sharpenColumns = [4]float64{0.4, 5, 9.6, 14}

// difference returns the largest |attention - convolution| at step i.
func (s *sharpen) difference(i int) (most float64) {
	for r, row := range s.steps[i].Output {
		for c, y := range row {
			most = max(most, math.Abs(y-s.convolution[r][c]))
		}
	}
	return most
}

// box returns a square with its left and top edges in cm.
func (s *sharpen) box(c draw.Canvas, x, y, side float64) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: c.Min.X + cm(x), Y: c.Max.Y - cm(y+side)},
		Max: vg.Point{X: c.Min.X + cm(x+side), Y: c.Max.Y - cm(y)}}
}

func (s *sharpen) draw(c draw.Canvas, t *Theme, i int) {
	write(c, t.Text(15, t.Ink), vg.Point{X: c.Min.X + cm(0.4), Y: c.Max.Y - cm(0.35)}, left, top, s.o.Title)
	x, halfway := sharpenColumns, (sharpenFirst+sharpenSecond)/2
	shown := s.box(c, x[0], halfway, sharpenBox)
	kernel, heads := s.box(c, x[1], sharpenFirst, sharpenBox), s.box(c, x[1], sharpenSecond, sharpenBox)
	above, below := s.box(c, x[2], sharpenFirst, sharpenBox), s.box(c, x[2], sharpenSecond, sharpenBox)
	apart := s.box(c, x[3], halfway-(sharpenWide-sharpenBox)/2-0.9, sharpenWide)
	most := largest(s.convolution)
	cells(c, shown, s.image, func(v float64) color.NRGBA {
		return color.NRGBA{R: uint8(255 * v), G: uint8(255 * v), B: uint8(255 * v), A: 255}
	})
	for _, out := range []struct {
		box    vg.Rectangle
		values [][]float64
	}{{above, s.convolution}, {below, s.steps[i].Output}} {
		cells(c, out.box, out.values, func(v float64) color.NRGBA { return t.Shade(v / most) })
	}
	rest := make([][]float64, len(s.image))
	for r, row := range s.steps[i].Output {
		for k, y := range row {
			rest[r] = append(rest[r], math.Abs(y-s.convolution[r][k])/s.errors[0])
		}
	}
	cells(c, apart, rest, glow)
	squares(c, t, kernel, Term{Matrix: s.kernel, Max: 1.6 * largest(s.kernel), Numbers: true})
	s.heads(c, t, heads, s.steps[i].Alpha)
	line := draw.LineStyle{Color: t.Quiet, Width: vg.Points(0.8)}
	for _, b := range []vg.Rectangle{kernel, heads} {
		bend(c, line, vg.Point{X: shown.Max.X + cm(0.1), Y: mid(shown).Y}, vg.Point{X: b.Min.X - cm(0.1), Y: mid(b).Y})
	}
	for _, b := range []vg.Rectangle{above, below} {
		c.StrokeLine2(line, b.Min.X-cm(0.9), mid(b).Y, b.Min.X-cm(0.1), mid(b).Y)
		bend(c, line, vg.Point{X: b.Max.X + cm(0.1), Y: mid(b).Y}, vg.Point{X: apart.Min.X - cm(0.1), Y: mid(apart).Y})
	}
	small, at := t.Text(9, t.Ink), func(b vg.Rectangle) vg.Point { return b.Min.Sub(vg.Point{Y: vg.Points(4)}) }
	write(c, small, at(shown), left, top, "an image")
	write(c, small, at(kernel), left, top, fmt.Sprintf("convolution: %d numbers", len(s.kernel)*len(s.kernel)))
	write(c, small, at(heads), left, top, fmt.Sprintf("attention: %d heads", len(s.kernel)*len(s.kernel)))
	write(c, small, at(above), left, top, "its output")
	write(c, small, at(below), left, top, "its output")
	write(c, small, at(apart), left, top, "largest difference")
	write(c, t.Text(30, t.Ink), at(apart).Sub(vg.Point{Y: vg.Points(15)}), left, top, digitsOf(s.errors[i]))
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

// glow returns the color of a difference in 0..1, black for none.
func glow(x float64) color.NRGBA {
	x = math.Sqrt(min(1, x))
	if x < 0.5 {
		return blend(rgb(0x000000), rgb(0xB0480C), 2*x)
	}
	return blend(rgb(0xB0480C), rgb(0xFFE9C9), 2*x-1)
}

// sharpenShades are the colors of outputs, of the difference and of the image.
func sharpenShades(t *Theme) (list []color.NRGBA) {
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
			paint(img, image.Rect(k*dots, r*dots, (k+1)*dots, (r+1)*dots), shade(v))
		}
	}
	c.DrawImage(box, img)
}

// heads draws the attention of each head around the query, in the color of its entry's sign, with the circle of half of
// its attention.
func (s *sharpen) heads(c draw.Canvas, t *Theme, box vg.Rectangle, alpha float64) {
	k := len(s.kernel)
	grid := onImage(box, k, k)
	reach := k/2 + 1
	n := 2*reach + 1
	most := 1.6 * largest(s.kernel)
	for i, row := range s.kernel {
		for j, w := range row {
			h := geometry.Isotropic([2]float64{float64(i - k/2), float64(j - k/2)}, alpha)
			p := probabilities(h, Middle(n, n))
			values := make([][]float64, n)
			for r := range n {
				values[r] = p[r*n : (r+1)*n]
			}
			tile := grid.token(float64(i), float64(j), 0.94)
			cells(c, tile, values, func(v float64) color.NRGBA {
				if w == 0 {
					return blend(t.Faint, t.Quiet, math.Sqrt(v)*0.6)
				}
				return blend(t.Faint, t.Shade(math.Copysign(0.35+0.65*math.Abs(w)/most, w)), math.Sqrt(v))
			})
			f := around(tile, float64(reach)+0.5)
			outline(c, f.token(0, 0, 1), draw.LineStyle{Color: t.Ink, Width: vg.Points(0.7)})
			f.stroke(c, draw.LineStyle{Color: t.Ink, Width: vg.Points(0.7)}, contour(h, 0.5, 48))
		}
	}
}

// timeline draws α on a logarithmic line with the largest difference as a curve above it.
func (s *sharpen) timeline(c draw.Canvas, t *Theme, i int) {
	first, last := math.Log(s.steps[0].Alpha), math.Log(s.steps[len(s.steps)-1].Alpha)
	box := s.box(c, 0.5, sharpenLine-1, 1)
	box.Max.X = c.Max.X - cm(0.9)
	const floor = 1e-8
	f := frame{box, [2]float64{0, 1}, [2]float64{first, last}}
	high := func(e float64) float64 {
		return 1 - max(0, math.Log(max(e, floor)/floor)/math.Log(s.errors[0]/floor))
	}
	var curve [][2]float64
	for k, step := range s.steps {
		curve = append(curve, [2]float64{high(s.errors[k]), math.Log(step.Alpha)})
	}
	line := draw.LineStyle{Color: t.Quiet, Width: vg.Points(0.6)}
	c.StrokeLine2(line, box.Min.X, box.Min.Y, box.Max.X, box.Min.Y)
	f.stroke(c, draw.LineStyle{Color: t.Quiet, Width: vg.Points(1.4)}, curve)
	for alpha, word := range s.o.Marks {
		at := f.at(1, math.Log(alpha))
		c.StrokeLine2(line, at.X, at.Y-vg.Points(3), at.X, at.Y+vg.Points(3))
		write(c, t.Text(labelSize, t.Quiet), at.Sub(vg.Point{Y: vg.Points(5)}), middle, top, word)
	}
	now := f.at(curve[i][0], curve[i][1])
	dot(c, now, vg.Points(4.5), t.Ink)
	x := max(now.X, box.Min.X+cm(0.7))
	write(c, t.Text(10, t.Ink), vg.Point{X: min(x, box.Max.X-cm(0.5)), Y: now.Y + vg.Points(7)}, middle, bottom,
		fmt.Sprintf("α = %.3g", s.steps[i].Alpha))
}
