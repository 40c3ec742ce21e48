package table

import (
	"fmt"
	"strings"

	"github.com/attnconv/attnconv/internal/visible"
)

// A Right is a table of measured values: all columns are aligned at the right, and there are two spaces before each,
// the first one too. The first row is the head. A row may have one cell more, a note, which is written as it is.
type Right struct {
	Gap  int // spaces before each column; 0: two
	rows [][]string
}

// Add adds a row.
func (r *Right) Add(cells ...string) { r.rows = append(r.rows, cells) }

// Addf adds a row whose cells have tabs between them in format.
func (r *Right) Addf(format string, args ...any) {
	r.Add(strings.Split(fmt.Sprintf(format, args...), "\t")...)
}

// String returns the lines of the table.
func (r *Right) String() string {
	if len(r.rows) == 0 {
		return ""
	}
	width := make([]int, len(r.rows[0]))
	for _, row := range r.rows {
		for i, cell := range row[:min(len(row), len(width))] {
			width[i] = max(width[i], visible.Columns(cell))
		}
	}
	between := r.Gap
	if between == 0 {
		between = 2
	}
	var b strings.Builder
	for _, row := range r.rows {
		for i, cell := range row {
			if i < len(width) {
				b.WriteString(strings.Repeat(" ", between+width[i]-visible.Columns(cell)))
			}
			b.WriteString(cell)
		}
		b.WriteString("\n")
	}
	return b.String()
}
