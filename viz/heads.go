package viz

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Layer is the heads of one layer and its number, from 1.
type Layer struct {
	Number int
	Heads  []Head
}

// HeadsOptions say how Heads draws. The zero value is the paper's figure.
type HeadsOptions struct {
	Inner, Outer float64 // masses of the solid and the dotted contour; 0: 0.5 and 0.9
	Frame        float64 // how far the frame reaches from the query, in tokens; 0: as far as the heads do, from 4.5 to 8.5
	Width        float64 // of the figure; 0: 8 cm a layer, up to three beside each other
}

// Heads draws the heads of Gaussian layers side by side, as in Figures 4 and 12 of the paper: for each the contour that
// holds half of its attention (solid) and that with nine tenths (dotted), with its number, around the query (black).
// Heads whose center lies outside of the frame are arrows with their coordinates; uniform ones are listed.
func Heads(layers []Layer, o HeadsOptions) (*Figure, error) {
	if len(layers) == 0 {
		return nil, fmt.Errorf("viz: no layers to draw")
	}
	o.fill(layers)
	across := min(3, len(layers))
	down := (len(layers) + across - 1) / across
	if o.Width == 0 {
		o.Width = 8 * float64(across)
	}
	side := o.Width / float64(across)
	height := side*float64(down)*1.02 + captionHeight
	return &Figure{o.Width, height, func(c draw.Canvas) {
		caption(c, o)
		c = draw.Crop(c, 0, 0, cm(captionHeight), 0)
		tiles := draw.Tiles{Rows: down, Cols: across, PadX: cm(0.3), PadY: cm(0.3), PadRight: cm(0.2), PadTop: cm(0.1)}
		plots := make([][]*plot.Plot, down)
		for i := range plots {
			plots[i] = make([]*plot.Plot, across)
		}
		for i, l := range layers {
			plots[i/across][i%across] = panel(l, o)
		}
		for i, row := range plot.Align(plots, tiles, c) {
			for j, tile := range row {
				if p := plots[i][j]; p != nil {
					square(p, tile, o.Frame)
					p.Draw(tile)
				}
			}
		}
	}}, nil
}

func (o *HeadsOptions) fill(layers []Layer) {
	if o.Inner == 0 {
		o.Inner = 0.5
	}
	if o.Outer == 0 {
		o.Outer = 0.9
	}
	if o.Frame > 0 {
		return
	}
	o.Frame = 4.5
	for _, l := range layers {
		for _, h := range l.Heads {
			away := max(math.Abs(h.Center[0]), math.Abs(h.Center[1]))
			if long, _ := h.Axes(o.Inner); !h.Uniform() && away < widest {
				o.Frame = min(widest, max(o.Frame, math.Ceil(away+min(long, 2))+0.5))
			}
		}
	}
}

const (
	widest        = 8.5 // tokens from the query: the frame reaches no further, unless it is asked to
	captionHeight = 0.7 // cm
)

func caption(c draw.Canvas, o HeadsOptions) {
	st := sans(labelSize, quiet)
	st.XAlign, st.YAlign = draw.XCenter, draw.YBottom
	c.FillText(st, vg.Point{X: c.Center().X, Y: c.Min.Y + cm(0.15)},
		fmt.Sprintf("solid: %.0f %% of a head's attention     dotted: %.0f %%     black: the query token",
			100*o.Inner, 100*o.Outer))
}

// panel draws one layer.
func panel(l Layer, o HeadsOptions) *plot.Plot {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("layer %d", l.Number)
	restyle(&p.Title.TextStyle, titleSize, ink)
	p.Title.Padding = vg.Points(4)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Tick.Marker = plot.ConstantTicks(ticks(o.Frame))
		a.Tick.Length, a.Padding = 0, 0
		a.LineStyle.Width = 0
		restyle(&a.Tick.Label, labelSize, quiet)
		restyle(&a.Label.TextStyle, labelSize, quiet)
	}
	p.X.Label.Text, p.Y.Label.Text = "columns from the query", "rows from the query"
	p.Y.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}} // rows go down, as in the picture
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -o.Frame, o.Frame, -o.Frame, o.Frame
	grid := plotter.NewGrid()
	for _, s := range []*draw.LineStyle{&grid.Vertical, &grid.Horizontal} {
		*s = draw.LineStyle{Color: faint, Width: vg.Points(gridWidth)}
	}
	p.Add(grid, query{})
	var uniform []string
	for h, head := range l.Heads {
		switch {
		case head.Uniform():
			uniform = append(uniform, fmt.Sprint(h+1))
		case math.Abs(head.Center[0]) > o.Frame || math.Abs(head.Center[1]) > o.Frame:
			p.Add(far{h, head, o.Frame})
		default:
			p.Add(near{h, head, o})
		}
	}
	if len(uniform) > 0 {
		p.X.Label.Text += "\nuniform, not drawn: " + strings.Join(uniform, ", ")
	}
	return p
}

// ticks are the whole numbers from -frame to frame, every second or third labelled.
func ticks(frame float64) (t []plot.Tick) {
	every := 2
	if frame > 6 {
		every = 4
	}
	for v := -int(frame); v <= int(frame); v++ {
		label := ""
		if v%every == 0 {
			label = strings.Replace(fmt.Sprint(v), "-", "−", 1)
		}
		t = append(t, plot.Tick{Value: float64(v), Label: label})
	}
	return t
}

// square widens the range of one axis so that a token is as wide as it is high.
func square(p *plot.Plot, tile draw.Canvas, frame float64) {
	size := p.DataCanvas(tile).Size()
	if size.X > size.Y {
		p.X.Max = frame * float64(size.X/size.Y)
		p.X.Min = -p.X.Max
	} else {
		p.Y.Max = frame * float64(size.Y/size.X)
		p.Y.Min = -p.Y.Max
	}
}

// query is the black token that the heads look from.
type query struct{}

func (query) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	c.FillPolygon(ink, []vg.Point{{X: x(-.5), Y: y(-.5)}, {X: x(.5), Y: y(-.5)}, {X: x(.5), Y: y(.5)}, {X: x(-.5), Y: y(.5)}})
}

// near is a head inside the frame.
type near struct {
	number int
	Head
	o HeadsOptions
}

func (h near) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	line := func(mass float64, dashes []vg.Length) {
		var points []vg.Point
		for _, q := range h.Contour(mass, 180) {
			points = append(points, vg.Point{X: x(q[1]), Y: y(q[0])})
		}
		st := draw.LineStyle{Color: headColor(h.number), Width: vg.Points(lineWidth), Dashes: dashes}
		c.StrokeLines(st, c.ClipLinesXY(points)...)
	}
	line(h.o.Outer, []vg.Length{vg.Points(1), vg.Points(2)})
	line(h.o.Inner, nil)
	label(c, h.place(x, y), headColor(h.number), fmt.Sprint(h.number+1))
}

// place is where the head's number stands: on the solid curve, inside the frame, as far from the query as it can; or at
// the center, if no part of the curve is inside.
func (h near) place(x, y func(float64) vg.Length) vg.Point {
	limit := h.o.Frame - 0.3
	dr, dc := h.Center[0], h.Center[1]
	if math.Hypot(dr, dc) < 0.3 {
		dr, dc = -1, 0
	}
	at, best := h.Center, math.Inf(-1)
	for _, q := range h.Contour(h.o.Inner, 180) {
		if far := q[0]*dr + q[1]*dc; far > best && math.Abs(q[0]) < limit && math.Abs(q[1]) < limit {
			at, best = q, far
		}
	}
	return vg.Point{X: x(at[1]), Y: y(at[0])}
}

// far is a head whose center is outside of the frame: an arrow at the edge.
type far struct {
	number int
	Head
	frame float64
}

func (h far) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	scale := (h.frame - 0.15) / max(math.Abs(h.Center[0]), math.Abs(h.Center[1]))
	tip := vg.Point{X: x(h.Center[1] * scale), Y: y(h.Center[0] * scale)}
	tail := vg.Point{X: x(h.Center[1] * scale * 0.88), Y: y(h.Center[0] * scale * 0.88)}
	d := tip.Sub(tail)
	side := vg.Point{X: -d.Y * 0.4, Y: d.X * 0.4}
	c.FillPolygon(headColor(h.number), []vg.Point{tip, tail.Add(side), tail.Sub(side)})
	inner := vg.Point{X: x(h.Center[1] * scale * 0.76), Y: y(h.Center[0] * scale * 0.76)}
	label(c, inner, headColor(h.number), fmt.Sprintf("%d (%.1f, %.1f)", h.number+1, h.Center[0], h.Center[1]))
}

func label(c draw.Canvas, at vg.Point, col color.Color, s string) {
	st := sans(numberSize, col)
	st.XAlign, st.YAlign = draw.XCenter, draw.YCenter
	halo(c, st, at, strings.ReplaceAll(s, "-", "−"))
}
