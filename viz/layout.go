package viz

import (
	"slices"

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
	notes         []string // of each panel, above it
	foot          float64  // cm that are left free below the legend
	tall          bool     // notes have a line of their own
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
	noteLine     = 0.36
)

// newLayout makes space for n panels of at least so many cm, for a legend that consists of parts, for a foot, and for a
// note above each panel; width 0 is 8 cm a panel, and not below 11.
func newLayout(n int, width, least float64, parts []string, foot float64, notes ...string) layout {
	across := min(3, n)
	if n == 4 {
		across = 2
	}
	if width > 0 {
		across = max(1, min(across, int(width/least))) // or their words lie on each other
	}
	l := layout{across: across, width: width, foot: foot, notes: notes}
	if l.width == 0 {
		l.width = max(11, 8*float64(across))
	}
	down := (n + across - 1) / across
	side := (l.width - marginLeft - marginRight - gapRight*float64(across-1)) / float64(across)
	l.legend = wrap(parts, cm(l.width-2*marginRight))
	under := marginBottom + legendLine*float64(len(l.legend)) + foot
	over, between := marginTop, gapDown
	if l.tall = slices.ContainsFunc(notes, l.longer(cm(side))); l.tall { // a line of their own
		over, between = over+noteLine, between+noteLine
	}
	l.height = over + side*float64(down) + between*float64(down-1) + under
	page := vg.Rectangle{Max: vg.Point{X: cm(l.width), Y: cm(l.height)}}
	l.boxes = panels(inset(page, marginLeft, marginRight, under, over), n, across, cm(gapRight), cm(between))
	return l
}

// longer reports whether a note does not fit beside a title above a panel of some width.
func (l layout) longer(width vg.Length) func(note string) bool {
	title := sans(titleSize, nil).Width("layer 12   ")
	return func(note string) bool { return sans(labelSize, nil).Width(note) > width-title }
}

// wrap puts parts into as few lines as they fit in; what is longer than a line is broken.
func wrap(parts []string, room vg.Length) (lines []string) {
	const between = "     "
	st := sans(labelSize, nil)
	for _, part := range parts {
		for _, line := range wrapWords(part, st, room) {
			if n := len(lines) - 1; n >= 0 && line == part && st.Width(lines[n]+between+line) <= room {
				lines[n] += between + line
			} else {
				lines = append(lines, line)
			}
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
	above := vg.Point{X: f.box.Min.X, Y: f.box.Max.Y + vg.Points(3)}
	if i < len(l.notes) {
		write(c, sans(labelSize, t.quiet), vg.Point{X: f.box.Max.X, Y: above.Y}, right, bottom, l.notes[i])
	}
	if l.tall {
		above.Y += cm(noteLine)
	}
	write(c, sans(titleSize, t.ink), above, left, bottom, title)
	st := sans(labelSize, t.quiet)
	if below {
		write(c, st, vg.Point{X: mid(f.box).X, Y: f.box.Min.Y - vg.Points(14)}, middle, top, "columns, in tokens")
	}
	if beside {
		st.Rotation = quarter
		write(c, st, vg.Point{X: f.box.Min.X - cm(0.72), Y: mid(f.box).Y}, middle, bottom, "rows, in tokens")
	}
}
