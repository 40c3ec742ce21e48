package run

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/attnconv/attnconv/internal/fault"
)

// A Lookup resolves references to runs. A run is suitable if it lacks nothing (Missing). A reference is, in order of
// precedence:
//
//   - the path of a run's folder, of a link to one, or of a checkpoint in one
//   - the whole name of a run in Root, or its id
//   - "": the run in the current folder, else as latest
//   - latest or run.ckpt: the newest suitable run
//   - a word that Word knows: the newest suitable run that it describes, or else the newest that it describes
//   - a prefix of one run's name or id in Root, or of the label that the user gave it
type Lookup struct {
	Root    string
	Word    func(word string) func(Status) bool // which runs a word describes, or nil; may be nil
	Missing func(Entry) string                  // what a run lacks to be suitable, such as "heads", or ""; may be nil
	// for FindAll: a word refers to all runs alike the newest; nil: to the newest
	Alike func(a, b Entry) bool
	Exact bool // a reference is a path, a whole name or an id, and nothing else
}

// A Match is the run of a reference.
type Match struct {
	Entry
	Word    string // the reference if it is a word or latest; "" if it names the run
	Skipped []Skip // newer runs that the word describes and that are not suitable, newest first
}

// A Skip is a run that is not suitable.
type Skip struct {
	Entry
	Missing string
}

// AmbiguousError is the error if a reference is a prefix of the names or ids of several runs.
type AmbiguousError struct {
	Ref   string
	Names []string
}

func (e *AmbiguousError) Error() string {
	const most = 8
	names, more := e.Names, ""
	if len(names) > most {
		names, more = names[:most], fmt.Sprintf("\n  … and %d more", len(e.Names)-most)
	}
	return fmt.Sprintf("%q could be any of\n  %s%s", e.Ref, strings.Join(names, "\n  "), more)
}

func (e *AmbiguousError) ExitCode() int { return fault.Usage }

// Find returns the run of a reference. The error is a *NotFoundError or an *AmbiguousError. Find also returns a run
// whose run.json cannot be read; see Entry.Err.
func (l Lookup) Find(ref string) (f Match, err error) {
	if ref == "" && isRun(".") && !l.Exact {
		return matchAt("."), nil
	}
	if path, err := l.named(ref); path != "" || err != nil {
		if err != nil {
			return f, err
		}
		return matchAt(path), nil
	}
	switch {
	case l.Exact:
		return f, &NotFoundError{What: "run", Ref: ref, Root: l.Root, Near: near(ref, l.Root)}
	case isLatest(ref):
		return l.latest()
	}
	if describes := l.word(ref); describes != nil {
		list, err := l.newestFirst()
		if err != nil {
			return f, err
		}
		if f, ok := l.described(ref, list, describes); ok {
			return f, nil
		}
	}
	path, err := byPrefix(ref, l.Root)
	if err != nil {
		return f, err
	}
	return matchAt(path), nil
}

// Open opens the run of a reference for reading; see Lookup.
func Open(ref, root string) (*Dir, error) {
	f, err := Lookup{Root: root}.Find(ref)
	if err != nil {
		return nil, err
	}
	return f.Open()
}

// FindCheckpoint returns the path of a checkpoint: ref itself, or the best checkpoint of the run that Find finds among
// those that have one. "" is run.ckpt in the current folder, if that exists. found is the run, if ref is a run's.
func (l Lookup) FindCheckpoint(ref string) (path string, found Match, err error) {
	ext := filepath.Ext(ref)
	named := ext == ".ckpt" || ext == ".safetensors"
	st, err := os.Stat(cmp.Or(ref, weightsLink))
	if err == nil && (!st.IsDir() || named) && filepath.Base(ref) != latestLink {
		return cmp.Or(ref, weightsLink), found, nil // for a folder with such a name, reading it gives the error
	}
	if named && ref != weightsLink {
		return "", found, &NotFoundError{What: "checkpoint", Ref: ref, Near: nearFile(ref)}
	}
	lacks := l.lacks
	l.Missing = func(e Entry) string {
		what := lacks(e)
		if _, err := Checkpoint(e.Path); what == "" && err != nil {
			what = "a checkpoint"
		}
		return what
	}
	if found, err = l.Find(ref); err != nil {
		return "", found, err
	}
	path, err = Checkpoint(found.Path)
	return path, found, err
}

func matchAt(path string) Match { return Match{Entry: entryAt(path, time.Now())} }

// isLatest reports whether a reference that names no run refers to the newest.
func isLatest(ref string) bool { return ref == "" || ref == latestLink || ref == weightsLink }

func (l Lookup) word(ref string) func(Status) bool {
	if l.Word == nil || l.Exact {
		return nil
	}
	return l.Word(ref)
}

// lacks returns what a run lacks to be suitable, or "".
func (l Lookup) lacks(e Entry) string {
	switch {
	case l.Missing == nil:
		return ""
	case e.Err != nil:
		return "a run.json that can be read"
	}
	return l.Missing(e)
}

// named returns the run whose path, name or id ref is, or "".
func (l Lookup) named(ref string) (string, error) {
	switch {
	case ref == "":
		return "", nil
	case filepath.Ext(ref) == ".ckpt":
		for _, dir := range []string{filepath.Dir(ref), filepath.Dir(filepath.Dir(ref))} {
			if isRun(dir) {
				return dir, nil
			}
		}
		if _, err := os.Lstat(ref); ref == weightsLink && err != nil {
			return "", nil
		}
		return "", &NotFoundError{What: "run", Ref: ref}
	case isRun(ref):
		return target(filepath.Clean(ref)), nil
	// runs/latest, as a text file or a broken link
	case filepath.Base(ref) == latestLink && ref != latestLink && !l.Exact:
		return latest(filepath.Dir(ref))
	}
	all, err := names(l.Root)
	if err != nil {
		return "", err
	}
	for _, name := range all {
		if path := filepath.Join(l.Root, name); (name == ref || idOf(name) == ref) && isRun(path) {
			return path, nil
		}
	}
	return "", nil
}

// target returns the target of a link, or path if it is not a link.
func target(path string) string {
	to, err := os.Readlink(path)
	switch {
	case err != nil:
		return path
	case filepath.IsAbs(to):
		return filepath.Clean(to)
	}
	return filepath.Join(filepath.Dir(path), to)
}

// byPrefix returns the only run in root whose name or id begins with ref.
func byPrefix(ref, root string) (string, error) {
	all, err := names(root)
	if err != nil {
		return "", err
	}
	all = slices.DeleteFunc(all, func(name string) bool {
		return !strings.HasPrefix(name, ref) && !strings.HasPrefix(idOf(name), ref) && !hasLabel(root, name, ref) ||
			!isRun(filepath.Join(root, name))
	})
	switch {
	case len(all) == 1:
		return filepath.Join(root, all[0]), nil
	case len(all) > 1:
		return "", &AmbiguousError{ref, all}
	}
	return "", &NotFoundError{What: "run", Ref: ref, Root: root, Near: near(ref, root)}
}

// hasLabel reports whether the label of a run, as Create writes it, begins with ref.
func hasLabel(root, name, ref string) bool {
	m, word := named.FindStringSubmatch(name), slug(ref)
	if m == nil || !strings.HasPrefix(m[1], word) {
		return false
	}
	return strings.HasPrefix(entryAt(filepath.Join(root, name), time.Now()).Label(), word)
}

// newestFirst lists the runs in Root, and the one outside it if Root's latest links to it.
func (l Lookup) newestFirst() ([]Entry, error) {
	list, err := List(l.Root)
	if err != nil {
		return nil, err
	}
	slices.Reverse(list)
	if path, err := latest(l.Root); err == nil && !samePlace(filepath.Dir(path), l.Root) {
		list = append([]Entry{entryAt(path, time.Now())}, list...)
	}
	slices.SortStableFunc(list, func(a, b Entry) int { return b.Status.Started.Compare(a.Status.Started) })
	return list, nil
}

// latest finds the newest suitable run: the target of Root's latest if that is suitable.
func (l Lookup) latest() (f Match, err error) {
	path, err := latest(l.Root)
	if err != nil {
		return f, err
	}
	newest := entryAt(path, time.Now())
	if l.lacks(newest) == "" {
		return Match{Entry: newest, Word: latestLink}, nil
	}
	list, err := l.newestFirst()
	if err != nil {
		return f, err
	}
	list = slices.DeleteFunc(list, func(e Entry) bool { return e.Name == newest.Name && samePlace(e.Path, path) })
	f = l.first(latestLink, append([]Entry{newest}, list...), func(Status) bool { return true })
	if f.Path != "" {
		return f, nil
	}
	var lack []string
	for _, p := range f.Skipped {
		if !slices.Contains(lack, p.Missing) {
			lack = append(lack, p.Missing)
		}
	}
	return f, &NotFoundError{What: "run", Root: l.Root, With: strings.Join(lack, " and ")}
}

// first returns the first suitable run of list that the word describes. Path is empty if there is none.
func (l Lookup) first(word string, list []Entry, describes func(Status) bool) Match {
	f := Match{Word: word}
	for _, e := range list {
		if e.Err != nil && l.Missing == nil || e.Err == nil && !describes(e.Status) {
			continue
		}
		lacks := l.lacks(e)
		if lacks == "" {
			f.Entry = e
			break
		}
		f.Skipped = append(f.Skipped, Skip{e, lacks})
	}
	return f
}

// described is first, or else the first run of list that the word describes.
func (l Lookup) described(word string, list []Entry, describes func(Status) bool) (Match, bool) {
	f := l.first(word, list, describes)
	for _, p := range f.Skipped {
		if f.Path == "" && p.Err == nil {
			return Match{Entry: p.Entry, Word: word}, true
		}
	}
	return f, f.Path != ""
}

// Is reports whether path is the folder of the run.
func (e Entry) Is(path string) bool { return samePlace(e.Path, path) }

// canonical returns the absolute path without links.
func canonical(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	return path
}

func samePlace(a, b string) bool { return canonical(a) == canonical(b) }
