package visible

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Columns returns how many columns s takes on a terminal: two for a wide character, such as those of Chinese, Japanese
// and Korean, none for an accent that is drawn over the character before it.
func Columns(s string) (n int) {
	for _, r := range s {
		n += columns(r)
	}
	return n
}

// Pad returns s, and behind it spaces up to the column n.
func Pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-Columns(s))) }

// Clip returns as much of s as fits into most columns.
func Clip(s string, most int) string {
	n := 0
	for at, r := range s {
		if n += columns(r); n > most {
			return s[:at]
		}
	}
	return s
}

func columns(r rune) int {
	if r < 0x300 { // most text
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
