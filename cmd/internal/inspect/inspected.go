package inspect

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/study"
)

// LayerTable lists the layers of an inspected network. Equal blocks share their rows, unless all is set.
func LayerTable(d *study.Inspection, spec model.Spec, all bool) *table.Table {
	image := spec.Image
	t := &table.Table{
		Title: fmt.Sprintf("%s   %s, %d × %d pixels of %d channels to %d classes", d.Source, spec.ShortName(), image[0],
			image[1], image[2], spec.Classes),
		Columns: []table.Column{{Head: "layer", Name: true}, {Head: "part", Name: true}, {Head: "output", Right: true},
			{Head: "params", Right: true}, {Head: "MAC", Right: true}, {Head: "computed", Right: true},
			{Head: "paper", Right: true}, {Head: "sees", Right: true}},
	}
	shared := false
	for rest := d.Layers; len(rest) > 0; {
		block, times := blockOf(rest), 1
		for n := len(block); !all && rest[0].Block != "" && sameExceptName(block, blockOf(rest[times*n:])); times++ {
		}
		label := rest[0].Block
		if times > 1 {
			label, shared = label+"–"+rest[(times-1)*len(block)].Block, true
		}
		for _, l := range block {
			t.Add(table.Words(label), table.Words(l.Kind), table.Words(extent(l.OutShape)), amount(l.Params),
				amount(l.MACs),
				amount(l.MACsRun), amount(l.MACsPaper), table.Words(extent(l.Field[:])))
		}
		rest = rest[times*len(block):]
	}
	t.Add(table.Words("total"), table.Words(""), table.Words(""), amount(d.Params), amount(d.MACs), amount(d.MACsRun),
		amount(d.MACsPaper), table.Words(""))
	m, size := d.Memory, func(n int) string { return table.Size(int64(n)) }
	t.Notes = []string{
		"MAC       multiply-adds of a forward pass of one image, by definition: attention weighs all pairs of tokens",
		"computed  multiply-adds that this program executes in evaluation",
		fmt.Sprintf("paper     those of linear maps and convolutions only, as in the paper's table: %.2f GFLOP, two "+
			"per MAC",
			2e-9*float64(d.MACsPaper)),
		fmt.Sprintf("memory    %s of parameters, %s a checkpoint; training %s (batch %d), evaluation %s (batch %d)",
			size(m.Params), size(m.Checkpoint), size(m.Train), m.TrainBatch, size(m.Eval), m.EvalBatch),
	}
	if shared {
		t.Notes = append(t.Notes, "–         equal layers share their rows; the values are those of one layer")
	}
	return t
}

// blockOf returns the layers at the head of rest that belong to one block.
func blockOf(rest []study.Layer) []study.Layer {
	n := min(1, len(rest))
	for n > 0 && n < len(rest) && rest[0].Block != "" && rest[n].Block == rest[0].Block {
		n++
	}
	return rest[:n]
}

// sameExceptName reports whether two blocks differ in their names only.
func sameExceptName(a, b []study.Layer) bool {
	return slices.EqualFunc(a, b, func(a, b study.Layer) bool {
		return b.Block != "" && a.Kind == b.Kind && slices.Equal(a.OutShape, b.OutShape) && a.Params == b.Params &&
			a.MACs == b.MACs && a.MACsRun == b.MACsRun && a.Field == b.Field
	})
}

// extent formats a shape: 16×16×400.
func extent(shape []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", "×"), "[]")
}

// amount formats a count, 0 as a dash.
func amount(n int) table.Cell {
	if n == 0 {
		return table.Cell{Text: "–", Value: n}
	}
	return table.Cell{Text: table.SI(float64(n), ""), Value: n}
}

// HeadTable lists the Gaussian heads of an inspected network; without heads it is empty.
func HeadTable(d *study.Inspection, spec model.Spec, trained bool) *table.Table {
	if len(d.Heads) == 0 {
		return &table.Table{}
	}
	t := &table.Table{
		Title:   "heads: center relative to the query, and radii that hold 50 % and 90 % of the weight, in tokens",
		Columns: []table.Column{{Head: "layer", Right: true, Name: true}, {Head: "head", Right: true, Name: true}},
	}
	if side := spec.TokenSide(); side > 0 {
		t.Title += fmt.Sprintf(" of %d × %d pixels", side, side)
	}
	if !trained {
		t.Title += ", before training"
	}
	measures := []string{"row", "column", "alpha", "r50", "r90"}
	if d.Heads[0].Alpha == nil {
		measures = []string{"row", "column", "long axis", "short axis", "angle"}
	}
	if d.Heads[0].Start != nil {
		measures = append(measures, measures[3]+" before")
	}
	for _, name := range measures {
		t.Columns = append(t.Columns, table.Column{Head: name, Right: true})
	}
	uniform := slices.ContainsFunc(d.Heads, func(h heads.Gaussian) bool { return h.Degenerate })
	if uniform {
		t.Columns = append(t.Columns, table.Column{Head: "note"})
	}
	for _, h := range d.Heads {
		values := []null.Float{null.Float(h.Center[0]), null.Float(h.Center[1]), h.Axes[0], h.Axes[1],
			null.Float(h.Angle)}
		if h.Alpha != nil {
			values = []null.Float{values[0], values[1], *h.Alpha, h.R50, h.R90}
		}
		if h.Start != nil {
			values = append(values, h.Start.Axes[1]) // r50, or the short axis
		}
		cells := []table.Cell{amount(h.Layer), amount(h.Head)}
		for _, v := range values {
			cells = append(cells, digits3(v))
		}
		if uniform {
			cells = append(cells, table.Words(map[bool]string{true: "uniform (degenerate)"}[h.Degenerate]))
		}
		t.Add(cells...)
	}
	var words []string
	for _, pixels := range d.Reach {
		words = append(words, digits3(pixels/null.Float(max(1, spec.TokenSide()))).Text)
	}
	t.Notes = []string{"reach  distance from the query, in tokens, that holds 90 % of the weight of each head, layer " +
		"by layer: " +
		strings.Join(words, ", ")}
	if uniform {
		t.Notes = append(t.Notes, "note   a uniform head gives all tokens of an image nearly the same weight")
	}
	return t
}

// digits3 formats a value with three significant digits, without an exponent: 0.00123, -1.68, 13000.
func digits3(x null.Float) table.Cell {
	return table.Float(x, func(v float64) string {
		text := strconv.FormatFloat(v, 'g', 3, 64)
		rounded, err := strconv.ParseFloat(text, 64)
		switch size := math.Abs(rounded); {
		case err != nil:
		case rounded == 0:
			return "0"
		case size >= 1e-4 && size < 1e7:
			return strconv.FormatFloat(rounded, 'f', max(0, 2-int(math.Floor(math.Log10(size)))), 64)
		}
		return text
	})
}
