package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/attnconv/attnconv/internal/shell"
	"github.com/attnconv/attnconv/internal/table"
)

// firstNames joins up to three names, and counts the rest.
func firstNames(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Command returns a command of this program, for the user to paste into a shell.
func Command(args ...string) string { return Program() + " " + shell.Command(args...) }

// WroteLine says that a file was written.
func WroteLine(path string) string { return "wrote  " + path }

// fold wraps each line of text to width columns; 0 is any width. Commands to paste, and comments behind them, are not
// broken.
func fold(text string, width int) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, table.Wrap(line, width, Program(), "#")...)
	}
	return strings.Join(lines, "\n")
}

// Dash returns s, or a dash if it is empty.
func Dash(s string) string { return cmp.Or(s, "-") }

// Long is the duration in seconds from which on a command asks first, or suggests a faster one.
const Long = 10 * 60
