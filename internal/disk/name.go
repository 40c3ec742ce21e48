package disk

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestName is what every file system takes, with room for an ending and for what Temp adds.
const longestName = 200

// CheckName returns an error unless name can be that of a file or folder anywhere, and on a line or as an argument of a
// command is nothing but a name: no separator, no control or other invisible character, and no dot or dash in front.
func CheckName(name string) error {
	if name == "" || len(name) > longestName || !utf8.ValidString(name) || !filepath.IsLocal(name) ||
		strings.ContainsAny(name, `/\`) || strings.ContainsAny(name[:1], ".-") ||
		strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Errorf("%q is not a name for a file or folder: want up to %d visible characters, no / and \\, "+
			"and no dot or dash in front", name, longestName)
	}
	return nil
}
