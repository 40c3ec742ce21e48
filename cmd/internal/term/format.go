package term

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/attnconv/attnconv/internal/shell"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
)

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

// Program returns how the user calls this program: by name, or with go run.
func Program() string {
	if strings.Contains(filepath.ToSlash(os.Args[0]), "/go-build") && filepath.Base(os.Args[0]) == "attnconv" {
		return "go run ./cmd/attnconv"
	}
	return "attnconv"
}

// Self returns the path of this program, to start it as a child process.
func Self() (string, error) {
	if path, err := exec.LookPath(os.Args[0]); err == nil {
		return path, nil
	}
	return os.Executable()
}

// arrange appends parts to a line of indent columns. A part that does not fit into width columns begins a new line,
// indented like the first part, and long parts are wrapped.
func arrange(line string, indent int, gap string, parts []string, width int) (lines []string) {
	for _, part := range parts {
		switch n := visible.Columns(line); {
		case n <= indent:
			line += part
		case width == 0 || n+visible.Columns(gap+strings.TrimRight(part, " ")) <= width:
			line += gap + part
		default:
			lines, line = append(lines, line), strings.Repeat(" ", indent)+part
		}
		wrapped := table.Wrap(strings.TrimRight(line, " "), width)
		if len(wrapped) > 1 {
			last := len(wrapped) - 1
			lines, line = append(lines, wrapped[:last]...), wrapped[last]
		}
	}
	return append(lines, line)
}
