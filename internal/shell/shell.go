// Package shell quotes words for a shell.
package shell

import (
	"strconv"
	"strings"
)

// Word returns s as one word of a POSIX shell, whatever it contains.
func Word(s string) string {
	if s != "" && !strings.ContainsFunc(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func special(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' ||
		strings.ContainsRune("%+,-./:=@_", r))
}

// Line is Word on one line, for a person to paste: control characters become escapes in $'…', which bash and zsh read.
func Line(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return Word(s)
	}
	quoted := strconv.Quote(s)
	return "$'" + strings.ReplaceAll(quoted[1:len(quoted)-1], "'", `\'`) + "'"
}

// Words returns a command of these words for a script.
func Words(words ...string) string { return join(Word, words) }

// Command returns a command of these words on one line, for a person to paste.
func Command(words ...string) string { return join(Line, words) }

func join(quote func(string) string, words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return strings.Join(quoted, " ")
}
