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
	legend        []string // lines below
	foot          float64  // cm that are left free below the legend
}

// The margins around the panels and between them, in cm.
const (
	marginLeft   = 1.15
	marginRight  = 0.25
	marginTop    = 0.7
	marginBottom = 1.3
	legendLine   = 0.42
	gapRight     = 0.45
	gapDown      = 0.85
)

// newLayout makes room for n panels, for a legend that consists of parts, and for a foot; width 0 is 8 cm
// a panel, and not below 11.
func newLayout(n int, width float64, parts []string, foot float64) layout {
	across := min(3, n)
	if n == 4 {
		across = 2
	}
	if width > 0 {
		across = max(1, min(across, int(width/4.6))) // or their words lie on each other
	}
	l := layout{across: across, width: width, foot: foot}
	if l.width == 0 {
		l.width = max(11, 8*float64(across))
	}
	down := (n + across - 1) / across
	side := (l.width - marginLeft - marginRight - gapRight*float64(across-1)) / float64(across)
	l.legend = wrap(parts, cm(l.width-2*marginRight))
	under := marginBottom + legendLine*float64(len(l.legend)) + foot
	l.height = marginTop + side*float64(down) + gapDown*float64(down-1) + under
	page := vg.Rectangle{Max: vg.Point{X: cm(l.width), Y: cm(l.height)}}
	l.boxes = panels(inset(page, marginLeft, marginRight, under, marginTop), n, across, cm(gapRight), cm(gapDown))
	return l
}

// wrap puts parts into as few lines as they fit in.
func wrap(parts []string, room vg.Length) (lines []string) {
	const between = "     "
	for _, part := range parts {
		if n := len(lines) - 1; n >= 0 && sans(labelSize, nil).Width(lines[n]+between+part) <= room {
			lines[n] += between + part
		} else {
			lines = append(lines, part)
		}
	}
	return lines
}

// words writes the legend.
func (l layout) words(c draw.Canvas, t *theme) {
	for i, line := range l.legend {
		y := c.Min.Y + cm(l.foot+0.15+legendLine*float64(len(l.legend)-1-i))
		write(c, sans(labelSize, t.quiet), vg.Point{X: c.Center().X, Y: y}, middle, bottom, line)
	}
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
