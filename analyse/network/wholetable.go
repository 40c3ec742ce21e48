package network

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/attnconv/attnconv/internal/null"
	"github.com/attnconv/attnconv/internal/table"
)

// widest is the most layers of which a table shows CKA.
const widest = 12

// networkTables lists the measures of a whole network; none if they were not asked for.
func networkTables(d Analysis) (all []*table.Table) {
	if d.Network == nil {
		return nil
	}
	t := &table.Table{Title: d.Source +
		"   how layers by themselves follow shifts, and where in the image they look, in pixels"}
	t.Notes = []string{
		fmt.Sprintf("null    mean of %s", table.Count(d.Network.Untrained, "untrained network")),
		"defect  0: a shift by one token, on a torus, shifts the output; 1: it changes it as another image does",
		"r50     radius with half of the gradient of the center token, r90 with 90 %; K90: the square; all: the " +
			"square with all",
		"in      R² of the best 3 × 3 convolution of tokens that are not at a border; edge: of all tokens, at the " +
			"border",
	}
	var rows []layerRow
	for _, l := range rowsOf(d) {
		if l.Symmetry != nil {
			rows = append(rows, l)
		}
	}
	all = append(all, table.Fill(t, networkFields(), rows))
	return append(all, similarTables(d.Network.CKA)...)
}

// networkFields are the columns of layers that have symmetries.
func networkFields() (fields []field) {
	add := func(head string, cell func(s *LayerSymmetry) table.Cell) {
		fields = append(fields, right(head, "", func(l layerRow) table.Cell { return cell(l.Symmetry) }))
	}
	pair := func(head, format string, of func(s *LayerSymmetry) NullTest) {
		add(head, func(s *LayerSymmetry) table.Cell { return number(of(s).Value, format) })
		add("null", func(s *LayerSymmetry) table.Cell { return number(bandOr(of(s).Untrained).Mean, format) })
	}
	r2 := func(n *NullTest) NullTest { return *cmp.Or(n, &NullTest{Value: null.Unknown}) }
	fields = append(fields, numbered)
	pair("defect", "%.2f", func(s *LayerSymmetry) NullTest { return s.Defect })
	pair("r50", "%.1f", func(s *LayerSymmetry) NullTest { return s.Radius50 })
	pair("r90", "%.1f", func(s *LayerSymmetry) NullTest { return s.Radius90 })
	add("K90", func(s *LayerSymmetry) table.Cell { return number(s.Side90.Value, "%.0f") })
	add("all", func(s *LayerSymmetry) table.Cell { return table.Words(fmt.Sprint(s.SideAll)) })
	pair("in", "%.2f", func(s *LayerSymmetry) NullTest { return r2(s.Interior) })
	pair("edge", "%.2f", func(s *LayerSymmetry) NullTest { return r2(s.Border) })
	return fields
}

// number formats a value; an unknown one is a dash.
func number(v null.Float, format string) table.Cell {
	return table.Float(v, func(v float64) string { return fmt.Sprintf(format, v) })
}

// similarTables list CKA between the layers of two networks, and of untrained ones; none of more layers than fit.
func similarTables(s *Similarity) []*table.Table {
	if s == nil || len(s.CKA) == 0 || len(s.CKA[0]) > widest {
		return nil
	}
	t := similarTable(s.CKA, fmt.Sprintf("CKA between what layers read, %s down, %s across", s.Rows, s.Cols))
	t.Notes = []string{fmt.Sprintf("1: the same but for a rotation and a scale; over %s validation images",
		table.Thousands(s.Images))}
	if s.Untrained == 0 {
		return []*table.Table{t}
	}
	what := fmt.Sprintf("the same of untrained networks, mean of %d", s.Untrained)
	if s.Rows != s.Cols {
		what = fmt.Sprintf("the same of untrained networks, mean of %s", table.Count(s.Untrained, "pair"))
	}
	return []*table.Table{t, similarTable(s.Null, what)}
}

func similarTable(values [][]null.Float, title string) *table.Table {
	type row struct {
		name string
		cka  []null.Float
	}
	var rows []row
	for i, name := range layerNames(len(values)) {
		rows = append(rows, row{name, values[i]})
	}
	fields := []table.Field[row]{table.For(table.Column{Head: "layer", Right: true, Name: true},
		func(r row) table.Cell { return table.Words(r.name) })}
	for j, name := range layerNames(len(values[0])) {
		fields = append(fields, table.For(table.Column{Head: name, Right: true},
			func(r row) table.Cell { return number(r.cka[j], "%.2f") }))
	}
	return table.Fill(&table.Table{Title: title}, fields, rows)
}

// layerNames are 1, 2, …, and the logits.
func layerNames(n int) (names []string) {
	for i := range n - 1 {
		names = append(names, fmt.Sprint(i+1))
	}
	return append(names, "logits")
}

// SimilarText is the tables of Similar for a terminal of so many columns, 0 for any width.
func SimilarText(s *Similarity, width int) string {
	var texts []string
	for _, t := range similarTables(s) {
		texts = append(texts, t.Text(width))
	}
	return strings.Join(texts, "\n")
}
