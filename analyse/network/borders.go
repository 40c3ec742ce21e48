package network

import (
	"fmt"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/null"
)

// borders are the parts of a layer's operator that are one convolution, by what the convolution reads outside of the
// grid.
var borders = measure{
	layer:    measureBorders,
	baseline: measureBorders,
	compare:  func(_ *measurement, l *Layer, draws []Layer) { next(l, draws, borderTests) },
	sentence: func(l Layer) string { return l.Borders.sentence() },
	columns: []column{
		plain("zeros_any", zerosOf),
		plain("null_zeros_any", ofBorders(func(b *Borders) null.Float { return bandOr(b.Zeros.Any.Untrained).Mean })),
		plain("repeated_within1", ofBorders(func(b *Borders) null.Float { return b.Repeated.Within1.Value })),
		plain("repeated_within3", ofBorders(func(b *Borders) null.Float { return b.Repeated.Within3.Value })),
		plain("repeated_within5", ofBorders(func(b *Borders) null.Float { return b.Repeated.Within5.Value })),
		plain("repeated_within7", ofBorders(func(b *Borders) null.Float { return b.Repeated.Within7.Value })),
		plain("repeated_any", repeatedOf),
		plain("null_repeated_any", func(l Layer) null.Float { return bandOr(repeatedNull(l)).Mean }),
	},
	screen: []column{bracketed("edges", repeatedOf, repeatedNull).with(words("edges     percent that is one " +
		"convolution of any size that repeats the edge of the grid; in brackets at init"))},
	tables: borderTables,
}

// Borders are the parts of ‖L‖² that are one convolution, in 0..1, by its border.
type Borders struct {
	Zeros    BorderShares `json:"zeros"`    // zeros around the grid, as shares has them
	Repeated BorderShares `json:"repeated"` // the token at the edge repeated, as softmax over the grid tends to
}

// BorderShares are of one border, next to untrained layers.
type BorderShares struct {
	Within1 NullTest `json:"within1"` // one 1 × 1 convolution
	Within3 NullTest `json:"within3"` // 3 × 3, with what 1 × 1 has
	Within5 NullTest `json:"within5"` // 5 × 5, likewise
	Within7 NullTest `json:"within7"` // 7 × 7, likewise
	Any     NullTest `json:"any"`     // one of any size
	// mean of any over all operators: independent convolutions over pairs of tokens
	Chance float64 `json:"chance"`
}

// borderTests are the shares of a layer with zeros, and then with repeated edges.
func borderTests(l Layer) []*NullTest {
	if l.Borders == nil {
		return nil
	}
	return append(l.Borders.Zeros.values(), l.Borders.Repeated.values()...)
}

func (b *BorderShares) values() []*NullTest {
	return []*NullTest{&b.Within1, &b.Within3, &b.Within5, &b.Within7, &b.Any}
}

func measureBorders(s *site, l *Layer) error {
	l.Borders = &Borders{s.borderShares(analyse.Zeros), s.borderShares(analyse.Replicate)}
	return nil
}

func (s *site) borderShares(b analyse.Border) BorderShares {
	shares, of := s.operator.BorderShares(b), BorderShares{Chance: b.Chance(s.grid)}
	for i, value := range of.values() {
		value.Value = null.Float(shares.Within(2*i + 1)) // 9 for the last: of any size
	}
	return of
}

var (
	ofBorders  = partOf(func(l Layer) *Borders { return l.Borders })
	zerosOf    = ofBorders(func(b *Borders) null.Float { return b.Zeros.Any.Value })
	repeatedOf = ofBorders(func(b *Borders) null.Float { return b.Repeated.Any.Value })
)

// sentence says what one convolution of any size has with each border.
func (b *Borders) sentence() string {
	if b == nil {
		return ""
	}
	of := func(s NullTest, border string) string {
		text := rounded(s.Value, analyse.Percent).Text + " % " + border
		if s.Untrained != nil {
			text += " (untrained " + spread(*s.Untrained, analyse.Percent).Text + " %)"
		}
		return text
	}
	return "one convolution of any size has " + of(b.Zeros.Any, "with zeros around the grid") + " and " +
		of(b.Repeated.Any, "with its edge repeated")
}

// A borderRow is a layer and one of its borders.
type borderRow struct {
	layer  int
	border string
	BorderShares
}

// repeatedNull is what untrained layers have with repeated edges; nil: unknown.
func repeatedNull(l Layer) *analyse.Band {
	if l.Borders == nil {
		return nil
	}
	return l.Borders.Repeated.Any.Untrained
}

// borderTables list the shares for both borders; none if no layer has an operator.
func borderTables(d Analysis) []*table.Table {
	var rows []borderRow
	for _, l := range layersWith(d, func(l Layer) bool { return l.Borders != nil }) {
		rows = append(rows,
			borderRow{l.Layer, "zeros", l.Borders.Zeros}, borderRow{l.Layer, "edges", l.Borders.Repeated})
	}
	if len(rows) == 0 {
		return nil
	}
	column := func(head string, of func(r borderRow) table.Cell) table.Field[borderRow] {
		return table.For(table.Column{Head: head, Right: true}, of)
	}
	fields := []table.Field[borderRow]{
		table.For(table.Column{Head: "layer", Right: true, Name: true},
			func(r borderRow) table.Cell { return table.Words(fmt.Sprint(r.layer)) }),
		table.For(table.Column{Head: "border"}, func(r borderRow) table.Cell { return table.Words(r.border) })}
	for i, head := range []string{"1×1", "3×3", "5×5", "7×7", "any"} {
		fields = append(fields, column(head, func(r borderRow) table.Cell {
			return rounded(r.values()[i].Value, analyse.Percent)
		}))
	}
	fields = append(fields,
		column("untrained", func(r borderRow) table.Cell { return spread(bandOr(r.Any.Untrained), analyse.Percent) }),
		column("chance", func(r borderRow) table.Cell { return table.Words(analyse.Percent(r.Chance)) }))
	return []*table.Table{table.Fill(&table.Table{
		Title: d.Source + "   percent of each layer's squared norm that is one convolution, by what it reads outside " +
			"of the grid",
		Notes: []string{"border     zeros: it reads 0; edges: it repeats the token at the edge",
			"any        one of any size; untrained: the same of networks of other seeds before training, mean ± " +
				"standard deviation",
			"chance     any of an operator without structure"}}, fields, rows)}
}
