package run

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/attnconv/attnconv/internal/fault"
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
	return (&Dir{Path: path}).write(s)
}

// Rename gives the run in the folder path another label, and returns its new path: the time and the id stay. It moves
// root/latest along. The error is a *BusyError if a process trains the run.
func Rename(path, root, label string) (string, error) {
	lock, s, err := takeRun(path, nil)
	if err != nil {
		return "", err
	}
	defer lock.Release()
	old := At(path).Name
	if !named.MatchString(old) || idOf(old) != s.ID {
		return "", fault.WithHint(fault.Usagef("%s: its folder has no name that the program gave it", path),
			"rename the folder itself, as any other: mv")
	}
	const stamp = len("20060102-150405-")
	s.Name = old[:stamp] + Info{Label: label}.label() + "-" + s.ID
	to := filepath.Join(filepath.Dir(path), s.Name)
	if s.Name == old {
		return to, nil
	}
	newest, _ := latest(root)
	isNewest := newest != "" && samePlace(newest, path)
	if err := os.Rename(path, to); err != nil {
		return "", wrap(err)
	}
	d := &Dir{Path: to}
	err = d.write(s)
	if err == nil && isNewest {
		err = d.LinkLatest(root)
	}
	return to, err
}
