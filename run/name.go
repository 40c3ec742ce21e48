package run

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/internal/fault"
)

// label returns the middle part of the folder's name.
func (i Info) label() string {
	if i.Label != "" {
		return slug(i.Label)
	}
	kind := i.Encoding
	if kind == "" {
		kind = i.Model
	}
	return fmt.Sprintf("%s-%s-s%d", slug(kind), slug(filepath.Base(i.Data)), i.Seed)
}

// slug reduces s to at most 40 characters that are safe in every file system and shell: small letters of any script,
// digits and single dashes.
func slug(s string) string {
	other := func(r rune) bool { return !unicode.In(r, unicode.Letter, unicode.Mark, unicode.Digit) }
	s = strings.Join(strings.FieldsFunc(strings.ToLower(strings.ToValidUTF8(s, "")), other), "-")
	if long := []rune(s); len(long) > 40 {
		s = strings.TrimRight(string(long[:40]), "-")
	}
	if s == "" {
		return "run"
	}
	return s
}

// newID draws an id of four letters and digits that no run in root has. It starts with a letter, so that it cannot look
// like a date. Letters that look like a digit, i, l and o, and also u are not used.
func newID(root string) (string, error) {
	const letters, all = "abcdefghjkmnpqrstvwxyz", "abcdefghjkmnpqrstvwxyz0123456789"
	taken, err := names(root)
	if err != nil {
		return "", err
	}
	for {
		var b [4]byte
		rand.Read(b[:]) // crypto/rand never fails
		id := []byte{letters[int(b[0])%len(letters)], all[b[1]%32], all[b[2]%32], all[b[3]%32]}
		if !slices.ContainsFunc(taken, func(name string) bool { return idOf(name) == string(id) }) {
			return string(id), nil
		}
	}
}

// idOf returns the id that a run's folder name ends with.
func idOf(name string) string { return name[strings.LastIndexByte(name, '-')+1:] }

// named matches the name that Create gives a run's folder. Its group is the label.
var named = regexp.MustCompile(`^\d{8}-\d{6}-(.+)-[a-z][a-z0-9]{3}$`)

// Label returns the label that the user gave a run, as it is in the name of its folder, or "".
func (e Entry) Label() string {
	m := named.FindStringSubmatch(e.Name)
	s := e.Status
	if m == nil || e.Err != nil || m[1] == (Info{Encoding: s.Encoding, Model: s.Model, Data: s.Data,
		Seed: s.Seed}).label() {
		return ""
	}
	return m[1]
}

// names lists the folders in root that are not hidden and may be runs, oldest first. A root that does not exist has
// none.
func names(root string) ([]string, error) {
	list, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, wrap(err)
	}
	var all []string
	for _, e := range list {
		if e.IsDir() && e.Name()[0] != '.' && e.Name() != latestLink {
			all = append(all, e.Name())
		}
	}
	return all, nil
}

// LinkLatest links root/latest to this run: a relative link or, if links are not possible, a text file with the path.
func (d *Dir) LinkLatest(root string) error {
	if err := os.MkdirAll(root, 0o777); err != nil {
		return wrap(err)
	}
	from, err := filepath.Abs(root)
	if err != nil {
		return wrap(err)
	}
	to, err := filepath.Abs(d.Path)
	if err != nil {
		return wrap(err)
	}
	if rel, err := filepath.Rel(from, to); err == nil { // it fails between drives
		to = rel
	}
	if err := linkBy(ways[:1], disk.Folder(root), to, latestLink); err == nil {
		return nil
	}
	return WriteFile(filepath.Join(root, latestLink), []byte(filepath.ToSlash(to)+"\n"))
}

// NotNamedError is the error for renaming a run whose folder the user named, with --out.
type NotNamedError struct{ Path string }

func (e *NotNamedError) Error() string {
	return e.Path + ": its folder has no name that the program gave it"
}

func (e *NotNamedError) ExitCode() int { return fault.Usage }
func (e *NotNamedError) Hint() string  { return "rename the folder itself, as any other: mv" }

// Rename gives the run in the folder path another label, and returns its new path: the time and the id stay. It moves
// root/latest along. The error is a *NotNamedError, or a *Busy if a process trains the run.
func Rename(path, root, label string) (string, error) {
	lock, s, err := takeRun(path, nil)
	if err != nil {
		return "", err
	}
	defer lock.Release()
	old := At(path).Name
	if !named.MatchString(old) || idOf(old) != s.ID {
		return "", &NotNamedError{path}
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
	b, err := s.encode()
	if err == nil {
		err = d.replace(statusFile, b)
	}
	if err == nil && isNewest {
		err = d.LinkLatest(root)
	}
	return to, err
}
