package cmd

import (
	"io"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/visible"
)

// table writes lines of cells as columns, two spaces apart. On a terminal it cuts what is wider; elsewhere lines are
// whole.
func (c *console) table(lines [][]string) error {
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
		b.WriteString(cut(strings.TrimRight(line, " "), c.outWidth()) + "\n")
	}
	_, err := io.WriteString(c.Out, b.String())
	return err
}

// widths are those of the columns.
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

// narrowed leaves out of a table that is wider than the terminal the columns that may go, by their heads, in that
// order, if they say the same in every line, until it fits.
func (c *console) narrowed(lines [][]string, mayGo ...string) [][]string {
	for _, head := range mayGo {
		wide := 0
		for _, w := range widths(lines) {
			wide += w + 2
		}
		if wide-2 <= c.outWidth() || c.outWidth() == 0 {
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

// cut shortens a line to a terminal's width; width 0 is no terminal.
func cut(line string, width int) string {
	if r := []rune(line); width > 0 && len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return line
}
