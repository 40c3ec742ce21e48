package viz

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/internal/fault"
)

// A LayerKernel is the size of a layer's kernel, or another value, at each shift.
type LayerKernel struct {
	Number int         // from 1
	Norm   [][]float64 // rows × columns, both odd, shift zero in the middle
}

// KernelsOptions say how Kernels draws.
type KernelsOptions struct {
	Reach int     // largest shift to each side that is drawn; 0: all
	Most  float64 // value of the deepest shade; 0: the largest of each layer
	What  string  // of the values, in words; "": norm
	Width float64 // of the figure; 0: 3.4 cm per layer, up to six side by side
}

// Lengths of a figure of kernels, in cm.
const (
	kernelsGap  = 0.35
	kernelsHead = 0.45 // title of a panel
	kernelsFoot = 0.95 // coordinates
	kernelsBar  = 1.1  // the scale below
)

// Kernels draws the norm of each layer's kernel at each shift, as a part of its largest, which is written above the
// panel: layers differ in scale, and the shape of a kernel is what compares. A square marks shift zero.
func Kernels(layers []LayerKernel, o KernelsOptions) (*Figure, error) {
	if len(layers) == 0 {
		return nil, fault.Usagef("no kernels to draw")
	}
	for _, l := range layers {
		if err := l.check(); err != nil {
			return nil, err
		}
	}
	if o.What == "" {
		o.What = "norm"
	}
	across := min(6, len(layers))
	if o.Width == 0 {
		o.Width = max(8, 3.4*float64(across))
	}
	across = max(1, min(across, int(o.Width/2.6)))
	down := (len(layers) + across - 1) / across
	across = (len(layers) + down - 1) / down // rows of equal length
	side := min(5, (o.Width-marginLeft-marginRight-kernelsGap*float64(across-1))/float64(across))
	row := kernelsHead + side + kernelsGap
	f := &Figure{Width: o.Width, Height: row*float64(down) - kernelsGap + 0.1 + kernelsFoot + kernelsBar,
		Alt: kernelsAlt(layers, o.What), Data: kernelsTable(layers, o.What)}
	f.Drawing = func(c draw.Canvas, t *Theme) {
		for i, l := range layers {
			x := c.Min.X + cm(marginLeft+(side+kernelsGap)*float64(i%across))
			y := c.Max.Y - cm(kernelsHead+0.1+row*float64(i/across))
			box := vg.Rectangle{Min: vg.Point{X: x, Y: y - cm(side)}, Max: vg.Point{X: x + cm(side), Y: y}}
			l.draw(c, t, box, o, i+across >= len(layers), i%across == 0)
		}
		o.scale(c, t)
	}
	return f, nil
}

func (l LayerKernel) check() error {
	rows := len(l.Norm)
	if rows%2 == 0 || len(l.Norm[0])%2 == 0 {
		return fault.Usagef("the kernel of layer %d has no shift in its middle: want an odd number of rows and of "+
			"columns", l.Number)
	}
	for _, row := range l.Norm {
		if len(row) != len(l.Norm[0]) {
			return fault.Usagef("the kernel of layer %d has rows of %d and of %d shifts", l.Number, len(l.Norm[0]),
				len(row))
		}
		for _, v := range row {
			if !(v >= 0) || math.IsInf(v, 0) {
				return fault.Usagef("the kernel of layer %d has a norm of %v", l.Number, v)
			}
		}
	}
	return nil
}

// most returns the largest norm and its shift.
func (l LayerKernel) most() (most float64, shift [2]int) {
	for r, row := range l.Norm {
		for k, v := range row {
			if v > most {
				most, shift = v, [2]int{r - len(l.Norm)/2, k - len(row)/2}
			}
		}
	}
	return most, shift
}

func (l LayerKernel) draw(c draw.Canvas, t *Theme, box vg.Rectangle, o KernelsOptions, below, atLeft bool) {
	most, _ := l.most()
	f := l.shades(c, t, box, o.Reach, cmp.Or(o.Most, most))
	f.coordinates(c, t, below, atLeft)
	at := vg.Point{X: box.Min.X, Y: box.Max.Y + vg.Points(3)}
	write(c, t.Text(labelSize, t.Ink), at, left, bottom, fmt.Sprintf("layer %d", l.Number))
	write(c, t.Text(numberSize, t.Quiet), vg.Point{X: box.Max.X, Y: at.Y}, right, bottom, fmt.Sprintf("%.2g", most))
}

// shades draws the values up to a shift, 0 for all, with squares around shift zero and 3 × 3 shifts.
func (l LayerKernel) shades(c draw.Canvas, t *Theme, box vg.Rectangle, reach int, deepest float64) frame {
	rows, cols := len(l.Norm)/2, len(l.Norm[0])/2
	if reach == 0 {
		reach = max(rows, cols)
	}
	f := around(box, float64(reach)+0.5)
	deepest = max(deepest, math.SmallestNonzeroFloat64)
	grain := max(1, min(grain, 600/(2*reach+1)))
	img := image.NewNRGBA(image.Rect(0, 0, (2*reach+1)*grain, (2*reach+1)*grain))
	for r := -reach; r <= reach; r++ {
		for k := -reach; k <= reach; k++ {
			shade := t.Faint // no two tokens are so far apart
			if max(r, -r) <= rows && max(k, -k) <= cols {
				shade = t.Shade(min(1, l.Norm[rows+r][cols+k]/deepest))
			}
			paint(img, image.Rect((k+reach)*grain, (r+reach)*grain, (k+reach+1)*grain, (r+reach+1)*grain), shade)
		}
	}
	c.DrawImage(box, img)
	mark := draw.LineStyle{Color: t.Negative[len(t.Negative)-3], Width: t.points(lineWidth)}
	if reach > 0 {
		outline(c, f.token(0, 0, 3), draw.LineStyle{Color: mark.Color, Width: vg.Points(0.7),
			Dashes: []vg.Length{2, 1.5}})
	}
	outline(c, f.token(0, 0, 1), mark)
	outline(c, box, draw.LineStyle{Color: t.Quiet, Width: t.points(gridWidth)})
	return f
}

// coordinates writes the ends and the middle of both axes, without lines over the shades.
func (f frame) coordinates(c draw.Canvas, t *Theme, below, atLeft bool) {
	st := t.Text(numberSize, t.Quiet)
	reach := int(f.cols[1])
	for _, x := range []int{-reach, 0, reach} {
		if below {
			write(c, st, vg.Point{X: f.at(0, float64(x)).X, Y: f.box.Min.Y - vg.Points(2.5)}, middle, top,
				fmt.Sprint(x))
		}
		if atLeft {
			write(c, st, vg.Point{X: f.box.Min.X - vg.Points(3), Y: f.at(float64(x), 0).Y}, right, center,
				fmt.Sprint(x))
		}
	}
	st = t.Text(labelSize, t.Quiet)
	if below {
		write(c, st, vg.Point{X: mid(f.box).X, Y: f.box.Min.Y - vg.Points(12)}, middle, top, "column shift")
	}
	if atLeft {
		st.Rotation = quarter
		write(c, st, vg.Point{X: f.box.Min.X - cm(0.55), Y: mid(f.box).Y}, middle, bottom, "row shift, tokens")
	}
}

// scale draws the shades and says what they are.
func (o KernelsOptions) scale(c draw.Canvas, t *Theme) {
	words := "largest of the layer, written above it; squares: shift 0, and 3 × 3"
	if o.Most > 0 {
		words = fmt.Sprintf("%.3g; the largest of the layer is written above it; squares: shift 0, and 3 × 3", o.Most)
	}
	scale(c, t, words)
}

// scale draws the shades from 0 on at the foot of a figure, and says what they are.
func scale(c draw.Canvas, t *Theme, words string) {
	const wide, high = 2.4, 0.26
	x, y := c.Min.X+cm(marginLeft), c.Min.Y+cm(0.62)
	st := t.Text(numberSize, t.Quiet)
	box := vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + cm(wide), Y: y + cm(high)}}
	t.bar(c, box, t.Shade)
	write(c, st, vg.Point{X: x - vg.Points(3), Y: mid(box).Y}, right, center, "0")
	lines := wrapWords(words, st, c.Max.X-cm(marginRight)-box.Max.X-vg.Points(4))
	for i, line := range lines {
		write(c, st, vg.Point{X: box.Max.X + vg.Points(4), Y: mid(box).Y - cm(0.34)*vg.Length(i)}, left, center, line)
	}
}

func kernelsAlt(layers []LayerKernel, what string) string {
	var words []string
	for _, l := range layers {
		most, shift := l.most()
		words = append(words, fmt.Sprintf("layer %d: largest %s %.3g at shift (%d, %d)", l.Number, what, most, shift[0],
			shift[1]))
	}
	head := "Kernels by shift. "
	if what != "norm" {
		head = strings.ToUpper(what[:1]) + what[1:] + " by shift. "
	}
	return head + strings.Join(words, "; ") + "."
}

func kernelsTable(layers []LayerKernel, what string) Table {
	t := Table{Columns: []string{"layer", "row_shift", "column_shift", what}}
	for _, l := range layers {
		for r, row := range l.Norm {
			for k, v := range row {
				t.add(l.Number, r-len(l.Norm)/2, k-len(row)/2, v)
			}
		}
	}
	return t
}
