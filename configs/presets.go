package configs

import (
	"embed"
	"io/fs"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc"
)

// Each preset is one file; paper/quadratic.yaml is the preset paper/quadratic. A preset may say "preset: NAME" itself:
// then its values lie over those of NAME. So a copy of a preset's file works with -c as it is.
//
//go:embed paper small fast fashion-mnist zoo relations-conv.yaml relations.yaml tiny.yaml smoke.yaml
var files embed.FS

// Presets lists the names of all presets, sorted, those of the paper first.
func Presets() []string {
	var names []string
	fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if name, ok := strings.CutSuffix(path, ".yaml"); ok && err == nil {
			names = append(names, name)
		}
		return err
	})
	paper := func(name string) bool { return strings.HasPrefix(name, "paper/") }
	slices.SortFunc(names, func(a, b string) int {
		if paper(a) != paper(b) {
			return map[bool]int{true: -1, false: 1}[paper(a)]
		}
		return strings.Compare(a, b)
	})
	return names
}

// PresetChoices lists what --preset takes: the presets, and the groups that are completed by the model.
func PresetChoices() []string {
	return slices.Sorted(slices.Values(append(Presets(), "small", "fast", "fashion-mnist")))
}

// PresetText returns the file of the preset called name.
func PresetText(name string) ([]byte, bool) {
	text, err := files.ReadFile(name + ".yaml")
	return text, err == nil
}

// PresetPurpose is what a preset is for: the first sentence of its file, or "".
func PresetPurpose(name string) string {
	text, _ := PresetText(name)
	var words []string
	for line := range strings.Lines(string(text)) {
		comment, ok := strings.CutPrefix(line, "#")
		if !ok || strings.TrimSpace(comment) == "" {
			break
		}
		words = append(words, strings.Fields(comment)...)
		for i, w := range words {
			if strings.HasSuffix(w, ".") {
				return strings.Join(words[:i+1], " ")
			}
		}
	}
	return strings.Join(words, " ")
}

// DefaultPreset is the preset used when none is asked for: small for real photographs, tiny for the built-in images.
func DefaultPreset(set string) string {
	if k := sets.Kinds.Find(set); k != nil && k.BuiltIn() {
		return "tiny"
	}
	return "small"
}

// isRegistered reports whether a registered kind of network or encoding is asked for: it has no presets.
func isRegistered(kind, encoding string) bool {
	k, e := model.Kinds.Find(kind), posenc.Kinds.Find(encoding)
	return k != nil && k.Registered() || e != nil && e.Registered()
}

// member completes the name of a group of presets by the model that is asked for: small is small/quadratic with
// encoding quadratic, and small/resnet18 with model resnet18. A registered kind has the group's preset of the default
// encoding, over which it is the user who asks for the kind.
func member(name, kind, encoding string) (string, error) {
	names, groups := Presets(), map[string][]string{}
	for _, n := range names {
		if group, _, ok := strings.Cut(n, "/"); ok {
			groups[group] = append(groups[group], n)
		}
	}
	in, isGroup := groups[name]
	want := name
	if isGroup {
		want = name + "/" + kind
		if kind == Default().Model.Kind {
			want = name + "/" + encoding
		}
	}
	switch {
	case slices.Contains(names, want):
		return want, nil
	case isGroup && isRegistered(kind, encoding) && slices.Contains(names, name+"/"+Default().Model.Encoding):
		return name + "/" + Default().Model.Encoding, nil
	case isGroup:
		return "", option.Errorf("preset", "%q has nothing for %s; it has %s",
			name, strings.TrimPrefix(want, name+"/"), strings.Join(in, ", "))
	}
	return "", option.Choice("preset", name, PresetChoices())
}

// preset reads a preset and those it lies over, and returns all their values; each knows the file it came from.
func preset(name string) (layer, error) {
	text, ok := PresetText(name)
	if !ok {
		return nil, option.Choice("preset", name, Presets())
	}
	l, err := readLayer(text, Origin{Kind: FromPreset, Name: name})
	if err != nil {
		return nil, err
	}
	below, ok := l["preset"]
	if !ok {
		return l, nil
	}
	base, err := preset(below.node.Value)
	if err != nil {
		return nil, err
	}
	return l.over(base), nil
}

// Preset is the run that a preset gives and nothing else changes.
func Preset(name string) (Run, error) {
	l, err := preset(name)
	if err != nil {
		return Run{}, explain(err, nil)
	}
	l.newBorder()
	r, err := decodeRun(l)
	r.Preset = name
	return r, err
}
