package viz

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/internal/fault"
)

// A ShareLayer is a layer whose squared norm is divided into parts.
type ShareLayer struct {
	Number int       // from 1
	Shares []float64 // of each part, which add up to at most 1
	Null   []float64 // mean shares of what it is compared with; nil: nothing
	Value  float64   // a number right below the bar, in 0..1; NaN: none
}

// SharesOptions say what Shares draws. The zero value names no part.
type SharesOptions struct {
	Parts []string // from the bottom to the top of a bar; the last is hatched
	Axis  string   // what the parts are shares of
	Null  string   // what the thin bars are
	Value string   // what the numbers below the bars are, in percent; "": there are none
	Width float64  // of the figure; 0: as the layers need, up to 24 cm
}

// Lengths of a figure of shares, in cm.
const (
	barsLeft   = 1.35
	barsTop    = 0.35
	barsFoot   = 1.0 // numbers of the layers, and the axis
	barsNumber = 0.3
	barsSwatch = 0.32
	barsBeside = 11 // from this width on, the key is beside the bars
)

// Shares draws a stacked bar for each layer and, beside it, a thin one of the null, in per cent.
func Shares(layers []ShareLayer, o SharesOptions) (*Figure, error) {
	if len(layers) == 0 || len(o.Parts) == 0 {
		return nil, fault.Usagef("shares of %d layers in %d parts: nothing to draw", len(layers), len(o.Parts))
	}
	thin := false
	for _, l := range layers {
		if err := checkShares(l.Number, l.Shares, len(o.Parts)); err != nil {
			return nil, err
		}
		if l.Null != nil {
			if err := checkShares(l.Number, l.Null, len(o.Parts)); err != nil {
				return nil, err
			}
			thin = true
		}
	}
	if o.Width == 0 {
		o.Width = min(24, max(12, 6+1.3*float64(len(layers))))
	}
	b := &bars{n: len(layers), key: newSwatches(o.Parts, o.Width), axis: o.Axis, most: 1}
	b.tick = func(y float64) string { return fmt.Sprintf("%.0f", 100*y) }
	if thin && o.Null != "" {
		b.key.note = "thin bars: " + o.Null
	}
	if o.Value != "" {
		for _, l := range layers {
			number := ""
			if !math.IsNaN(l.Value) {
				number = fmt.Sprintf("%.1f", 100*l.Value)
			}
			b.nums = append(b.nums, number)
		}
		if b.key.note != "" {
			b.key.note += "; "
		}
		b.key.note += "numbers: " + o.Value
	}
	f := &Figure{Width: o.Width, Height: b.height(o.Width), Alt: sharesAlt(layers, o), Data: sharesTable(layers, o)}
	f.Drawing = func(c draw.Canvas, t *Theme) {
		b.frame(c, t, func(i int) string { return fmt.Sprint(layers[i].Number) }, "layer")
		b.key.draw(c, t, b)
		wide := [2]float64{0.15, 0.85}
		if thin {
			wide = [2]float64{0.06, 0.76}
		}
		for i, l := range layers {
			b.stack(c, t, i, wide, l.Shares, true)
			b.stack(c, t, i, [2]float64{0.81, 0.94}, l.Null, false)
		}
	}
	return f, nil
}

// checkShares returns an error for what is no division into so many parts.
func checkShares(layer int, shares []float64, parts int) error {
	if len(shares) != parts {
		return fault.Usagef("layer %d has %d shares for %d parts", layer, len(shares), parts)
	}
	const rounding = 1e-6
	sum := 0.0
	for _, s := range shares {
		if !(s >= -rounding) {
			return fault.Usagef("layer %d has a share of %v: want 0 to 1", layer, s)
		}
		sum += s
	}
	if !(sum <= 1+rounding) {
		return fault.Usagef("the shares of layer %d add up to %v: want at most 1", layer, sum)
	}
	return nil
}

// bars is the layout of stacked bars, n side by side, over an axis from 0 to most.
type bars struct {
	n    int
	key  swatches
	axis string
	most float64
	tick func(y float64) string
	nums []string     // small numbers right below the bars; nil: none
	box  vg.Rectangle // of the bars, once frame has drawn it
}

// foot returns the height of the numbers below the bars and of the axis, in cm.
func (b *bars) foot() float64 {
	if b.nums == nil {
		return barsFoot
	}
	return barsFoot + barsNumber
}

// height returns that of the figure, in cm.
func (b *bars) height(width float64) float64 {
	return barsTop + min(6.5, 0.45*width+1.6) + b.foot() + b.key.below()
}

// frame draws the axes and a faint line at each tick; name is that of each bar.
func (b *bars) frame(c draw.Canvas, t *Theme, name func(i int) string, below string) {
	b.box = inset(c.Rectangle, barsLeft, marginRight+b.key.beside, b.foot()+b.key.below(), barsTop)
	f := frame{b.box, [2]float64{b.most, 0}, [2]float64{0, float64(b.n)}}
	quiet, faint := t.Text(labelSize, t.Quiet), draw.LineStyle{Color: t.Faint, Width: t.points(gridWidth)}
	for _, tick := range ticks(0, b.most, 5, false, false) {
		f.stroke(c, faint, [][2]float64{{tick.value, 0}, {tick.value, float64(b.n)}})
		at := vg.Point{X: b.box.Min.X - vg.Points(3), Y: f.at(tick.value, 0).Y}
		write(c, quiet, at, right, center, b.tick(tick.value))
	}
	c.StrokeLines(draw.LineStyle{Color: t.Quiet, Width: t.points(gridWidth * 1.5)},
		[]vg.Point{b.box.Min, {X: b.box.Max.X, Y: b.box.Min.Y}})
	y := b.box.Min.Y - cm(b.foot()-barsFoot)
	if b.nums != nil {
		b.names(c, t.Text(numberSize, t.Quiet), f, b.box.Min.Y-vg.Points(2), vg.Points(1),
			func(i int) string { return b.nums[i] })
	}
	b.names(c, quiet, f, y-vg.Points(3), vg.Points(2), name)
	write(c, quiet, vg.Point{X: mid(b.box).X, Y: y - vg.Points(15)}, middle, top, below)
	quiet.Rotation = quarter
	write(c, quiet, vg.Point{X: c.Min.X + cm(0.2), Y: mid(b.box).Y}, middle, top, b.axis)
}

// names writes the name of each bar below y. It leaves out names that are nearer than gap to the one before.
func (b *bars) names(c draw.Canvas, st text.Style, f frame, y, gap vg.Length, name func(i int) string) {
	free := b.box.Min.X - gap
	for i := range b.n {
		x, half := f.at(0, float64(i)+0.5).X, st.Width(name(i))/2
		if half > 0 && x-half >= free {
			write(c, st, vg.Point{X: x, Y: y}, middle, top, name(i))
			free = x + half + gap
		}
	}
}

// stack draws one bar over a span of place i: values on top of each other and, with words, each as a number where it
// fits.
func (b *bars) stack(c draw.Canvas, t *Theme, i int, span [2]float64, values []float64, words bool) {
	f := frame{b.box, [2]float64{b.most, 0}, [2]float64{0, float64(b.n)}}
	low := 0.0
	for k, v := range values {
		high := low + max(0, v)
		r := vg.Rectangle{Min: f.at(low, float64(i)+span[0]), Max: f.at(high, float64(i)+span[1])}
		low = high
		shade := b.key.fill(c, t, r, k)
		c.StrokeLines(draw.LineStyle{Color: t.Ground, Width: vg.Points(0.4)},
			[]vg.Point{{X: r.Min.X, Y: r.Max.Y}, r.Max})
		st, word := t.Text(numberSize, t.contrasting(shade)), b.tick(v)
		if !words || !fits(st, word, r) {
			continue
		}
		if k == len(b.key.names)-1 {
			half := vg.Point{X: st.Width(word)/2 + 1, Y: numberSize * 0.5}
			fill(c, vg.Rectangle{Min: mid(r).Sub(half), Max: mid(r).Add(half)}, shade)
		}
		write(c, st, mid(r), middle, center, word)
	}
}

func sharesAlt(layers []ShareLayer, o SharesOptions) string {
	var words []string
	for _, l := range layers {
		var parts []string
		for i, s := range l.Shares {
			parts = append(parts, fmt.Sprintf("%s %.0f %%", o.Parts[i], 100*s))
		}
		words = append(words, fmt.Sprintf("layer %d: %s", l.Number, strings.Join(parts, ", ")))
	}
	return "Stacked bars. " + strings.Join(words, "; ") + "."
}

func sharesTable(layers []ShareLayer, o SharesOptions) Table {
	t := Table{Columns: []string{"layer", "part", "share", "null"}}
	for _, l := range layers {
		for i, s := range l.Shares {
			var null any = ""
			if l.Null != nil {
				null = l.Null[i]
			}
			t.add(l.Number, o.Parts[i], s, null)
		}
		if o.Value != "" && !math.IsNaN(l.Value) {
			t.add(l.Number, o.Value, l.Value, "")
		}
	}
	return t
}
