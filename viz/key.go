package viz

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A key is the legend of curves, in as many columns as fit below the panels.
type key struct {
	entries []keyEntry
	columns int
	width   vg.Length // of a column
	room    vg.Length // of a line
	parts   []string  // what is said below the entries
}

type keyEntry struct{ name, note string }

const (
	keyLine   = 0.45 // cm from one line of the legend to the next
	keySample = 0.95 // cm that a sample of the line takes
)

func newKey(panels []Panel, o CurvesOptions) key {
	k := key{}
	wide := vg.Length(0)
	dim, band := false, false
	for _, p := range panels {
		for _, c := range p.Curves {
			dim = dim || len(c.Dim) > 0
			band = band || len(c.Runs) > 1
		}
	}
	for _, c := range panels[0].Curves {
		e := keyEntry{c.Name, c.Note}
		if e.note != "" {
			e.name += "  "
		}
		k.entries = append(k.entries, e)
		wide = max(wide, cm(keySample+0.5)+sans(labelSize, nil).Width(e.name+e.note))
	}
	k.room = cm(o.Width - marginLeft - marginRight)
	k.columns = max(1, min(len(k.entries), int(k.room/wide)))
	k.width = min(k.room/vg.Length(k.columns), wide+cm(0.6))
	if dim {
		k.parts = append(k.parts, "dotted: "+o.Dim)
	}
	if band {
		k.parts = append(k.parts, "line and band: mean over the seeds, and a standard deviation to both sides")
	}
	return k
}

// notes are the lines below the entries.
func (k key) notes() []string { return wrap(k.parts, k.room) }

// height is how much space the legend takes, in cm.
func (k key) height() float64 {
	lines := (len(k.entries)+k.columns-1)/k.columns + len(k.notes())
	return keyLine*float64(lines) + 0.3
}

// draw writes the legend at the bottom of the page.
func (k key) draw(c draw.Canvas, t *theme) {
	rows := (len(k.entries) + k.columns - 1) / k.columns
	first := c.Min.Y + cm(k.height()-keyLine/2-0.1)
	for i, e := range k.entries {
		x := c.Min.X + cm(marginLeft) + k.width*vg.Length(i/rows)
		y := first - cm(keyLine)*vg.Length(i%rows)
		c.StrokeLines(t.curve(i), []vg.Point{{X: x, Y: y}, {X: x + cm(keySample-0.2), Y: y}})
		mark(c, vg.Point{X: x + cm(keySample-0.2)/2, Y: y}, i, t.head(i))
		st := sans(labelSize, t.ink)
		at := vg.Point{X: x + cm(keySample), Y: y}
		write(c, st, at, left, centre, e.name)
		at.X += st.Width(e.name)
		write(c, sans(labelSize, t.quiet), at, left, centre, e.note)
	}
	for i, line := range k.notes() {
		at := vg.Point{X: c.Min.X + cm(marginLeft), Y: first - cm(keyLine)*vg.Length(rows+i)}
		write(c, sans(labelSize, t.quiet), at, left, centre, line)
	}
}
