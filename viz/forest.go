package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/internal/fault"
)

// An Estimate is a line of a forest plot: a value with its interval. NaN is unknown.
type Estimate struct {
	Name   string
	Note   string // in small letters below the name, such as the number of runs; may be empty
	Value  float64
	Lo, Hi float64 // ends of the interval
}

// ForestOptions say how Forest draws.
type ForestOptions struct {
	What    string  // the axis: "difference of test accuracy from quadratic"
	Percent bool    // values are fractions, and are shown in per cent
	From    string  // what value 0 is, so that 0 has a line; "": values are differences from nothing
	Width   float64 // of the figure; 0: 16 cm
}

// A forest is the layout of a forest plot, in cm.
type forest struct {
	rows         []Estimate
	o            ForestOptions
	width        float64
	names, texts float64 // widths of the columns at the left and at the right
	span         [2]float64
	ticks        []tick
}

// Lengths of a forest plot, in cm.
const (
	forestEdge = 0.3
	forestRow  = 0.85
	forestHead = 0.55
	forestFoot = 1.0
	forestGap  = 0.35
)

// Forest draws a line for each estimate: a square at its value and a bar over its interval, with both in figures at the
// right. With From, a vertical line is at 0, so that a bar that crosses it shows a difference that may be none. A bar
// that does not cross it is drawn in full color, others lighter.
func Forest(rows []Estimate, o ForestOptions) (*Figure, error) {
	f := &forest{rows: rows, o: o, width: o.Width}
	known := slices.ContainsFunc(rows, func(e Estimate) bool { return !math.IsNaN(e.Value) })
	if !known {
		return nil, fault.Usagef("a forest plot needs a value that is known")
	}
	for _, e := range rows {
		const rounding = 1e-9
		if e.Lo > e.Value+rounding || e.Hi < e.Value-rounding || math.IsInf(e.Value, 0) || math.IsInf(e.Lo, 0) ||
			math.IsInf(e.Hi, 0) {
			return nil, fault.Usagef("%s: %v in the interval %v to %v", e.Name, e.Value, e.Lo, e.Hi)
		}
	}
	if f.width == 0 {
		f.width = 16
	}
	f.measure()
	height := forestHead + forestRow*float64(len(rows)) + forestFoot
	return &Figure{Width: f.width, Height: height, Alt: f.alt(), Data: f.table(), Drawing: f.draw}, nil
}

// measure sets the widths of the columns and the range of the axis.
func (f *forest) measure() {
	lo, hi := math.Inf(1), math.Inf(-1)
	if f.o.From != "" {
		lo, hi = 0, 0
	}
	for _, e := range f.rows {
		name := max(sans(labelSize, nil).Width(e.Name), sans(numberSize, nil).Width(e.Note))
		f.names = max(f.names, float64(name/vg.Centimeter))
		f.texts = max(f.texts, float64(sans(labelSize, nil).Width(typeset(f.text(e)))/vg.Centimeter))
		for _, v := range []float64{e.Value, e.Lo, e.Hi} {
			if !math.IsNaN(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	f.names = min(f.names, f.width/3)
	room := 0.06 * (hi - lo)
	if room == 0 {
		room = 0.01
	}
	f.span = [2]float64{lo - room, hi + room}
	f.ticks = ticks(f.span[0], f.span[1], 5, f.o.Percent, false)
}

// text is an estimate in figures: +1.25 [-0.40, 2.90].
func (f *forest) text(e Estimate) string {
	if math.IsNaN(e.Value) {
		return "unknown"
	}
	number := "%.2f"
	if f.o.From != "" {
		number = "%+.2f"
	}
	scale := 1.0
	if f.o.Percent {
		scale = 100
	}
	words := fmt.Sprintf(number, scale*e.Value)
	if !math.IsNaN(e.Lo) && !math.IsNaN(e.Hi) {
		words += fmt.Sprintf(" ["+number+", "+number+"]", scale*e.Lo, scale*e.Hi)
	}
	return words
}

// unclear reports whether an interval contains 0, or is unknown.
func (f *forest) unclear(e Estimate) bool { return f.o.From != "" && !(e.Lo > 0 || e.Hi < 0) }

func (f *forest) draw(c draw.Canvas, t *Theme) {
	box := inset(c.Rectangle, forestEdge+f.names+forestGap, forestEdge+f.texts+forestGap, forestFoot, forestHead)
	area := frame{box, [2]float64{0, float64(len(f.rows))}, f.span}
	faint := draw.LineStyle{Color: t.Faint, Width: t.points(gridWidth)}
	quiet := t.Text(labelSize, t.Quiet)
	for _, tick := range f.ticks {
		area.stroke(c, faint, [][2]float64{{0, tick.value}, {float64(len(f.rows)), tick.value}})
		at := vg.Point{X: area.at(0, tick.value).X, Y: box.Min.Y - vg.Points(3)}
		write(c, quiet, at, middle, top, typeset(tick.label))
	}
	outline(c, box, faint)
	if f.o.From != "" {
		area.stroke(c, draw.LineStyle{Color: t.Ink, Width: t.points(lineWidth), Dashes: []vg.Length{3, 2}},
			[][2]float64{{0, 0}, {float64(len(f.rows)), 0}})
		write(c, t.Text(numberSize, t.Quiet), vg.Point{X: area.at(0, 0).X, Y: box.Max.Y + vg.Points(3)}, middle, bottom,
			"0: "+f.o.From)
	}
	write(c, quiet, vg.Point{X: mid(box).X, Y: c.Min.Y + cm(0.15)}, middle, bottom, f.o.What)
	for i, e := range f.rows {
		f.row(c, t, area, float64(i)+0.5, e)
	}
}

// row draws an estimate at the height y.
func (f *forest) row(c draw.Canvas, t *Theme, area frame, y float64, e Estimate) {
	at := area.at(y, f.span[0])
	name := vg.Point{X: c.Min.X + cm(forestEdge), Y: at.Y}
	if e.Note != "" {
		write(c, t.Text(numberSize, t.Quiet), vg.Point{X: name.X, Y: name.Y - vg.Points(1)}, left, top, e.Note)
		name.Y += vg.Points(5)
	}
	write(c, t.Text(labelSize, t.Ink), name, left, center, e.Name)
	write(c, t.Text(labelSize, t.Ink), vg.Point{X: c.Max.X - cm(forestEdge), Y: at.Y}, right, center,
		strings.ReplaceAll(f.text(e), "-", "−"))
	if math.IsNaN(e.Value) {
		return
	}
	color := t.Head(0)
	if f.unclear(e) {
		color = blend(t.Ground, color, 0.55)
	}
	if !math.IsNaN(e.Lo) && !math.IsNaN(e.Hi) {
		bar := draw.LineStyle{Color: color, Width: vg.Points(1.8)}
		area.stroke(c, bar, [][2]float64{{y, e.Lo}, {y, e.Hi}})
		for _, end := range []float64{e.Lo, e.Hi} {
			area.stroke(c, bar, [][2]float64{{y - 0.13, end}, {y + 0.13, end}})
		}
	}
	half := vg.Point{X: vg.Points(3), Y: vg.Points(3)}
	mark := area.at(y, e.Value)
	fill(c, vg.Rectangle{Min: mark.Sub(half), Max: mark.Add(half)}, color)
}

func (f *forest) alt() string {
	var words []string
	for _, e := range f.rows {
		words = append(words, e.Name+" "+f.text(e))
	}
	return strings.ToUpper(f.o.What[:min(1, len(f.o.What))]) + f.o.What[min(1, len(f.o.What)):] + ": " +
		strings.Join(words, "; ") + "."
}

func (f *forest) table() Table {
	t := Table{Columns: []string{"name", "value", "lo", "hi"}}
	for _, e := range f.rows {
		row := []any{e.Name}
		for _, v := range []float64{e.Value, e.Lo, e.Hi} {
			if math.IsNaN(v) {
				row = append(row, "")
			} else {
				row = append(row, v)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
