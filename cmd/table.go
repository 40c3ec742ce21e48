package cmd

import (
	"io"
	"strings"
)

// table writes lines of cells as columns, two spaces apart. On a terminal it cuts what is wider; elsewhere lines are
// whole.
func (c *console) table(lines [][]string) error {
	width := make([]int, 0, 16)
	for _, l := range lines {
		for i, cell := range l {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
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

// cut shortens a line to a terminal's width; width 0 is no terminal.
func cut(line string, width int) string {
	if r := []rune(line); width > 0 && len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return line
}
