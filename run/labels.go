package run

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The longest tag and note, in bytes.
const (
	maxTag  = 40
	maxNote = 4000
)

// CheckTag reports what is wrong with a tag: it is a word, so that it can be typed and stand in lists.
func CheckTag(tag string) error {
	other := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.:/+", r)
	}
	if tag == "" || len(tag) > maxTag || !utf8.ValidString(tag) || strings.ContainsFunc(tag, other) ||
		strings.HasPrefix(tag, "-") {
		return fmt.Errorf("%q: want a word of letters, digits and - _ . : / +, of at most %d bytes", tag, maxTag)
	}
	return nil
}

// CheckNote reports what is wrong with a note: it is text, on one line or more.
func CheckNote(text string) error {
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	if len(text) > maxNote || !utf8.ValidString(text) || strings.ContainsFunc(text, control) {
		return fmt.Errorf("want text of at most %d bytes, without control characters", maxNote)
	}
	return nil
}

// tagged returns tags with further ones, each once.
func tagged(tags []string, more ...string) []string {
	for _, tag := range more {
		if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	return tags
}

// Tag adds tags to the run in a folder and takes others away, and returns those that it has. A run that is alive gives a
// *Busy.
func Tag(path string, add, remove []string) ([]string, error) {
	var tags []string
	return tags, relabel(path, func(s *Status) {
		s.Tags = tagged(s.Tags, add...)
		s.Tags = slices.DeleteFunc(s.Tags, func(tag string) bool { return slices.Contains(remove, tag) })
		tags = s.Tags
	})
}

// SetNote gives the run in a folder a note, or takes it away where text is "". A run that is alive gives a *Busy.
func SetNote(path, text string) error { return relabel(path, func(s *Status) { s.Note = text }) }

// relabel changes the run.json of a run on which nobody works: whoever does has it in memory and writes it anew.
func relabel(path string, change func(*Status)) error {
	lock, s, err := takeRun(path, nil)
	if err != nil {
		return err
	}
	defer lock.Release()
	change(s)
	b, err := s.encode()
	if err != nil {
		return err
	}
	return replace(filepath.Join(path, statusFile), b)
}
