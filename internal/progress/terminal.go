package progress

import (
	"io"

	"golang.org/x/term"
)

// Width returns a function that tells the columns of the terminal behind w, and 0 where there is none.
func Width(w io.Writer) func() int {
	f, ok := w.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return func() int { return 0 }
	}
	return func() int {
		const usual = 80
		n, _, err := term.GetSize(int(f.Fd()))
		if err != nil || n <= 0 {
			return usual
		}
		return n
	}
}
