package figures

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
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc/geometry"
	"github.com/attnconv/attnconv/viz"
)

// ParseLayers reads a list of layers such as 1-3,5, from 1 to n. It returns their numbers, ascending, or nil for "",
// which means all. The error is an *option.Error for "layers".
func ParseLayers(list string, n int) ([]int, error) {
	if list == "" {
		return nil, nil
	}
	var numbers []int
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		lo, err := strconv.Atoi(first)
		hi := lo
		if isRange && err == nil {
			hi, err = strconv.Atoi(last)
		}
		if err != nil || lo < 1 || hi < lo || hi > n {
			return nil, option.Errorf("layers", "%q: want numbers from 1 to %d, such as 1-3 or 1,4", list, n)
		}
		for ; lo <= hi; lo++ {
			numbers = append(numbers, lo)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers), nil
}

// HeadDocuments describes the Gaussian heads of layers; isotropic ones have one width.
func HeadDocuments(layers []viz.Layer, isotropic bool) (all []heads.Gaussian) {
	for _, l := range layers {
		for i, h := range l.Heads {
			all = append(all, heads.Describe(l.Number, i+1, h, isotropic))
		}
	}
	return all
}

// HeadText returns a table of the Gaussian heads of layers of a network, a row each, and its unit, for a terminal of
// width columns, 0 for any width.
func HeadText(layers []viz.Layer, isotropic bool, spec model.Spec, width int) string {
	t := &table.Table{Columns: []table.Column{{Head: "layer", Right: true, Name: true},
		{Head: "head", Right: true, Name: true}}}
	measures, cells, note := []string{"row", "column", "alpha", "r50", "r90", "nearest", "off by"}, round, ""
	side := float64(max(spec.Grid().Rows, spec.Grid().Cols))
	if !isotropic {
		measures, cells = []string{"row", "column", "precision", "axes 50 %", "angle", "condition"}, long
	}
	for _, name := range measures {
		t.Columns = append(t.Columns, table.Column{Head: name, Right: true})
	}
	for _, l := range layers {
		for i, h := range l.Heads {
			row := []string{strconv.Itoa(l.Number), strconv.Itoa(i + 1), fmt.Sprintf("%.2f", h.Center[0]),
				fmt.Sprintf("%.2f", h.Center[1])}
			var all []table.Cell
			for _, text := range append(row, cells(h, side)...) {
				all = append(all, table.Words(text))
			}
			t.Add(all...)
			if h.Uniform() {
				note = "; " + uniform + ": a degenerate head, which attends to all tokens alike"
			}
		}
	}
	about := "rows count down, columns to the right"
	if isotropic {
		about += "; nearest: the nearest whole shift"
	}
	return strings.Join(table.Wrap(about+note, width), "\n") + "\n\n" + t.Text(width) + "\n" +
		strings.Join(table.Wrap(unit("centers and radii", spec.TokenSide()), width), "\n") + "\n"
}

const uniform = "uniform"

// radius is the text of a length in tokens, or that it is larger than the side of the grid.
func radius(r, side float64) string {
	if r > side {
		return "> grid"
	}
	return fmt.Sprintf("%.2f", r)
}

// round returns the cells of a head with one width, on a grid of so many tokens along its longer side.
func round(h geometry.Head, side float64) []string {
	r50, _ := h.Axes(0.5)
	r90, _ := h.Axes(0.9)
	width := []string{fmt.Sprintf("%.4g", h.Precision[0][0]/2), radius(r50, side), radius(r90, side)}
	if h.Uniform() {
		return append(width, uniform, "-")
	}
	dr, dc := math.Round(h.Center[0])+0, math.Round(h.Center[1])+0 // + 0: no -0
	return append(width, fmt.Sprintf("(%+.0f, %+.0f)", dr, dc),
		fmt.Sprintf("%.2f", math.Hypot(h.Center[0]-dr, h.Center[1]-dc)))
}

// long returns the cells of a head of any shape.
func long(h geometry.Head, side float64) []string {
	a, b := h.Axes(0.5)
	p := h.Precision
	angle := fmt.Sprintf("%.0f°", h.Angle())
	if h.Uniform() {
		angle = uniform
	}
	return []string{fmt.Sprintf("[%.3g %.3g %.3g]", p[0][0], p[0][1], p[1][1]),
		radius(a, side) + " × " + radius(b, side), angle, fmt.Sprintf("%.4g", h.Condition())}
}

// MapText returns a table of attention maps, a row each, and its unit; a token has pool × pool pixels.
func MapText(maps []MapSummary, pool int) string {
	var w table.Right
	w.Addf("query\tlayer\thead\tmean row\tmean column\tpeak\tat shift\ttokens")
	for _, r := range maps {
		w.Addf("(%d, %d)\t%d\t%d\t%.2f\t%.2f\t%.1f %%\t(%+d, %+d)\t%.1f", r.Query[0], r.Query[1],
			r.Layer, r.Head, r.Mean[0], r.Mean[1], 100*r.Peak, r.At[0], r.At[1], r.Tokens)
	}
	return w.String() + "\n" + unit("means and shifts", pool) + "\n"
}

// unit explains the unit of lengths in a table.
func unit(what string, pool int) string {
	size := "a token is a pixel"
	switch {
	case pool == 0:
		size = "a token is a pixel of the layer's input"
	case pool > 1:
		size = fmt.Sprintf("a token is %d × %d pixels", pool, pool)
	}
	return fmt.Sprintf("%s are in tokens, from the query; %s", what, size)
}

// CurveDocuments returns for each curve its runs, its last epoch with the validation loss, and the best accuracy with
// its epoch.
func CurveDocuments(curves []Curve) (all []CurveSummary) {
	for _, c := range curves {
		best, at := c.Best()
		epochs, loss := c.Last()
		row := CurveSummary{Name: c.Name, Epochs: epochs, Best: null.Float(best), At: at, Loss: null.Float(loss)}
		for _, r := range c.Runs {
			_, epoch := r.best()
			row.Runs, row.Bests = append(row.Runs, r.Status.ID), append(row.Bests, epoch)
		}
		all = append(all, row)
	}
	return all
}

// CurveText returns a table of curves, a row each.
func CurveText(curves []CurveSummary) string {
	var t table.Table
	best := "best val acc"
	if slices.ContainsFunc(curves, func(c CurveSummary) bool { return len(c.Runs) > 1 }) {
		best = "mean of best val acc"
	}
	for _, head := range []string{"curve", "runs", "epochs", best, "at epoch", "last val loss"} {
		t.Columns = append(t.Columns, table.Column{Head: head})
	}
	for _, r := range curves {
		loss := "-"
		if r.Loss.Known() {
			loss = fmt.Sprintf("%.4f", r.Loss)
		}
		var epochs []string
		for _, e := range r.Bests {
			epochs = append(epochs, fmt.Sprint(e))
		}
		t.Add(table.Words(r.Name), table.Words(fmt.Sprint(len(r.Runs))), table.Words(fmt.Sprint(r.Epochs)),
			table.Words(table.Percent(r.Best)), table.Words(strings.Join(epochs, ", ")), table.Words(loss))
	}
	return t.Text(0)
}
