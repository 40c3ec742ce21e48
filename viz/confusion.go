package viz

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/internal/fault"
)

// ConfusionOptions say how Confusion draws.
type ConfusionOptions struct {
	Width float64 // of the figure; 0: as the classes need, up to 24 cm
}

// A confusion is the layout of a confusion matrix, in cm.
type confusion struct {
	counts  [][]int
	classes []string
	total   []int   // of each row
	full    float64 // share off the diagonal that has full color
	width   float64
	cell    float64
	left    float64 // width of the names
	head    float64 // height of the names
	legend  []string
}

// Lengths of a confusion matrix, in cm.
const (
	confusionEdge = 0.3
	confusionWord = 0.5  // "true class", "predicted class"
	confusionFoot = 0.45 // without the legend
)

// Confusion draws a confusion matrix: a row for each true class, a column for each predicted class, and in each cell
// the share of the row's images, in per cent. Correct predictions, on the diagonal, have the theme's shades of positive
// values, errors those of negative values. A fifth has full color, or a more frequent error: the rare errors of a good
// network are pale.  counts (classes, classes)
func Confusion(counts [][]int, classes []string, o ConfusionOptions) (*Figure, error) {
	f, err := newConfusion(counts, classes, o)
	if err != nil {
		return nil, err
	}
	height := f.head + f.cell*float64(len(classes)) + f.foot()
	return &Figure{Width: f.width, Height: height, Alt: f.alt(), Data: f.table(), Drawing: f.draw}, nil
}

func newConfusion(counts [][]int, classes []string, o ConfusionOptions) (*confusion, error) {
	f := &confusion{counts: counts, classes: classes, full: 0.2, width: o.Width}
	if len(classes) == 0 || len(counts) != len(classes) {
		return nil, fault.Usagef("a confusion matrix of %d rows for %d classes", len(counts), len(classes))
	}
	for i, row := range counts {
		if len(row) != len(classes) {
			return nil, fault.Usagef("a confusion matrix with %d columns for %d classes", len(row), len(classes))
		}
		sum := 0
		for _, n := range row {
			sum += n
		}
		f.total = append(f.total, sum)
		for k := range row {
			if k != i {
				f.full = max(f.full, f.share(i, k))
			}
		}
	}
	name := vg.Length(0)
	for _, class := range classes {
		name = max(name, sans(labelSize, nil).Width(class))
	}
	names := min(3.5, float64(name/vg.Centimeter)) + 0.15
	f.left = confusionEdge + confusionWord + names
	f.head = confusionEdge + confusionWord + names
	n := float64(len(classes))
	if f.width == 0 {
		f.width = min(24, max(9, f.left+confusionEdge+0.95*n))
	}
	f.cell = min(1.2, (f.width-f.left-confusionEdge)/n)
	words := fmt.Sprintf("%% of each row's images; diagonal: correct; off the diagonal: errors, full color at %s",
		percent1(f.full))
	f.legend = wrapWords(words, sans(numberSize, nil), cm(f.width-2*confusionEdge))
	return f, nil
}

// share returns the fraction of the images of class truth that are classified as predicted.
func (f *confusion) share(truth, predicted int) float64 {
	return float64(f.counts[truth][predicted]) / float64(max(1, f.total[truth]))
}

func (f *confusion) draw(c draw.Canvas, t *Theme) {
	corner := vg.Point{X: c.Min.X + cm(f.left), Y: c.Max.Y - cm(f.head)}
	cell := cm(f.cell)
	n := vg.Length(len(f.classes))
	up := t.Text(labelSize, t.Ink)
	up.Rotation = quarter
	every := max(1, int(0.3/f.cell+0.99)) // leaves out names that would overlap
	for i, class := range f.classes {
		at := cell * (vg.Length(i) + 0.5)
		if i%every == 0 {
			write(c, t.Text(labelSize, t.Ink), corner.Add(vg.Point{X: -vg.Points(4), Y: -at}), right, center, class)
			write(c, up, corner.Add(vg.Point{X: at, Y: vg.Points(4)}), left, center, class)
		}
		for k := range f.classes {
			f.drawCell(c, t, vg.Rectangle{
				Min: corner.Add(vg.Point{X: cell * vg.Length(k), Y: -cell * vg.Length(i+1)}),
				Max: corner.Add(vg.Point{X: cell * vg.Length(k+1), Y: -cell * vg.Length(i)}),
			}, i, k)
		}
	}
	box := vg.Rectangle{Min: corner.Add(vg.Point{Y: -cell * n}), Max: corner.Add(vg.Point{X: cell * n})}
	outline(c, box, draw.LineStyle{Color: t.Quiet, Width: t.points(gridWidth)})
	quiet := t.Text(labelSize, t.Quiet)
	write(c, quiet, vg.Point{X: mid(box).X, Y: c.Max.Y - cm(confusionEdge)}, middle, top, "predicted class")
	quiet.Rotation = quarter
	write(c, quiet, vg.Point{X: c.Min.X + cm(confusionEdge), Y: mid(box).Y}, middle, top, "true class")
	for i, line := range f.legend {
		at := vg.Point{X: c.Min.X + cm(confusionEdge), Y: c.Min.Y + cm(f.foot()-0.2-captionLine*float64(i))}
		write(c, t.Text(numberSize, t.Quiet), at, left, top, line)
	}
}

// foot returns the height below the matrix, in cm.
func (f *confusion) foot() float64 { return confusionFoot + captionLine*float64(len(f.legend)) }

// drawCell draws a cell, with its percentage if that fits.
func (f *confusion) drawCell(c draw.Canvas, t *Theme, box vg.Rectangle, truth, predicted int) {
	share := f.share(truth, predicted)
	shade := t.Shade(share)
	if truth != predicted {
		shade = t.Shade(-share / f.full)
	}
	fill(c, box, shade)
	word := fmt.Sprintf("%.0f", 100*share)
	st := t.Text(numberSize, t.contrasting(shade))
	if fits(st, word, box) && f.counts[truth][predicted] > 0 {
		if word == "0" {
			word = "<1"
		}
		write(c, st, mid(box), middle, center, word)
	}
}

func fits(st text.Style, word string, box vg.Rectangle) bool {
	return st.Width(word)+2 <= box.Size().X && numberSize+1 <= box.Size().Y
}

// percent1 formats a fraction in per cent with one decimal.
func percent1(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

func (f *confusion) alt() string {
	var words []string
	for i, class := range f.classes {
		words = append(words, fmt.Sprintf("%s %s", class, percent1(f.share(i, i))))
	}
	return "Confusion matrix. Correct: " + strings.Join(words, ", ") + "."
}

func (f *confusion) table() Table {
	t := Table{Columns: []string{"is", "taken_for", "images", "share"}}
	for i, truth := range f.classes {
		for k, predicted := range f.classes {
			t.add(truth, predicted, f.counts[i][k], f.share(i, k))
		}
	}
	return t
}
