package measure

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/report"
)

// widest is the most layers of which a table shows CKA.
const widest = 12

// networkTables lists the measures of a whole network; none if they were not asked for.
func networkTables(d report.Analysis) (all []*table.Table) {
	if d.Network == nil {
		return nil
	}
	t := &table.Table{Title: d.Source + "   how layers by themselves follow shifts, and where in the image they look, in pixels",
		Columns: []table.Column{{Head: "layer", Right: true, Name: true}}}
	for _, head := range []string{"defect", "null", "LEE", "null", "r50", "null", "r90", "null", "K90", "all", "in", "null", "edge", "null"} {
		t.Columns = append(t.Columns, table.Column{Head: head, Right: true})
	}
	for _, l := range d.Layers {
		if s := l.Symmetry; s != nil {
			row := []table.Cell{table.Words(fmt.Sprint(l.Layer))}
			for _, v := range []report.Nulled{s.Defect, s.LEE} {
				row = append(row, number(v.Value, 1, "%.2f"), number(untrainedMean(v), 1, "%.2f"))
			}
			for _, v := range []report.Nulled{s.Radius50, s.Radius90} {
				row = append(row, number(v.Value, 1, "%.1f"), number(untrainedMean(v), 1, "%.1f"))
			}
			row = append(row, number(s.Side90.Value, 1, "%.0f"), table.Words(fmt.Sprint(s.SideAll)))
			for _, v := range []*report.Nulled{s.Interior, s.Border} {
				v = cmp.Or(v, &report.Nulled{})
				row = append(row, number(v.Value, 1, "%.2f"), number(untrainedMean(*v), 1, "%.2f"))
			}
			t.Add(row...)
		}
	}
	t.Notes = []string{
		fmt.Sprintf("null    mean of %s", table.Count(d.Network.Untrained, "untrained network")),
		"defect  0: a shift by one token, on a torus, shifts the output; 1: it changes it as another image does",
		"LEE     the defect per square of a small shift, in tokens",
		"r50     radius with half of the gradient of the center token, r90 with 90 %; K90: the square; all: the square with all",
		"in      R² of the best 3 × 3 convolution of tokens that are not at a border; edge: of all tokens, at the border",
		logitsNote(d.Network),
	}
	all = append(all, t)
	return append(all, similarTables(d.Network.CKA)...)
}

func untrainedMean(v report.Nulled) *float64 {
	if v.Untrained == nil {
		return nil
	}
	return v.Untrained.Mean
}

// logitsNote says how logits follow shifts of the image.
func logitsNote(n *report.NetworkSymmetry) string {
	pair := func(v report.Nulled) string {
		return number(v.Value, 1, "%.2g").Text + " (" + number(untrainedMean(v), 1, "%.2g").Text + ")"
	}
	var words []string
	for _, s := range n.Shifts {
		words = append(words, fmt.Sprintf("%d: %s", s.Pixels, pair(s.Defect)))
	}
	return "logits  defect (null) for a shift of the image by so many pixels, " + strings.Join(words, ", ") + "; LEE per pixel² " + pair(n.Relative)
}

// similarTables list CKA between the layers of two networks, and of untrained ones; none of more layers than fit.
func similarTables(s *report.Similarity) []*table.Table {
	if s == nil || len(s.CKA) == 0 || len(s.CKA[0]) > widest {
		return nil
	}
	t := similarTable(s.CKA, fmt.Sprintf("CKA between what layers read, %s down, %s across", s.Rows, s.Cols))
	t.Notes = []string{fmt.Sprintf("1: the same but for a rotation and a scale; over %s held-out images", table.Thousands(s.Images))}
	if s.Untrained == 0 {
		return []*table.Table{t}
	}
	what := fmt.Sprintf("the same of untrained networks, mean of %d", s.Untrained)
	if s.Rows != s.Cols {
		what = fmt.Sprintf("the same of untrained networks, mean of %s", table.Count(s.Untrained, "pair"))
	}
	return []*table.Table{t, similarTable(s.Null, what)}
}

func similarTable(values [][]*float64, title string) *table.Table {
	t := &table.Table{Title: title, Columns: []table.Column{{Head: "layer", Right: true, Name: true}}}
	for _, name := range layerNames(len(values[0])) {
		t.Columns = append(t.Columns, table.Column{Head: name, Right: true})
	}
	for i, name := range layerNames(len(values)) {
		row := []table.Cell{table.Words(name)}
		for _, v := range values[i] {
			row = append(row, number(v, 1, "%.2f"))
		}
		t.Add(row...)
	}
	return t
}

// layerNames are 1, 2, …, and the logits.
func layerNames(n int) (names []string) {
	for i := range n - 1 {
		names = append(names, fmt.Sprint(i+1))
	}
	return append(names, "logits")
}

// SimilarText is the tables of Similar for a terminal of so many columns, 0 for any width.
func SimilarText(s *report.Similarity, width int) string {
	var texts []string
	for _, t := range similarTables(s) {
		texts = append(texts, t.Text(width))
	}
	return strings.Join(texts, "\n")
}
