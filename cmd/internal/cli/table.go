package cli

import (
	"io"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
)

// Table prints rows of cells in columns, two spaces apart. On a terminal, lines that are too long are cut.
func (c *Console) Table(lines [][]string) error {
	for i, l := range lines {
		lines[i] = make([]string, len(l))
		for j, cell := range l {
			lines[i][j] = visible.Word(cell)
		}
	}
	width := widths(lines)
	var b strings.Builder
	for _, l := range lines {
		line := ""
		for i, cell := range l {
			line += cell + strings.Repeat(" ", width[i]-len([]rune(cell))+2)
		}
		b.WriteString(table.Cut(strings.TrimRight(line, " "), c.OutWidth()) + "\n")
	}
	_, err := io.WriteString(c.Out, b.String())
	return err
}

// widths returns the widths of the columns.
func widths(lines [][]string) (width []int) {
	for _, l := range lines {
		for i, cell := range l {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	return width
}

// Narrowed removes columns until the table fits the terminal: those of mayGo, in that order, that hold the same value in
// every line.
func (c *Console) Narrowed(lines [][]string, mayGo ...string) [][]string {
	for _, head := range mayGo {
		wide := 0
		for _, w := range widths(lines) {
			wide += w + 2
		}
		if wide-2 <= c.OutWidth() || c.OutWidth() == 0 {
			break
		}
		column := slices.Index(lines[0], head)
		if !slices.ContainsFunc(lines[1:], func(l []string) bool { return l[column] != lines[1][column] }) {
			for i, l := range lines {
				lines[i] = slices.Delete(l, column, column+1)
			}
		}
	}
	return lines
}

// Lines returns the head and the rows of a table as lines for Table.
func Lines(t *table.Table) [][]string {
	lines := [][]string{nil}
	for _, col := range t.Columns {
		lines[0] = append(lines[0], col.Head)
	}
	for _, row := range t.Rows {
		var line []string
		for _, cell := range row {
			line = append(line, cell.Text)
		}
		lines = append(lines, line)
	}
	return lines
}
