package progress

import (
	"io"

	"golang.org/x/term"
)

// Terminal reports whether f, a reader or a writer, is a terminal.
func Terminal(f any) bool {
	file, ok := f.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(file.Fd()))
}

// Width returns a function that tells the columns of the terminal behind w, and 0 where there is none.
func Width(w io.Writer) func() int {
	if !Terminal(w) {
		return func() int { return 0 }
	}
	return func() int {
		const usual = 80
		n, _, err := term.GetSize(int(w.(interface{ Fd() uintptr }).Fd()))
		if err != nil || n <= 0 {
			return usual
		}
		return n
	}
}
