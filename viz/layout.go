package viz

import (
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A layout is the panels of a network's layers: squares with a title each, up to three side by side, with coordinates
// at the left and below.
type layout struct {
	width, height float64 // cm
	across        int
	boxes         []vg.Rectangle
	legend        []string // lines below
	notes         []string // of each panel, above it
	foot          float64  // cm, free space below the legend
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

// newLayout lays out n panels of at least the given width, a legend of several texts, a foot, and a note above each
// panel. Lengths are in cm; width 0 is 8 cm per panel and at least 11 cm.
func newLayout(n int, width, least float64, texts []string, foot float64, notes ...string) layout {
	across := min(3, n)
	if n == 4 {
		across = 2
	}
	if width > 0 {
		across = max(1, min(across, int(width/least))) // fewer, or texts would overlap
	}
	l := layout{across: across, width: width, foot: foot, notes: notes}
	if l.width == 0 {
		l.width = max(11, 8*float64(across))
	}
	down := (n + across - 1) / across
	side := (l.width - marginLeft - marginRight - gapRight*float64(across-1)) / float64(across)
	l.legend = wrap(texts, cm(l.width-2*marginRight))
	below := marginBottom + legendLine*float64(len(l.legend)) + foot
	above, between := marginTop, gapDown
	if l.tall = slices.ContainsFunc(notes, l.longer(cm(side))); l.tall {
		above, between = above+noteLine, between+noteLine
	}
	l.height = above + side*float64(down) + between*float64(down-1) + below
	page := vg.Rectangle{Max: vg.Point{X: cm(l.width), Y: cm(l.height)}}
	l.boxes = panels(inset(page, marginLeft, marginRight, below, above), n, across, cm(gapRight), cm(between))
	return l
}

// longer returns whether a note does not fit next to the title above a panel of the given width.
func (l layout) longer(width vg.Length) func(note string) bool {
	title := sans(titleSize, nil).Width("layer 12   ")
	return func(note string) bool { return sans(labelSize, nil).Width(note) > width-title }
}

// wrap fills lines of the given width with texts, and breaks texts that are longer than a line.
func wrap(texts []string, width vg.Length) (lines []string) {
	const between = "     "
	st := sans(labelSize, nil)
	for _, text := range texts {
		for _, line := range wrapWords(text, st, width) {
			if n := len(lines) - 1; n >= 0 && line == text && st.Width(lines[n]+between+line) <= width {
				lines[n] += between + line
			} else {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// words writes the legend.
func (l layout) words(c draw.Canvas, t *Theme) {
	for i, line := range l.legend {
		y := c.Min.Y + cm(l.foot+0.15+legendLine*float64(len(l.legend)-1-i))
		write(c, t.Text(labelSize, t.Quiet), vg.Point{X: c.Center().X, Y: y}, middle, bottom, line)
	}
}

// frame draws title, note and grid of panel i, with coordinates if it is the first of its row or the last of its
// column.
func (l layout) frame(c draw.Canvas, t *Theme, f frame, i int, title string) {
	atLeft, below := i%l.across == 0, i+l.across >= len(l.boxes)
	f.scale(c, t, below, atLeft)
	above := vg.Point{X: f.box.Min.X, Y: f.box.Max.Y + vg.Points(3)}
	if i < len(l.notes) {
		write(c, t.Text(labelSize, t.Quiet), vg.Point{X: f.box.Max.X, Y: above.Y}, right, bottom, l.notes[i])
	}
	if l.tall {
		above.Y += cm(noteLine)
	}
	write(c, t.Text(titleSize, t.Ink), above, left, bottom, title)
	st := t.Text(labelSize, t.Quiet)
	if below {
		write(c, st, vg.Point{X: mid(f.box).X, Y: f.box.Min.Y - vg.Points(14)}, middle, top, "columns, in tokens")
	}
	if atLeft {
		st.Rotation = quarter
		write(c, st, vg.Point{X: f.box.Min.X - cm(0.72), Y: mid(f.box).Y}, middle, bottom, "rows, in tokens")
	}
}
