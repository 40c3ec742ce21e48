package run

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// FindAll returns the runs of several references, each once, in the order of the references. A reference may also be a
// pattern of paths, names or ids. Of several references, FindAll skips those that are paths of something else. Several
// words refer to runs on one data set: the newest that has runs of all words.
func (l Lookup) FindAll(refs []string) (all []Match, skipped []string, err error) {
	words := slices.DeleteFunc(slices.Clone(refs), func(ref string) bool { return !l.isWord(ref) })
	described, err := l.ofWords(words)
	if err != nil {
		return nil, nil, err
	}
	seen := map[string]bool{}
	for _, ref := range refs {
		found := described[ref]
		switch {
		case found != nil:
		case !l.Exact && isPattern(ref):
			found, err = l.matching(ref)
		case len(refs) > 1 && l.isOther(ref):
			skipped = append(skipped, ref)
		default:
			var one Match
			one, err = l.Find(ref)
			found = []Match{one}
		}
		if err != nil {
			return nil, nil, err
		}
		for _, f := range found {
			if at := canonical(f.Path); !seen[at] {
				seen[at] = true
				all = append(all, f)
			}
		}
	}
	if len(all) == 0 && len(refs) > 0 {
		return nil, nil, &NotFoundError{What: "run", Ref: refs[0], Root: l.Root}
	}
	return all, skipped, nil
}

// isWord reports whether a reference describes runs and is not the name of one.
func (l Lookup) isWord(ref string) bool {
	if l.word(ref) == nil {
		return false
	}
	path, err := l.named(ref)
	return path == "" && err == nil
}

// isOther reports whether a reference is a path that is not a run's.
func (l Lookup) isOther(ref string) bool {
	if _, err := os.Stat(ref); err != nil || filepath.Ext(ref) == ".ckpt" || isLatest(ref) {
		return false
	}
	path, err := l.named(ref)
	return path == "" && err == nil
}

// isPattern reports whether a reference is a pattern and not an existing path.
func isPattern(ref string) bool {
	_, err := os.Lstat(ref)
	return err != nil && strings.ContainsAny(ref, "*?[")
}

// matching returns the runs whose name or id in Root, or whose path, matches a pattern.
func (l Lookup) matching(pattern string) (all []Match, err error) {
	list, err := names(l.Root)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, name := range list {
		byName, err := path.Match(pattern, name)
		if err != nil {
			return nil, wrap(err)
		}
		if byID, _ := path.Match(pattern, idOf(name)); byName || byID {
			paths = append(paths, filepath.Join(l.Root, name))
		}
	}
	byPath, err := filepath.Glob(pattern)
	if err != nil {
		return nil, wrap(err)
	}
	for _, path := range append(paths, byPath...) {
		if isRun(path) {
			all = append(all, Match{Entry: entryAt(target(path), time.Now())})
		}
	}
	if all == nil {
		return nil, &NotFoundError{What: "run", Ref: pattern, Root: l.Root}
	}
	return all, nil
}

// ofWords returns the runs of each word.
func (l Lookup) ofWords(words []string) (map[string][]Match, error) {
	if len(words) == 0 {
		return nil, nil
	}
	list, err := l.newestFirst()
	if err != nil {
		return nil, err
	}
	data, err := l.shared(words, list)
	if err != nil {
		return nil, err
	}
	all := map[string][]Match{}
	for _, word := range words {
		describes := l.word(word)
		f, ok := l.described(word, list, func(s Status) bool { return s.Data == data && describes(s) })
		if ok { // else the word may be a prefix of a name
			all[word] = append([]Match{f}, l.alike(f, list, describes)...)
		}
	}
	return all, nil
}

// alike returns the suitable runs alike f that its word describes: of each other seed the newest.
func (l Lookup) alike(f Match, list []Entry, describes func(Status) bool) (all []Match) {
	if l.Alike == nil {
		return nil
	}
	seeds := map[uint64]bool{f.Status.Seed: true}
	for _, e := range list {
		if e.Err == nil && !seeds[e.Status.Seed] && describes(e.Status) && l.lacks(e) == "" && l.Alike(f.Entry, e) {
			seeds[e.Status.Seed] = true
			all = append(all, Match{Entry: e, Word: f.Word})
		}
	}
	return all
}

// shared returns the newest data set that has runs of all words, if possible suitable ones. list is sorted newest
// first. If there is none, the error names a word without runs on the newest data set. Words that describe no run at
// all are ignored.
func (l Lookup) shared(words []string, list []Entry) (string, error) {
	is := func(e Entry, word string) bool { return e.Err == nil && l.word(word)(e.Status) }
	words = slices.DeleteFunc(slices.Clone(words), func(word string) bool {
		return !slices.ContainsFunc(list, func(e Entry) bool { return is(e, word) })
	})
	list = slices.DeleteFunc(slices.Clone(list), func(e Entry) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return is(e, word) })
	})
	suitable := slices.DeleteFunc(slices.Clone(list), func(e Entry) bool { return l.lacks(e) != "" })
	missing := func(data string, among []Entry) int { // index of a word without a run of data, or -1
		return slices.IndexFunc(words, func(word string) bool {
			return !slices.ContainsFunc(among, func(e Entry) bool { return e.Status.Data == data && is(e, word) })
		})
	}
	sets := dataOf(append(suitable, list...)) // data sets with suitable runs come first
	for _, among := range [][]Entry{suitable, list} {
		for _, data := range sets {
			if missing(data, among) < 0 {
				return data, nil
			}
		}
	}
	if len(sets) == 0 {
		return "", nil
	}
	return "", &NotFoundError{What: "run", Ref: words[missing(sets[0], list)], Root: l.Root, On: sets[0]}
}

// dataOf returns the distinct data sets of runs, in order.
func dataOf(list []Entry) (sets []string) {
	for _, e := range list {
		if !slices.Contains(sets, e.Status.Data) {
			sets = append(sets, e.Status.Data)
		}
	}
	return sets
}
