package study

import (
	"cmp"
	"slices"
	"strings"
)

// A Group is the runs that differ in nothing but the seed.
type Group struct {
	Name string // of the model, with what sets the group apart from others of the same model
	Base string // of the model alone
	Runs []Run  // one of each seed, by seed
}

// silent are settings that change no result, or that only name others.
var silent = []string{"preset", "train.eval_batch"}

// heeds reports whether a setting has a part in what the run computes.
func (r Run) heeds(key string) bool {
	ofModel, is := strings.CutPrefix(key, "model.")
	return !slices.Contains(silent, key) && (!is || r.Spec.Uses(ofModel))
}

// key is the same for runs that differ in nothing but the seed.
func (r Run) key() string {
	key := r.Name
	for _, s := range r.Settings {
		if r.heeds(s.Key) {
			key += "\n" + s.Key + " " + s.Value
		}
	}
	return key
}

// Alike reports whether two runs differ in nothing but the seed.
func Alike(a, b Run) bool { return a.key() == b.key() }

// Groups sorts runs, oldest first, into groups: the newest model last. Of several runs that are alike in everything,
// the newest counts.
func Groups(runs []Run) []Group {
	byKey := map[string]int{}
	var groups []Group
	for _, r := range runs {
		key := r.key()
		i, ok := byKey[key]
		if !ok {
			i = len(groups)
			byKey[key] = i
			groups = append(groups, Group{Name: r.Name, Base: r.Name})
		}
		g := &groups[i]
		g.Runs = slices.DeleteFunc(g.Runs, func(old Run) bool { return old.Seed == r.Seed })
		g.Runs = append(g.Runs, r)
		slices.SortFunc(g.Runs, func(a, b Run) int { return cmp.Compare(a.Seed, b.Seed) })
	}
	name(groups)
	return groups
}

// name tells groups of one model apart: by their presets if these differ, else by their settings, else by their runs.
func name(groups []Group) {
	for i := range groups {
		var alike []*Group
		for j := range groups {
			if groups[j].Base == groups[i].Base {
				alike = append(alike, &groups[j])
			}
		}
		if len(alike) == 1 || groups[i].Name != groups[i].Base {
			continue // alone, or named with another one
		}
		for _, by := range []func(*Group) string{
			func(g *Group) string { return presetOf(g) },
			func(g *Group) string { return differing(g, alike) },
			func(g *Group) string { return g.Runs[0].ID },
		} {
			words := map[string]bool{}
			for _, g := range alike {
				words[by(g)] = true
			}
			if len(words) < len(alike) {
				continue
			}
			for _, g := range alike {
				g.Name = strings.TrimSpace(g.Base + " " + by(g))
			}
			break
		}
	}
}

// presetOf is the group's preset, without the name of the model.
func presetOf(g *Group) string { return strings.TrimSuffix(g.Runs[0].Value("preset"), "/"+g.Base) }

// differing lists the settings of g that are not alike in all of the groups.
func differing(g *Group, alike []*Group) string {
	var words []string
	for _, s := range g.Runs[0].Settings {
		same := !slices.ContainsFunc(alike, func(other *Group) bool { return other.Runs[0].Value(s.Key) != s.Value })
		if !same && g.Runs[0].heeds(s.Key) {
			words = append(words, s.Key[strings.LastIndexByte(s.Key, '.')+1:]+" "+s.Value)
		}
	}
	return strings.Join(words, ", ")
}

// Seeds lists the seeds of the group's runs.
func (g Group) Seeds() []uint64 {
	seeds := make([]uint64, len(g.Runs))
	for i, r := range g.Runs {
		seeds[i] = r.Seed
	}
	return seeds
}
