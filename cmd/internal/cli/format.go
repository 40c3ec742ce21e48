package cli

import (
	"cmp"
	"fmt"
	"strings"
)

// firstNames joins up to three names, and counts the rest.
func firstNames(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// ShellWord quotes text for a shell.
func ShellWord(text string) string {
	if text != "" && !strings.ContainsAny(text, " \t\n'\"\\[]{}()*?$&|;<>`~#!") {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// Dash returns s, or a dash if it is empty.
func Dash(s string) string { return cmp.Or(s, "-") }

// Long is the duration in seconds from which on a command asks first, or suggests a faster one.
const Long = 10 * 60
