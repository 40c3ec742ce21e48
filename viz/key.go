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
	note    string
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
	room := cm(o.Width - marginLeft - marginRight)
	k.columns = max(1, min(len(k.entries), int(room/wide)))
	k.width = min(room/vg.Length(k.columns), wide+cm(0.6))
	if dim {
		k.note = "dotted: " + o.Dim
	}
	if band {
		if k.note != "" {
			k.note += "     "
		}
		k.note += "line and band: mean over the seeds, and a standard deviation to both sides"
	}
	return k
}

// height is how much room the legend takes, in cm.
func (k key) height() float64 {
	lines := (len(k.entries) + k.columns - 1) / k.columns
	if k.note != "" {
		lines++
	}
	return keyLine*float64(lines) + 0.3
}

// draw writes the legend at the bottom of the page.
func (k key) draw(c draw.Canvas, t *theme) {
	rows := (len(k.entries) + k.columns - 1) / k.columns
	first := c.Min.Y + cm(k.height()-keyLine/2-0.1)
	for i, e := range k.entries {
		x := c.Min.X + cm(marginLeft) + k.width*vg.Length(i/rows)
		y := first - cm(keyLine)*vg.Length(i%rows)
		line := draw.LineStyle{Color: t.head(i), Width: vg.Points(lineWidth * 1.2)}
		c.StrokeLines(line, []vg.Point{{X: x, Y: y}, {X: x + cm(keySample-0.2), Y: y}})
		mark(c, vg.Point{X: x + cm(keySample-0.2)/2, Y: y}, i, t.head(i))
		st := sans(labelSize, t.ink)
		at := vg.Point{X: x + cm(keySample), Y: y}
		write(c, st, at, left, centre, e.name)
		at.X += st.Width(e.name)
		write(c, sans(labelSize, t.quiet), at, left, centre, e.note)
	}
	if k.note != "" {
		at := vg.Point{X: c.Min.X + cm(marginLeft), Y: first - cm(keyLine)*vg.Length(rows)}
		write(c, sans(labelSize, t.quiet), at, left, centre, k.note)
	}
}
