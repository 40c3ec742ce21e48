package term

import (
	"fmt"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
)

// leastLast is the number of columns from which on the last cell of a line is wrapped.
const leastLast = 16

// Table prints rows of cells in columns, two spaces apart. On a terminal, the last cell of a line that is too long goes
// on below itself, if there is room, or on a line of its own if it has a word for which there is no room, such as a
// path. What is still too long is cut.
func (c *Console) Table(lines [][]string) error {
	for i, l := range lines {
		lines[i] = make([]string, len(l))
		for j, cell := range l {
			lines[i][j] = visible.Word(cell)
		}
	}
	columns, width := widths(lines), c.OutWidth()
	var b strings.Builder
	for _, l := range lines {
		line, left := "", 0
		for i, cell := range l {
			left = visible.Columns(line)
			line += visible.Pad(cell, columns[i]+2)
		}
		line = strings.TrimRight(line, " ")
		if last := l[len(l)-1]; visible.Columns(line) > width && width-left >= leastLast {
			parts := table.Wrap(last, width-left)
			line = visible.Clip(line, left)
			if slices.ContainsFunc(parts, func(s string) bool { return visible.Columns(s) > width-left }) {
				fmt.Fprintf(&b, "%s\n  %s\n", strings.TrimRight(line, " "), last)
				continue
			}
			line += strings.Join(parts, "\n"+strings.Repeat(" ", left))
		}
		for part := range strings.SplitSeq(line, "\n") {
			b.WriteString(table.Cut(part, width) + "\n")
		}
	}
	return c.WriteText(b.String())
}

// AlignColumns returns rows of cells as lines with columns, two spaces apart. A cell that does not fit into width
// columns begins a new line below the second cell of its row; 0 is any width.
func AlignColumns(rows [][]string, width int) (lines []string) {
	for _, row := range rows {
		for i, cell := range row {
			row[i] = visible.Word(cell)
		}
	}
	columns := widths(rows)
	for _, row := range rows {
		for i, cell := range row {
			row[i] = visible.Pad(cell, columns[i])
		}
		for _, line := range arrange(row[0]+"  ", columns[0]+2, "  ", row[1:], width) {
			lines = append(lines, strings.TrimRight(line, " "))
		}
	}
	return lines
}

// widths returns the widths of the columns.
func widths(lines [][]string) (width []int) {
	for _, l := range lines {
		for i, cell := range l {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], visible.Columns(cell))
		}
	}
	return width
}

// Narrowed removes columns until the table fits the terminal: those of alike, in that order, that hold the same value
// in every line, and then those of any. The last column may be wrapped.
func (c *Console) Narrowed(lines [][]string, alike, any []string) [][]string {
	same := func(column int) bool {
		return !slices.ContainsFunc(lines[1:], func(l []string) bool { return l[column] != lines[1][column] })
	}
	for i, head := range append(slices.Clone(alike), any...) {
		all := widths(lines)
		wide := min(all[len(all)-1], leastLast)
		for _, w := range all[:len(all)-1] {
			wide += w + 2
		}
		if wide <= c.OutWidth() || c.OutWidth() == 0 {
			break
		}
		column := slices.Index(lines[0], head)
		if column < 0 || i < len(alike) && !same(column) {
			continue
		}
		for i, l := range lines {
			lines[i] = slices.Delete(l, column, column+1)
		}
	}
	return lines
}

// Formatted returns a table in one of table.Formats; as text it is as wide as the terminal.
func (c *Console) Formatted(t *table.Table, format string) string {
	if format == "text" {
		return t.Text(c.OutWidth())
	}
	return table.ByName(format).Text(t)
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
