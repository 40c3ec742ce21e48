package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/internal/fault"
)

// An ErrorCurve is the relative error of attention as a convolution over the sharpness α of its heads.
type ErrorCurve struct {
	Name   string  // of the kernel; determines color and mark
	Border string  // determines dashes
	Points []Point // X: α, Y: relative error. Points that are not positive have no logarithm and are left out
}

// An ErrorPanel is the curves for one floating-point type.
type ErrorPanel struct {
	Title      string
	Unit       string // of the errors, along their axis
	Curves     []ErrorCurve
	Tolerance  float64     // 0: none
	Thresholds []Threshold // of α
}

// A Threshold is a labeled value of α.
type Threshold struct {
	Alpha float64
	Label string
}

// errorDashes are those of the borders, in order.
var errorDashes = [][]vg.Length{nil, {5, 2.5}, {1.2, 2}, {6, 2, 1.2, 2}}
var dashWords = []string{"solid", "dashed", "dotted", "dash-dotted"}

// Errors draws relative errors over α, with logarithmic axes that all panels share, side by side. A width of 0 is 9 cm
// per panel.
func Errors(panels []ErrorPanel, width float64) (*Figure, error) {
	var all []Point
	var names, kinds []string
	for _, p := range panels {
		for _, c := range p.Curves {
			if !slices.Contains(names, c.Name) {
				names = append(names, c.Name)
			}
			if !slices.Contains(kinds, c.Border) {
				kinds = append(kinds, c.Border)
			}
			all = append(all, powers(c.Points)...)
		}
		if p.Tolerance > 0 && len(all) > 0 {
			all = append(all, Point{all[0].X, math.Log10(p.Tolerance)})
		}
	}
	if len(all) == 0 {
		return nil, fault.Usagef("no errors above 0 to draw")
	}
	if width == 0 {
		width = 9 * float64(len(panels))
	}
	legend := Panel{}
	for _, name := range names {
		legend.Curves = append(legend.Curves, Curve{Name: name})
	}
	k := newKey([]Panel{legend}, CurvesOptions{Width: width})
	for i, kind := range kinds {
		if len(kinds) > 1 {
			k.texts = append(k.texts, fmt.Sprintf("%s: %s", dashWords[i%len(dashWords)], kind))
		}
	}
	const left, right, gap, header, footer, flat = 1.55, 0.35, 1.55, 0.75, 1.15, 0.85
	across := max(1, min(len(panels), int(width/5.5)))
	side := (width - left - right - gap*float64(across-1)) / float64(across)
	row := side*flat + header + footer
	f := &Figure{Width: width, Height: row*float64((len(panels)+across-1)/across) + k.height()}
	f.Alt, f.Data = errorsAlt(panels), errorsTable(panels)
	f.Drawing = func(c draw.Canvas, t *Theme) {
		k.draw(c, t)
		for i, p := range panels {
			x, y := cm(left+(side+gap)*float64(i%across)), c.Max.Y-cm(row*float64(i/across)+header)
			box := vg.Rectangle{Min: vg.Point{X: x, Y: y - cm(side*flat)}, Max: vg.Point{X: x + cm(side), Y: y}}
			scale, _, _ := Panel{Curves: []Curve{{Runs: [][]Point{all}}}}.frame(box, false)
			p.draw(c, t, scale, names, kinds)
		}
	}
	return f, nil
}

// powers returns the decimal logarithms of the positive points.
func powers(points []Point) (list []Point) {
	for _, p := range points {
		if p.X > 0 && p.Y > 0 {
			list = append(list, Point{math.Log10(p.X), math.Log10(p.Y)})
		}
	}
	return list
}

// draw draws a panel into its frame, whose rows and columns are powers of ten.
func (p ErrorPanel) draw(c draw.Canvas, t *Theme, f frame, names, kinds []string) {
	faint := draw.LineStyle{Color: t.Faint, Width: t.points(gridWidth)}
	thin := draw.LineStyle{Color: t.Quiet, Width: vg.Points(0.6), Dashes: []vg.Length{2, 2}}
	quiet, small := t.Text(labelSize, t.Quiet), t.Text(numberSize, t.Quiet)
	across := func(st draw.LineStyle, y float64) { f.stroke(c, st, [][2]float64{{y, f.cols[0]}, {y, f.cols[1]}}) }
	upwards := func(st draw.LineStyle, x float64) { f.stroke(c, st, [][2]float64{{f.rows[0], x}, {f.rows[1], x}}) }
	for _, y := range multiples([2]float64{f.rows[1], f.rows[0]}, 2) {
		across(faint, y)
		at := vg.Point{X: f.box.Min.X - vg.Points(3), Y: f.at(y, 0).Y}
		power(c, quiet, at, int(y))
	}
	for decade := math.Floor(f.cols[0]); decade <= f.cols[1]; decade++ {
		for _, step := range []float64{1, 2, 5} {
			if x := decade + math.Log10(step); x >= f.cols[0] && x <= f.cols[1] {
				upwards(faint, x)
				at := vg.Point{X: f.at(0, x).X, Y: f.box.Min.Y - vg.Points(3)}
				write(c, quiet, at, middle, top, fmt.Sprintf("%g", step*math.Pow(10, decade)))
			}
		}
	}
	outline(c, f.box, faint)
	up := t.Text(labelSize, t.Quiet)
	up.Rotation = quarter
	write(c, up, vg.Point{X: f.box.Min.X - cm(0.95), Y: mid(f.box).Y}, middle, bottom, p.Unit)
	write(c, t.Text(titleSize, t.Ink), vg.Point{X: f.box.Min.X, Y: f.box.Max.Y + vg.Points(4)}, left, bottom, p.Title)
	write(c, quiet, vg.Point{X: mid(f.box).X, Y: f.box.Min.Y - vg.Points(13)}, middle, top, "α")
	if p.Tolerance > 0 {
		across(thin, math.Log10(p.Tolerance))
		at := f.at(math.Log10(p.Tolerance), f.cols[0]).Add(vg.Point{X: vg.Points(4), Y: vg.Points(2)})
		write(c, small, at, left, bottom, "tolerance "+short(p.Tolerance))
	}
	up = small
	up.Rotation = quarter
	for _, h := range p.Thresholds {
		x := math.Log10(h.Alpha)
		if x < f.cols[0] || x > f.cols[1] {
			continue
		}
		upwards(thin, x)
		at := f.at(f.rows[0], x).Add(vg.Point{X: vg.Points(-4), Y: vg.Points(-4)})
		write(c, up, at, right, bottom, h.Label)
	}
	for _, curve := range p.Curves {
		i, dash := slices.Index(names, curve.Name), slices.Index(kinds, curve.Border)
		line := places(powers(curve.Points))
		f.stroke(c, draw.LineStyle{Color: t.Head(i), Width: t.points(lineWidth * 1.2),
			Dashes: errorDashes[dash%len(errorDashes)]}, line)
		marks(c, f, line, i, len(names), t.Head(i))
	}
}

// power writes 10 to an exponent, to the left of the point at.
func power(c draw.Canvas, st text.Style, at vg.Point, exponent int) {
	small := st
	small.Font.Size = numberSize
	word := typeset(fmt.Sprint(exponent))
	write(c, small, at.Add(vg.Point{Y: vg.Points(3)}), right, center, word)
	write(c, st, at.Sub(vg.Point{X: small.Width(word) + vg.Points(0.5)}), right, center, "10")
}

// short formats v without the zero of 1e-06.
func short(v float64) string { return strings.Replace(fmt.Sprintf("%.2g", v), "e-0", "e-", 1) }

// name describes a panel.
func (p ErrorPanel) name() string { return strings.TrimSpace(p.Unit + " in " + p.Title) }

func errorsAlt(panels []ErrorPanel) string {
	var words []string
	for _, p := range panels {
		for _, c := range p.Curves {
			if n := len(c.Points); n > 0 {
				last := c.Points[n-1]
				words = append(words, strings.TrimSpace(fmt.Sprintf("%s of %s %s", p.name(), c.Name, c.Border))+
					fmt.Sprintf(": %.2g at α = %.4g", last.Y, last.X))
			}
		}
	}
	return strings.Join(words, "; ") + "."
}

// errorsTable has a line per point.
func errorsTable(panels []ErrorPanel) Table {
	t := Table{Columns: []string{"panel", "curve", "border", "alpha", "error"}}
	for _, p := range panels {
		for _, c := range p.Curves {
			for _, q := range c.Points {
				t.add(p.name(), c.Name, c.Border, q.X, q.Y)
			}
		}
	}
	return t
}
