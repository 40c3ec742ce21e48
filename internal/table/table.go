// Package table formats a table for people and for programs: as text for a terminal of any width, Markdown, LaTeX and
// CSV.
package table

import "github.com/attnconv/attnconv/internal/visible"

// A Table is rows of cells under columns, with a title and notes.
type Table struct {
	Title   string // a line above; may be empty
	Columns []Column
	Rows    [][]Cell
	Notes   []string // lines below
}

// A Column describes its cells. One without a Head is for programs only, one without a Key for people only.
type Column struct {
	Head  string // for people: test acc
	Key   string // for programs: test_acc
	Right bool   // aligned at the right, as numbers are
	Name  bool   // names the row: each block of a broken table begins with it
	Group string // columns of one group stay in one block if it fits
	Word  string // by which a user asks for it; several columns may have one
}

// A Cell is one value, as people read it and as programs do.
type Cell struct {
	Text  string
	Value any // a string, a number or a bool; nil and NaN are left empty
}

// Words returns the cell of a text.
func Words(s string) Cell { return Cell{s, s} }

// Add adds a row. It panics unless there is a cell for every column. It escapes control characters: cells may hold
// untrusted names.
func (t *Table) Add(cells ...Cell) {
	if len(cells) != len(t.Columns) {
		panic("table: want a cell for every column")
	}
	row := make([]Cell, len(cells))
	for i, c := range cells {
		if s, ok := c.Value.(string); ok {
			c.Value = visible.Text(s)
		}
		row[i] = Cell{visible.Word(c.Text), c.Value}
	}
	t.Rows = append(t.Rows, row)
}

// shown lists the columns that people see.
func (t *Table) shown() []int {
	var all []int
	for i, c := range t.Columns {
		if c.Head != "" {
			all = append(all, i)
		}
	}
	return all
}

// A Field is a column and its cell in the row of each R.
type Field[R any] struct {
	Column
	Cell func(R) Cell
}

// For returns the Field of a column.
func For[R any](c Column, cell func(R) Cell) Field[R] { return Field[R]{c, cell} }

// Fill adds the columns of fields, and a row for each of rows.
func Fill[R any](t *Table, fields []Field[R], rows []R) *Table {
	for _, f := range fields {
		t.Columns = append(t.Columns, f.Column)
	}
	for _, r := range rows {
		cells := make([]Cell, len(fields))
		for i, f := range fields {
			cells[i] = f.Cell(r)
		}
		t.Add(cells...)
	}
	return t
}

// Float is the cell of a value, which text formats. NaN and infinities are a dash.
func Float[F ~float64](x F, text func(float64) string) Cell {
	v := float64(x)
	if v-v != 0 {
		return Cell{Text: "–"}
	}
	return Cell{Text: text(v), Value: v}
}
