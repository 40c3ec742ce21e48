package run

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Largest sizes of a tag and a note, in bytes.
const (
	maxTag  = 40
	maxNote = 4000
)

// CheckTag returns an error unless tag is a single word, which can be typed and listed.
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

// CheckNote returns an error unless text is a valid note: text of one or more lines.
func CheckNote(text string) error {
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	if len(text) > maxNote || !utf8.ValidString(text) || strings.ContainsFunc(text, control) {
		return fmt.Errorf("want text of at most %d bytes, without control characters", maxNote)
	}
	return nil
}

// mergeTags returns the union of tags and more, in order.
func mergeTags(tags []string, more ...string) []string {
	for _, tag := range more {
		if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	return tags
}

// Tag adds tags to the run in the folder path, removes others, and returns the result. The error is a *BusyError if a
// process trains the run.
func Tag(path string, add, remove []string) ([]string, error) {
	var tags []string
	return tags, relabel(path, func(s *Status) {
		s.Tags = mergeTags(s.Tags, add...)
		s.Tags = slices.DeleteFunc(s.Tags, func(tag string) bool { return slices.Contains(remove, tag) })
		tags = s.Tags
	})
}

// SetNote sets the note of the run in the folder path; "" removes it. The error is a *BusyError if a process trains the
// run.
func SetNote(path, text string) error { return relabel(path, func(s *Status) { s.Note = text }) }

// relabel changes run.json under the run's lock: a process that trains the run would overwrite the change.
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
	return (&Dir{Path: path}).replace(statusFile, b)
}
