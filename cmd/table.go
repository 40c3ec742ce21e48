package cmd

import (
	"io"
	"strings"
)

// writeTable writes lines of cells as columns, two spaces apart.
func writeTable(w io.Writer, lines [][]string) error {
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
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
