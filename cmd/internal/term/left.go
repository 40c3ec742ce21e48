package term

import (
	"strings"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
)

// LeftLines says what an import left, one line a kind and reason, then what the things that it took have lost, and what
// it decided. A list that would have to be cut is counted instead: which of its names matter is not known here, and
// --json has all of them.
func LeftLines(v data.Inventory) []string {
	const few, wide = 4, 60
	var lines []string
	for _, r := range v.Left {
		if r.Usual {
			continue
		}
		line := table.Count(len(r.Names), r.What)
		names := strings.Join(words(r.Names), ", ")
		if len(r.Names) == 1 || len(r.Names) <= few && visible.Columns(names) <= wide {
			line += " (" + names + ")"
		}
		line += ": " + r.Why
		if r.Do != "" {
			line += "; " + r.Do
		}
		lines = append(lines, line)
	}
	for _, l := range v.Losses {
		lines = append(lines, table.Count(l.N, "picture")+" "+l.Why)
	}
	return append(lines, v.Notes...)
}

// words escapes names that come from files.
func words(names []string) []string {
	escaped := make([]string, len(names))
	for i, name := range names {
		escaped[i] = visible.Word(name)
	}
	return escaped
}
