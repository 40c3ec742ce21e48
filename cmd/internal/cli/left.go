package cli

import (
	"strings"

	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/internal/table"
)

// LeftLines says what an import left, one line a kind and reason. A list that would have to be cut is counted instead:
// which of its names matter is not known here, and --json has all of them.
func LeftLines(v foreign.Inventory) []string {
	const few = 4
	var lines []string
	for _, r := range v.Left {
		line := table.Count(len(r.Names), r.What)
		if len(r.Names) <= few {
			line += " (" + strings.Join(r.Names, ", ") + ")"
		}
		line += ": " + r.Why
		if r.Do != "" {
			line += "; " + r.Do
		}
		lines = append(lines, line)
	}
	return lines
}
