package torchnames

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/option"
)

// A Set is the weights of one network in a file, which may have several. What Choose finds is a path in front of the
// names of a network's tensors.
type Set struct {
	Name   string   // the part of that path by which the file's sets differ; "top": there is none
	Why    string   // it is taken instead of Others; "": there are none
	Others []string // names of the other sets

	path   string              // ends in a dot; "": the names have nothing in front of them
	others []string            // paths of Others
	plain  func(string) string // a name without what wrappers add
}

// Choose finds the weights of networks among the names of tensors and returns the set called name or, for "", the one
// that the program which wrote the file most likely evaluated: averaged weights, then those under the usual names. It
// returns nil if the names are those of no network here. The error is an *option.Error for "weights", or has a hint if
// nothing says which of several sets is meant. marks are tensors by which networks are known; none: those of
// model.Kinds.
func Choose(names []string, name string, marks ...string) (*Set, error) {
	if len(marks) == 0 {
		for _, k := range model.Kinds {
			if k.Infer != nil {
				marks = append(marks, k.Weight)
			}
		}
	}
	plain := plainer(names)
	all := make([]string, len(names))
	var paths []string
	for i, n := range names {
		all[i] = plain(n)
		for _, mark := range marks {
			path, ok := strings.CutSuffix(all[i], mark)
			if ok && !strings.HasPrefix(path, solver) && (path == "" || path[len(path)-1] == '.') {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	if paths = slices.Compact(paths); len(paths) > maxSets {
		return nil, option.Errorf("weights", "is not there for a file of more than %d networks: save one of them", maxSets)
	}
	paths = networks(paths, all)
	if len(paths) == 0 && name != "" {
		return nil, option.Errorf("weights", "%s: the file has no weights of a network that is known here", name)
	}
	if len(paths) == 0 {
		return nil, nil
	}
	sets := nameSets(paths)
	at, why, err := choose(sets, name)
	if err != nil {
		return nil, err
	}
	without := func(list []string) []string { return slices.Delete(slices.Clone(list), at, at+1) }
	return &Set{Name: sets[at], Why: why, Others: without(sets), path: paths[at], others: without(paths),
		plain: plain}, nil
}

// maxSets is how many sets of weights Choose compares.
const maxSets = 100

// networks leaves out paths inside of another one, except for copies of most of its tensors.
func networks(paths, names []string) (kept []string) {
	below := func(path, not string) map[string]bool {
		rest := map[string]bool{}
		for _, n := range names {
			if after, ok := strings.CutPrefix(n, path); ok && (not == "" || !strings.HasPrefix(n, not)) {
				rest[after] = true
			}
		}
		return rest
	}
	for _, p := range paths {
		i := slices.IndexFunc(kept, func(outer string) bool { return strings.HasPrefix(p, outer) })
		if i < 0 {
			kept = append(kept, p)
			continue
		}
		own, outer, shared := below(p, ""), below(kept[i], p), 0
		for name := range own {
			if outer[name] {
				shared++
			}
		}
		if shared == len(own) && 2*shared >= len(outer) {
			kept = append(kept, p)
		}
	}
	return kept
}

// Usual names of weights in a checkpoint, and words in names: of averaged weights, and of those that only follow others
// while a network is trained.
var (
	usual     = []string{"model_state_dict", "state_dict", "model_state", "model", "net", "network", "weights"}
	averaged  = []string{"ema", "swa", "lawa", "averaged", "average", "avg", "polyak", "shadow", "teacher"}
	following = []string{"encoder_k", "momentum", "target"}
)

// choose returns the place of the set to take, and why it is taken.
func choose(sets []string, name string) (at int, why string, err error) {
	if name != "" {
		if at = slices.Index(sets, name); at < 0 {
			return 0, "", option.Choice("weights", name, sets)
		}
		return at, "chosen by its name", nil
	}
	if len(sets) == 1 {
		return 0, "", nil
	}
	leading := func(s string) bool { return !hasWord(s, following) }
	for _, rule := range []struct {
		why string
		is  func(s string) bool
	}{
		{"averaged weights are the ones that programs evaluate", func(s string) bool { return hasWord(s, averaged) }},
		{"its name is the usual one", func(s string) bool { return slices.Contains(usual, s) }},
		{"the others follow it while it is trained", leading},
	} {
		first := slices.IndexFunc(sets, rule.is)
		if first < 0 {
			continue
		}
		if slices.ContainsFunc(sets[first+1:], rule.is) {
			break
		}
		return first, rule.why, nil
	}
	return 0, "", fault.WithHint(fault.Usagef("%d sets of weights: %s", len(sets),
		visible.Word(strings.Join(sets, ", "))), "--weights NAME takes one of them")
}

// hasWord reports whether name has one of the words, apart from letters next to it: modelEma and model_ema have ema,
// schema does not.
func hasWord(name string, words []string) bool {
	var split strings.Builder
	last := '_'
	for _, r := range name {
		switch {
		case unicode.IsUpper(r) && unicode.IsLower(last):
			split.WriteRune('_')
		case !unicode.IsLetter(r):
			r = '_'
		}
		split.WriteRune(unicode.ToLower(r))
		last = r
	}
	text := "_" + split.String() + "_"
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, "_"+w+"_") })
}

// nameSets returns the parts of paths by which they differ.
func nameSets(paths []string) (names []string) {
	all := make([][]string, len(paths))
	for i, p := range paths {
		all[i] = strings.FieldsFunc(p, func(r rune) bool { return r == '.' })
	}
	same := func(part func(parts []string) string) bool {
		return len(all) > 1 && !slices.ContainsFunc(all, func(parts []string) bool {
			return len(parts) == 0 || len(all[0]) == 0 || part(parts) != part(all[0])
		})
	}
	for same(func(parts []string) string { return parts[0] }) {
		for i := range all {
			all[i] = all[i][1:]
		}
	}
	for same(func(parts []string) string { return parts[len(parts)-1] }) {
		for i := range all {
			all[i] = all[i][:len(all[i])-1]
		}
	}
	for _, parts := range all {
		names = append(names, cmp.Or(strings.Join(parts, "."), "top"))
	}
	return names
}

// wrapping lists what PyTorch's wrappers put between the parts of a name: those of several devices, of averages and of
// compilation.
var wrapping = []string{"module", "_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module"}

// plainer returns what takes wrapping out of a name, or, where two names would then be the same, leaves it in.
func plainer(names []string) func(string) string {
	seen := map[string]bool{}
	for _, n := range names {
		p := unwrapped(n)
		if seen[p] {
			return func(name string) string { return name }
		}
		seen[p] = true
	}
	return unwrapped
}

func unwrapped(name string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(name, "."), func(part string) bool {
		return slices.Contains(wrapping, part)
	}), ".")
}

// cut returns what a tensor is called behind the path of the set; ok is false for others.
func (s *Set) cut(name string) (rest string, ok bool) {
	name = s.plain(name)
	for _, p := range s.others {
		if strings.HasPrefix(name, p) && strings.HasPrefix(p, s.path) {
			return "", false
		}
	}
	return strings.CutPrefix(name, s.path)
}

// Cut returns the tensors of the set, with what they are called behind its path.
func (s *Set) Cut(tensors []ckpt.Tensor) (own []ckpt.Tensor) {
	for _, t := range tensors {
		if rest, ok := s.cut(t.Name); ok {
			own = append(own, ckpt.Tensor{Name: rest, Shape: t.Shape, Data: t.Data})
		}
	}
	return own
}

// inOther reports whether a tensor that is not the set's is of another one.
func (s *Set) inOther(name string) bool {
	name = s.plain(name)
	return slices.ContainsFunc(s.others, func(p string) bool { return strings.HasPrefix(name, p) })
}

// Of returns the tensors of the set among names.
func (s *Set) Of(names []string) map[string]bool {
	own := map[string]bool{}
	for _, n := range names {
		if _, ok := s.cut(n); ok {
			own[n] = true
		}
	}
	return own
}
