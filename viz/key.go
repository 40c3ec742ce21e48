package viz

import (
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A key is the legend of curves, in as many columns as fit below the panels.
type key struct {
	entries   []keyEntry
	columns   int
	width     vg.Length // of a column
	lineWidth vg.Length
	texts     []string // below the entries
}

// A keyEntry is the lines of a curve's name, and the note after the last of them.
type keyEntry struct {
	name []string
	note string
}

const (
	keyLine   = 0.45 // cm from one line of the legend to the next
	keySample = 0.95 // cm, width of a sample of the line
)

func newKey(panels []Panel, o CurvesOptions) key {
	k := key{}
	wide := vg.Length(0)
	dotted, band, targets := false, false, false
	for _, p := range panels {
		targets = targets || len(p.Targets) > 0
		for _, c := range p.Curves {
			dotted = dotted || len(c.Dotted) > 0
			band = band || len(c.Runs) > 1
		}
	}
	for _, c := range panels[0].Curves {
		wide = max(wide, cm(keySample+0.5)+sans(labelSize, nil).Width(c.Name+"  "+c.Note))
	}
	k.lineWidth = cm(o.Width - marginLeft - marginRight)
	for _, c := range panels[0].Curves {
		k.entries = append(k.entries, newKeyEntry(c, k.lineWidth-cm(keySample)))
	}
	k.columns = max(1, min(len(k.entries), int(k.lineWidth/wide)))
	k.width = min(k.lineWidth/vg.Length(k.columns), wide+cm(0.6))
	if dotted {
		k.texts = append(k.texts, "dotted: "+o.Dotted)
	}
	if band {
		k.texts = append(k.texts, "line and band: mean over seeds ± one standard deviation")
	}
	k.texts = append(k.texts, spansKey(panels)...)
	if targets && band {
		k.texts = append(k.texts, "thin lines: the runs")
	}
	if targets {
		k.texts = append(k.texts, "large marks: where a run first reaches the value of a dashed line")
	}
	return k
}

// newKeyEntry wraps a curve's name to a width, with the note on a line of its own if it does not fit.
func newKeyEntry(c Curve, width vg.Length) keyEntry {
	st := sans(labelSize, nil)
	e := keyEntry{wrapWords(c.Name, st, width), c.Note}
	if len(e.name) == 0 {
		e.name = []string{""}
	}
	if last := e.name[len(e.name)-1]; e.note != "" && st.Width(last+"  "+e.note) > width {
		e.name = append(e.name, "")
	}
	return e
}

// rows returns the number of entries of a column, lines the number of lines of the tallest column.
func (k key) rows() int { return (len(k.entries) + k.columns - 1) / k.columns }

func (k key) lines() (most int) {
	for column := range slices.Chunk(k.entries, max(1, k.rows())) {
		n := 0
		for _, e := range column {
			n += len(e.name)
		}
		most = max(most, n)
	}
	return most
}

// notes returns the lines below the entries.
func (k key) notes() []string { return wrap(k.texts, k.lineWidth) }

// height returns the height of the legend in cm.
func (k key) height() float64 {
	return keyLine*float64(k.lines()+len(k.notes())) + 0.3
}

// draw writes the legend at the bottom of the page.
func (k key) draw(c draw.Canvas, t *Theme) {
	first := c.Min.Y + cm(k.height()-keyLine/2-0.1)
	st, quiet := t.Text(labelSize, t.Ink), t.Text(labelSize, t.Quiet)
	line := 0
	for i, e := range k.entries {
		if i%k.rows() == 0 {
			line = 0
		}
		at := vg.Point{X: c.Min.X + cm(marginLeft) + k.width*vg.Length(i/k.rows()),
			Y: first - cm(keyLine)*vg.Length(line)}
		c.StrokeLines(t.curve(i), []vg.Point{at, at.Add(vg.Point{X: cm(keySample - 0.2)})})
		mark(c, at.Add(vg.Point{X: cm(keySample-0.2) / 2}), i, t.Head(i))
		at.X += cm(keySample)
		for n, name := range e.name {
			write(c, st, at, left, center, name)
			if n+1 < len(e.name) {
				at.Y -= cm(keyLine)
			} else if name != "" {
				at.X += st.Width(name + "  ")
			}
		}
		write(c, quiet, at, left, center, e.note)
		line += len(e.name)
	}
	for i, words := range k.notes() {
		at := vg.Point{X: c.Min.X + cm(marginLeft), Y: first - cm(keyLine)*vg.Length(k.lines()+i)}
		write(c, quiet, at, left, center, words)
	}
}
