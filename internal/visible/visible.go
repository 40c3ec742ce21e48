// Package visible makes text that somebody else wrote harmless to a terminal: names of files and tensors, settings,
// notes, words of a server. A terminal obeys what it is sent; so what would move its cursor, change its colours or the
// order of its letters is shown as an escape, \u001b. In a string of JSON that is the same character.
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

// Text is s with its control characters, but for the ends of lines and tabs, the characters that change the direction of
// writing or are not seen at all, and the bytes that are no UTF-8 as escapes.
func Text(s string) string { return escape(s, true) }

// Word is Text for what belongs on one line: the ends of lines and tabs are escapes, too.
func Word(s string) string { return escape(s, false) }

// harmless reports whether a terminal only shows r.
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

// A Writer passes on Text of what is written to it. The program's own codes go through Control, and bytes that are no
// text to the writer below. Several goroutines may use it.
type Writer struct {
	mu   sync.Mutex
	w    io.Writer
	part []byte // the beginning of a character whose end was not written yet
}

// NewWriter returns a Writer above w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Below is the writer that takes bytes as they are.
func (w *Writer) Below() io.Writer { return w.w }

// Write writes text.
func (w *Writer) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := b
	if len(w.part) > 0 {
		text = append(w.part, b...)
		w.part = nil
	}
	if n := begun(text); n > 0 {
		w.part = append([]byte(nil), text[len(text)-n:]...)
		text = text[:len(text)-n]
	}
	if _, err := io.WriteString(w.w, Text(string(text))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// begun is how many bytes at the end of b begin a character.
func begun(b []byte) int {
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

// Control writes codes of the program's own.
func (w *Writer) Control(codes string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := io.WriteString(w.w, Text(string(w.part))+codes)
	w.part = nil
	return err
}

// Control writes codes of the program's own to out, which may be a Writer.
func Control(out io.Writer, codes string) error {
	if w, ok := out.(interface{ Control(string) error }); ok {
		return w.Control(codes)
	}
	_, err := io.WriteString(out, codes)
	return err
}

// Below is the writer that takes bytes as they are: that below a Writer, or out itself.
func Below(out io.Writer) io.Writer {
	if w, ok := out.(*Writer); ok {
		return w.Below()
	}
	return out
}
