package viz

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A layout is the panels of the layers of a network: squares with a title each, up to three beside each other, with
// numbers and their meaning at the left and below.
type layout struct {
	width, height float64 // cm
	across        int
	boxes         []vg.Rectangle
}

// The margins around the panels and between them, in cm.
const (
	marginLeft   = 1.15
	marginRight  = 0.25
	marginTop    = 0.7
	marginBottom = 1.75
	gapRight     = 0.45
	gapDown      = 0.85
)

// newLayout makes room for n panels; width 0 is 8 cm each.
func newLayout(n int, width float64) layout {
	across := min(3, n)
	if n == 4 {
		across = 2
	}
	l := layout{across: across, width: width}
	if l.width == 0 {
		l.width = 8 * float64(across)
	}
	down := (n + across - 1) / across
	side := (l.width - marginLeft - marginRight - gapRight*float64(across-1)) / float64(across)
	l.height = marginTop + side*float64(down) + gapDown*float64(down-1) + marginBottom
	page := vg.Rectangle{Max: vg.Point{X: cm(l.width), Y: cm(l.height)}}
	l.boxes = panels(inset(page, marginLeft, marginRight, marginBottom, marginTop), n, across, cm(gapRight), cm(gapDown))
	return l
}

// frame draws what stands around panel i: its title, its grid, and numbers where no other panel is beside or below.
func (l layout) frame(c draw.Canvas, t *theme, f frame, i int, title string) {
	beside, below := i%l.across == 0, i+l.across >= len(l.boxes)
	f.scale(c, t, below, beside)
	write(c, sans(titleSize, t.ink), vg.Point{X: f.box.Min.X, Y: f.box.Max.Y + vg.Points(3)}, left, bottom, title)
	st := sans(labelSize, t.quiet)
	if below {
		write(c, st, vg.Point{X: mid(f.box).X, Y: f.box.Min.Y - vg.Points(14)}, middle, top, "columns from the query")
	}
	if beside {
		st.Rotation = quarter
		write(c, st, vg.Point{X: f.box.Min.X - cm(0.72), Y: mid(f.box).Y}, middle, bottom, "rows from the query")
	}
}
