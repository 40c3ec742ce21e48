package viz

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/internal/fault"
)

// A Curve is a quantity over a run, or over runs that differ in the seed only.
type Curve struct {
	Name   string
	Note   string    // after the name in the legend, such as the best value; may be empty
	Runs   [][]Point // sorted by X, finite; of several runs the mean is drawn, with a band of ± one standard deviation
	Dotted [][]Point // drawn thin and dotted: the training loss, for instance
}

// A Point is one measurement. Points with Y = NaN are left out.
type Point struct{ X, Y float64 }

// A Panel is curves with common axes.
type Panel struct {
	Title   string // the quantity with its unit
	Percent bool   // Y is a fraction, shown in per cent
	Curves  []Curve
	Targets []float64 // values of Y that have a line, and a mark where each run first is at or above it
	Spans   []Span    // behind the curves
	Whole   bool      // the axis shows all of 0 to 1: panels of fractions that are compared
}

// CurvesOptions say how Curves draws.
type CurvesOptions struct {
	X      string  // name of X; "": epoch, with integers along the axis
	Dotted string  // name of the dotted curves; "": training
	Width  float64 // of the figure; 0: 9 cm per panel, up to three side by side
}

// epochs is the default name of X.
const epochs = "epoch"

// Curves draws panels side by side, as in Figures 2 and 13 of the paper. Curve i has the same color and mark in every
// panel; the legend below names those of the first panel.
func Curves(panels []Panel, o CurvesOptions) (*Figure, error) {
	if len(panels) == 0 || len(panels[0].Curves) == 0 {
		return nil, fault.Usagef("no curves to draw")
	}
	for _, p := range panels {
		if err := p.check(); err != nil {
			return nil, err
		}
	}
	if o.X == "" {
		o.X = epochs
	}
	if o.Dotted == "" {
		o.Dotted = "training"
	}
	across := min(3, len(panels))
	if o.Width == 0 {
		o.Width = 9 * float64(across)
	}
	across = max(1, min(across, int(o.Width/5)))
	key := newKey(panels, o)
	const left, right, gap, footer, flat = 1.15, 0.35, 1.2, 1.15, 0.72
	side := (o.Width - left - right - gap*float64(across-1)) / float64(across)
	down := (len(panels) + across - 1) / across
	header := 0.75
	for _, p := range panels {
		header = max(header, 0.3+lineOfTitle*float64(len(p.titleLines(cm(side)))))
	}
	row := side*flat + header + footer
	f := &Figure{Width: o.Width, Height: row*float64(down) + key.height()}
	f.Alt, f.Data = curvesAlt(panels, o), curvesTable(panels, o)
	f.Drawing = func(c draw.Canvas, t *Theme) {
		key.draw(c, t)
		for i, p := range panels {
			x, y := cm(left+(side+gap)*float64(i%across)), c.Max.Y-cm(row*float64(i/across)+header)
			box := vg.Rectangle{Min: vg.Point{X: x, Y: y - cm(side*flat)}, Max: vg.Point{X: x + cm(side), Y: y}}
			drawCurves(c, t, box, p, o)
		}
	}
	return f, nil
}

// check returns an error for the first point that has no place on a panel: X that is not finite or falls, infinite Y.
func (p Panel) check() error {
	for _, c := range p.Curves {
		for i, run := range slices.Concat(c.Runs, c.Dotted) {
			for j, q := range run {
				what := ""
				switch {
				case math.IsNaN(q.X) || math.IsInf(q.X, 0):
					what = "want a finite X"
				case math.IsInf(q.Y, 0):
					what = "want a finite Y, or NaN for none"
				case j > 0 && q.X < run[j-1].X:
					what = fmt.Sprintf("want points sorted by X, and the one before is at %v", run[j-1].X)
				}
				if what != "" {
					return fault.Usagef("panel %q, curve %q, run %d, point %d is (%v, %v): %s", p.Title, c.Name, i+1,
						j+1, q.X, q.Y, what)
				}
			}
		}
	}
	return nil
}

// drawCurves draws one panel into its box.
func drawCurves(c draw.Canvas, t *Theme, box vg.Rectangle, p Panel, o CurvesOptions) {
	f, xs, ys := p.frame(box, o.X == epochs)
	p.drawSpans(c, t, f)
	faint := draw.LineStyle{Color: t.Faint, Width: t.points(gridWidth)}
	quiet := t.Text(labelSize, t.Quiet)
	for _, tick := range ys {
		f.stroke(c, faint, [][2]float64{{tick.value, f.cols[0]}, {tick.value, f.cols[1]}})
		write(c, quiet, vg.Point{X: box.Min.X - vg.Points(3), Y: f.at(tick.value, 0).Y}, right, center, tick.label)
	}
	for _, tick := range xs {
		f.stroke(c, faint, [][2]float64{{f.rows[0], tick.value}, {f.rows[1], tick.value}})
		write(c, quiet, vg.Point{X: f.at(0, tick.value).X, Y: box.Min.Y - vg.Points(3)}, middle, top, tick.label)
	}
	outline(c, box, faint)
	p.drawTargets(c, t, f)
	for i, line := range slices.Backward(p.titleLines(box.Size().X)) {
		up := vg.Points(4) + cm(lineOfTitle*float64(len(p.titleLines(box.Size().X))-1-i))
		write(c, t.Text(titleSize, t.Ink), vg.Point{X: box.Min.X, Y: box.Max.Y + up}, left, bottom, line)
	}
	write(c, quiet, vg.Point{X: mid(box).X, Y: box.Min.Y - vg.Points(13)}, middle, top, o.X)
	for i, curve := range p.Curves {
		curve.band(c, t.Head(i), f)
	}
	for i, curve := range p.Curves {
		if len(curve.Runs) > 1 && len(p.Targets) > 0 { // on which the marks are
			for _, run := range curve.Runs {
				f.stroke(c, draw.LineStyle{Color: blend(t.Ground, t.Head(i), 0.6), Width: t.points(leaderWidth)},
					places(mean([][]Point{run})))
			}
		}
		st := curveStyle(t, i, 1)
		st.Width *= 0.8
		f.stroke(c, st, places(mean(curve.Dotted)))
	}
	for i, curve := range p.Curves {
		line := places(mean(curve.Runs))
		f.stroke(c, t.curve(i), line)
		marks(c, f, line, i, len(p.Curves), t.Head(i))
	}
	for i := range p.Curves {
		p.drawReached(c, t, f, i)
	}
}

// titleLines wraps the title to a width.
func (p Panel) titleLines(width vg.Length) []string {
	return wrapWords(p.Title, sans(titleSize, nil), width)
}

// frame returns the range of a panel, which includes its bands, and its ticks; whole if X is an integer.
func (p Panel) frame(box vg.Rectangle, whole bool) (f frame, xs, ys []tick) {
	x0, x1, y0, y1 := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, c := range p.Curves {
		for _, run := range slices.Concat(c.Runs, c.Dotted) {
			for _, q := range run {
				if !math.IsNaN(q.Y) && !math.IsInf(q.Y, 0) {
					x0, x1, y0, y1 = min(x0, q.X), max(x1, q.X), min(y0, q.Y), max(y1, q.Y)
				}
			}
		}
		if len(c.Runs) > 1 {
			points, deviation := spread(c.Runs)
			for i, q := range points {
				if low, high := q.Y-deviation[i], q.Y+deviation[i]; !math.IsNaN(high-low) && !math.IsInf(high-low, 0) {
					y0, y1 = min(y0, low), max(y1, high)
				}
			}
		}
	}
	for _, y := range p.Targets {
		y0, y1 = min(y0, y), max(y1, y)
	}
	for _, s := range p.Spans {
		y0, y1 = min(y0, s.Lo), max(y1, s.Hi)
	}
	if p.Whole {
		y0, y1 = min(y0, 0), max(y1, 1)
	}
	if x0 > x1 { // no points
		x0, x1, y0, y1 = 0, 1, 0, 1
	}
	if x0 == x1 {
		x0, x1 = x0-1, x1+1
	}
	if y0 == y1 {
		y0, y1 = y0-math.Abs(y0)/10-1e-9, y1+math.Abs(y1)/10+1e-9
	}
	if margin := (y1 - y0) * 0.05; y0 >= 0 && y0 < margin {
		y0, y1 = 0, y1+margin
	} else {
		y0, y1 = y0-margin, y1+margin
	}
	edge := (x1 - x0) * 0.02
	f = frame{box, [2]float64{y1, y0}, [2]float64{x0 - edge, x1 + edge}}
	return f, ticks(x0, x1, 6, false, whole), ticks(y0, y1, 6, p.Percent, false)
}

// A tick is a labeled value of an axis.
type tick struct {
	value float64
	label string
}

// ticks returns about n ticks at round values from a to b; at integers if whole.
func ticks(a, b float64, n int, percent, whole bool) (list []tick) {
	step := math.Pow(10, math.Floor(math.Log10((b-a)/float64(n))))
	if whole {
		step = max(1, step)
	}
	for _, factor := range []float64{1, 2, 5, 10} {
		if (b-a)/(step*factor) <= float64(n) {
			step *= factor
			break
		}
	}
	for _, v := range multiples([2]float64{a, b}, step) {
		v = math.Round(v/step) * step // without the rounding errors of multiples
		list = append(list, tick{v, tickLabel(v, step, percent)})
	}
	return list
}

// tickLabel formats a multiple of step with as many decimals as all multiples need; with a power of ten if these are
// many.
func tickLabel(v, step float64, percent bool) string {
	unit := ""
	if percent {
		v, step, unit = 100*v, 100*step, " %"
	}
	const most = 4
	decimals := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	if decimals > most || math.Abs(v) >= 1e6 {
		return fmt.Sprintf("%.6g", v) + unit
	}
	return strconv.FormatFloat(v+0, 'f', decimals, 64) + unit // + 0: no -0
}

// mean returns the mean of runs, point by point, up to the end of the longest.
func mean(runs [][]Point) (points []Point) {
	points, _ = spread(runs)
	return points
}

// spread returns the mean of runs, point by point, and the standard deviation of Y (divisor n-1).
func spread(runs [][]Point) (points []Point, deviation []float64) {
	for i := 0; ; i++ {
		var n, x, y, square float64
		for _, run := range runs {
			if i < len(run) && !math.IsNaN(run[i].Y) {
				n, x, y = n+1, x+run[i].X, y+run[i].Y
			}
		}
		if n == 0 {
			if !slices.ContainsFunc(runs, func(run []Point) bool { return i < len(run) }) {
				return points, deviation
			}
			continue
		}
		for _, run := range runs {
			if i < len(run) && !math.IsNaN(run[i].Y) {
				square += (run[i].Y - y/n) * (run[i].Y - y/n)
			}
		}
		points = append(points, Point{x / n, y / n})
		deviation = append(deviation, math.Sqrt(square/max(1, n-1)))
	}
}

func places(points []Point) [][2]float64 {
	list := make([][2]float64, len(points))
	for i, p := range points {
		list[i] = [2]float64{p.Y, p.X}
	}
	return list
}

// band fills the area of ± one standard deviation around a curve's mean.
func (curve Curve) band(c draw.Canvas, col color.NRGBA, f frame) {
	if len(curve.Runs) < 2 {
		return
	}
	points, deviation := spread(curve.Runs)
	polygon := make([]vg.Point, 2*len(points))
	for i, p := range points {
		polygon[i] = f.at(p.Y+deviation[i], p.X)
		polygon[len(polygon)-1-i] = f.at(p.Y-deviation[i], p.X)
	}
	inside := f.clip(c)
	col.A = 50
	c.FillPolygon(col, inside.ClipPolygonXY(polygon))
}

// glyphs are the marks of the curves, in order.
var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.CrossGlyph{},
	draw.TriangleGlyph{}, draw.PlusGlyph{},
}

// dashes are those of the curves; they change when the glyphs repeat. Dots are reserved for Curve.Dotted.
var dashes = [][]vg.Length{nil, {6, 2.5}, {8, 2, 2, 2}}

// curve returns the line style of curve i. Each of the first 24 curves has another combination of dashes and glyph.
func (t *Theme) curve(i int) draw.LineStyle {
	return draw.LineStyle{Color: t.Head(i), Width: t.points(lineWidth * 1.2),
		Dashes: dashes[i/len(glyphs)%len(dashes)]}
}

func mark(c draw.Canvas, at vg.Point, i int, col color.Color) {
	c.DrawGlyph(draw.GlyphStyle{Color: col, Radius: vg.Points(2.2), Shape: glyphs[i%len(glyphs)]}, at)
}

// marks draws the glyphs of curve i of n at its end and at some points before it, different points for each curve.
func marks(c draw.Canvas, f frame, line [][2]float64, i, n int, col color.Color) {
	const along = 5
	inside := f.clip(c)
	for k, p := range line {
		every := max(1, len(line)/along)
		if at := f.at(p[0], p[1]); (k == len(line)-1 || k%every == i*every/n) && inside.Contains(at) {
			mark(c, at, i, col)
		}
	}
}

func curvesAlt(panels []Panel, o CurvesOptions) string {
	var words []string
	for _, p := range panels {
		for _, c := range p.Curves {
			if line := mean(c.Runs); len(line) > 0 {
				last := line[len(line)-1]
				words = append(words, fmt.Sprintf("%s of %s: %.4g at %s %.4g", p.Title, c.Name, last.Y, o.X, last.X))
			}
		}
		words = append(words, targetsAlt(p, o)...)
		words = append(words, spansAlt(p)...)
	}
	return strings.Join(words, "; ") + "."
}

// curvesTable has a line per point, one for each target that a run reaches, and two for each span.
func curvesTable(panels []Panel, o CurvesOptions) Table {
	t := Table{Columns: []string{"panel", "curve", "kind", "run", o.X, "value"}}
	for _, p := range panels {
		for _, s := range p.Spans {
			t.add(p.Title, s.Name, "from", "", "", s.Lo)
			t.add(p.Title, s.Name, "to", "", "", s.Hi)
		}
		for _, c := range p.Curves {
			for _, kind := range []struct {
				name string
				runs [][]Point
			}{{"solid", c.Runs}, {o.Dotted, c.Dotted}} {
				for i, run := range kind.runs {
					for _, q := range run {
						t.add(p.Title, c.Name, kind.name, i+1, q.X, q.Y)
					}
				}
			}
			for i, run := range c.Runs {
				for _, target := range p.Targets {
					if first, ok := reaches(run, target); ok {
						t.add(p.Title, c.Name, "reaches", i+1, first.X, target)
					}
				}
			}
		}
	}
	return t
}
