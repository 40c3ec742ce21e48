// Package table lays one table out for people and for programs: a terminal of any width, Markdown, LaTeX and CSV.
package table

import "github.com/attnconv/attnconv/internal/visible"

// A Table is rows of cells under columns, with words around them.
type Table struct {
	Title   string // a line above; may be empty
	Columns []Column
	Rows    [][]Cell
	Notes   []string // lines below
}

// A Column says what its cells are. One without a Head is for programs only, one without a Key for people only.
type Column struct {
	Head  string // for people: test acc
	Key   string // for programs: test_acc
	Right bool   // to be aligned at the right, as numbers are
	Name  bool   // names the row: where a table is broken into blocks, each begins with it
	Group string // where a table is broken, columns of one group stay together if they can
}

// A Cell is one value, as people read it and as programs do.
type Cell struct {
	Text  string
	Value any // a string, a number or a bool; nil and NaN are written as nothing
}

// Words is the cell of a text.
func Words(s string) Cell { return Cell{s, s} }

// Add adds a row. It panics unless there is a cell for every column. Control characters in it become escapes: cells hold
// names that others gave, and a table is for reading, also from a file.
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
