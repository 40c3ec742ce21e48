package study

import (
	"cmp"
	"slices"
	"strings"
)

// A Group is runs that differ in the seed only.
type Group struct {
	Name string `json:"name"` // of the model, with what distinguishes it from others of that name
	Base string `json:"-"`    // only of the model
	Runs []Run  `json:"-"`    // one per seed, by seed
}

// neutral are settings that change no result, or that are names for others.
var neutral = []string{"preset", "train.eval_batch"}

// dependsOn reports whether the result of the run depends on a setting.
func (r Run) dependsOn(key string) bool {
	ofModel, is := strings.CutPrefix(key, "model.")
	return !slices.Contains(neutral, key) && (!is || r.Spec.Uses(ofModel))
}

// key is equal for runs that differ in the seed only.
func (r Run) key() string {
	key := r.Name
	for _, s := range r.Settings {
		if r.dependsOn(s.Key) {
			key += "\n" + s.Key + " " + s.Value
		}
	}
	return key
}

// Alike reports whether two runs differ in the seed only.
func Alike(a, b Run) bool { return a.key() == b.key() }

// Groups partitions runs, which are sorted oldest first, into groups, in the order of the groups' first runs. Of
// several runs with the same settings and seed it keeps the newest.
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

// name gives groups of one model distinct names: by their presets if these differ, else by their settings, else by the
// ids of their runs.
func name(groups []Group) {
	for i := range groups {
		var alike []*Group
		for j := range groups {
			if groups[j].Base == groups[i].Base {
				alike = append(alike, &groups[j])
			}
		}
		if len(alike) == 1 || groups[i].Name != groups[i].Base {
			continue // the only group of its model, or already named
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

// presetOf returns the group's preset without the name of the model.
func presetOf(g *Group) string { return strings.TrimSuffix(g.Runs[0].Value("preset"), "/"+g.Base) }

// differing lists the settings of g that are not the same in all groups.
func differing(g *Group, alike []*Group) string {
	var words []string
	for _, s := range g.Runs[0].Settings {
		same := !slices.ContainsFunc(alike, func(other *Group) bool { return other.Runs[0].Value(s.Key) != s.Value })
		if !same && g.Runs[0].dependsOn(s.Key) {
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

// IDs lists the ids of the group's runs.
func (g Group) IDs() []string {
	ids := make([]string, len(g.Runs))
	for i, r := range g.Runs {
		ids[i] = r.ID
	}
	return ids
}

// Recipe lists the training settings in which groups differ, without those of the question.
func Recipe(groups []Group, ofQuestion func(key string) bool) string {
	var keys []string
	for _, s := range groups[0].Runs[0].Settings {
		isTraining := strings.HasPrefix(s.Key, "train.") || s.Key == "data.augment"
		if !isTraining || ofQuestion(s.Key) || slices.Contains(neutral, s.Key) {
			continue
		}
		if slices.ContainsFunc(groups, func(g Group) bool { return g.Runs[0].Value(s.Key) != s.Value }) {
			keys = append(keys, s.Key[strings.LastIndexByte(s.Key, '.')+1:])
		}
	}
	return strings.Join(keys, ", ")
}

// Each returns a value of each run, by seed.
func (g Group) Each(of func(Run) float64) []float64 {
	all := make([]float64, len(g.Runs))
	for i, r := range g.Runs {
		all[i] = of(r)
	}
	return all
}
