package listing

import (
	"slices"
	"strings"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/option"
)

// KeyOf returns the key of the setting called name: its key or its flag, with or without hyphens in front. For another
// name it returns "" and the name of the setting, or of one of others, that it was most likely meant to be, or "".
func KeyOf(name string, others ...string) (key, near string) {
	name = strings.TrimPrefix(name, "--")
	known := append(slices.Clone(others), configs.Keys()...)
	for _, s := range configs.Settings() {
		if s.Flag == name {
			return s.Key, ""
		}
		known = append(known, s.Flag)
	}
	if slices.Contains(configs.Keys(), name) {
		return name, ""
	}
	if near = configs.Synonym(name); near == "" {
		near = option.Nearest(name, known)
	}
	return "", near
}

// Condition reads KEY=VALUE as a setting to look for in a run: KEY is as for KeyOf. Errors call the condition of; they
// are an *option.Error or, for a value that no setting of this key has, an *Error.
func Condition(of, text string) (configs.Flag, error) {
	name, value, found := strings.Cut(text, "=")
	name = strings.TrimSpace(name)
	if !found {
		return configs.Flag{}, option.Errorf(of, "%q: want key=value, such as model.encoding=learned", text)
	}
	key, near := KeyOf(name)
	if key == "" {
		return configs.Flag{}, option.Errorf(of, "%q: not a setting such as train.lr%s", name, suggestion(near))
	}
	f := configs.Flag{Name: of + " " + name, Key: key, Text: configs.Canonical(key, strings.TrimSpace(value))}
	for _, s := range configs.Settings() { // no run would match a misspelled choice
		if s.Key != key || s.Choices == nil || slices.Contains([]string{"data.name", "data.augment", "preset"}, key) {
			continue
		}
		var names []string
		for _, line := range s.Choices {
			name, _, _ := strings.Cut(line, "\t")
			names = append(names, name)
		}
		if !slices.Contains(names, f.Text) {
			return configs.Flag{}, option.Choice(f.Name, f.Text, names)
		}
	}
	_, err := configs.Sources{Flags: []configs.Flag{f}}.Differences(configs.Default())
	return f, err
}

// suggestion is a line that suggests a name, or "".
func suggestion(near string) string {
	if near == "" {
		return ""
	}
	return "\n  did you mean \"" + near + "\"?"
}
