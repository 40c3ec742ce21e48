// Package visible makes untrusted text harmless to a terminal: names of files and tensors, settings, notes, replies of
// a server. Characters that would move the cursor, change colors or reorder letters become escapes such as \u001b,
// which inside a JSON string stand for the same character.
package visible

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text escapes the control characters of s except newline and tab, characters that change the direction of writing or
// are invisible, and bytes that are not UTF-8.
func Text(s string) string { return escape(s, true) }

// Word is Text for a single line: it also escapes newline and tab.
func Word(s string) string { return escape(s, false) }

// harmless reports whether r has no effect on a terminal but to be shown.
func harmless(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r <= 0x9f, r == '\u2028', r == '\u2029':
		return false
	case r < 0x300: // most text
		return r != '\u00ad'
	case r == '\u200c', r == '\u200d': // joiners, which some scripts need
		return true
	}
	return !unicode.Is(unicode.Cf, r)
}

func escape(s string, lines bool) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteString(s[done:i])
			fmt.Fprintf(&b, `\x%02x`, s[i])
			done = i + 1
		case !harmless(r) && (!lines || r != '\n' && r != '\t'):
			b.WriteString(s[done:i])
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
			done = i + n
		}
		i += n
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// A Writer writes Text of what it is given to the writer below it. The program's own control codes go through Control,
// binary data to Below. It is safe for concurrent use.
type Writer struct {
	mu   sync.Mutex
	w    io.Writer
	rest []byte // first bytes of a character that the last Write cut
}

// NewWriter returns a Writer above w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Below returns the underlying writer, which takes bytes unchanged.
func (w *Writer) Below() io.Writer { return w.w }

// Write writes Text(b). It keeps back an incomplete character at the end for the next call.
func (w *Writer) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := b
	if len(w.rest) > 0 {
		text = append(w.rest, b...)
		w.rest = nil
	}
	if n := incomplete(text); n > 0 {
		w.rest = append([]byte(nil), text[len(text)-n:]...)
		text = text[:len(text)-n]
	}
	if _, err := io.WriteString(w.w, Text(string(text))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// incomplete returns how many bytes at the end of b are the beginning of a longer character.
func incomplete(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if last := b[len(b)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}

// Control writes control codes unchanged, after any incomplete character.
func (w *Writer) Control(codes string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := io.WriteString(w.w, Text(string(w.rest))+codes)
	w.rest = nil
	return err
}

// Control writes control codes unchanged to out, which may be a Writer.
func Control(out io.Writer, codes string) error {
	if w, ok := out.(interface{ Control(string) error }); ok {
		return w.Control(codes)
	}
	_, err := io.WriteString(out, codes)
	return err
}

// Underlying returns the writer below out if out is a Writer, else out.
func Underlying(out io.Writer) io.Writer {
	if w, ok := out.(*Writer); ok {
		return w.Below()
	}
	return out
}
