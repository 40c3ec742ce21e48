package run

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/attnconv/attnconv/internal/disk"
)

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

// latest returns the run that root/latest links to or, if that is gone, the last in root.
func latest(root string) (string, error) {
	path := filepath.Join(root, latestLink)
	target, err := os.Readlink(path)
	if err != nil {
		b, _ := readSmall(path) // a text file instead of a link
		target = filepath.FromSlash(strings.TrimSpace(string(b)))
	}
	if target != "" {
		if !filepath.IsAbs(target) {
			target = filepath.Join(root, target)
		}
		if isRun(target) {
			return target, nil
		}
	}
	all, err := names(root)
	if err != nil {
		return "", err
	}
	for _, name := range slices.Backward(all) {
		if dir := filepath.Join(root, name); isRun(dir) {
			return dir, nil
		}
	}
	return "", &NotFoundError{What: "run", Root: root}
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
