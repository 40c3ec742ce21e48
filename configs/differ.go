package configs

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/internal/strict"
	"github.com/attnconv/attnconv/internal/visible"
)

// A Difference is a value that the user gave and that is not the one of an existing run.
type Difference struct {
	Key         string
	Given, Have string // as YAML
	Origin      Origin // where the user gave it
}

// Differences compares what the user gave, in files, variables and flags, with a run that exists already and keeps its
// values: a run to be resumed. Keys come in the order of the file. A group of presets fits each of its members, and the
// data set auto fits every set.
func (s Sources) Differences(r Run) ([]Difference, error) {
	given, _, err := s.given()
	if err != nil {
		return nil, err
	}
	var all []Difference
	for _, f := range current().fields {
		l, ok := given[f.key]
		if !ok {
			continue
		}
		v := reflect.New(f.typ).Elem()
		if err := strict.Set(v, l.node); err != nil {
			return nil, valueError(l.origin, f.key, err)
		}
		d := Difference{Key: f.key, Given: inline(strict.Node(v)), Have: r.value(f), Origin: l.origin}
		switch {
		case d.Given == d.Have:
		case f.key == "preset" && strings.HasPrefix(d.Have, d.Given+"/"):
		case f.key == "data.name" && d.Given == "auto":
		default:
			all = append(all, d)
		}
	}
	return all, nil
}

// Repeat returns the words of a command line that give the differing values again, without those of variables, which
// still apply.
func (s Sources) Repeat(differences []Difference) (words []string) {
	for _, d := range differences {
		switch d.Origin.Kind {
		case FromFlag:
			if i := slices.IndexFunc(s.Flags, func(f Flag) bool { return f.Name == d.Origin.Name }); i >= 0 {
				words = append(words, d.Origin.Name, s.Flags[i].Text)
			}
		case FromSet:
			words = append(words, "--set", d.Key+"="+d.Given)
		case FromFile:
			if !slices.Contains(words, d.Origin.Name) {
				words = append(words, "-c", d.Origin.Name)
			}
		}
	}
	return words
}

// SetBy says where a value of a recorded run seems to come from: its preset, the defaults, or neither.
func (r Run) SetBy(key string) string {
	text := r.Texts()[key]
	preset, err := Preset(r.Preset)
	switch {
	case err == nil && r.Preset != "" && preset.Texts()[key] == text:
		return "set by preset " + r.Preset
	case Default().Texts()[key] == text:
		return "the default"
	}
	return "given when it began"
}

// A Value is one value of a Run, as YAML on one line.
type Value struct{ Key, Text string }

// Values lists the values in the order of the file, without options of kinds that the run does not have.
func (r Run) Values() []Value {
	var all []Value
	for _, f := range current().fields {
		if r.uses(f) {
			all = append(all, Value{f.key, r.value(f)})
		}
	}
	return all
}

// Texts maps the keys of Values to their texts.
func (r Run) Texts() map[string]string {
	texts := map[string]string{}
	for _, v := range r.Values() {
		texts[v.Key] = v.Text
	}
	return texts
}

// Unlike lists the values that are not those of base, in the order of the file.
func (r Run) Unlike(base Run) []Value {
	var all []Value
	mine, theirs := reflect.ValueOf(r), reflect.ValueOf(base)
	for _, f := range current().fields {
		if !r.uses(f) && !base.uses(f) {
			continue
		}
		a, b := f.in(mine), f.in(theirs)
		if a.Comparable() && a.Equal(b) || !a.Comparable() && reflect.DeepEqual(a.Interface(), b.Interface()) {
			continue // of most: much faster than their texts
		}
		if text := r.value(f); text != base.value(f) { // an empty list may be nil or not
			all = append(all, Value{f.key, text})
		}
	}
	return all
}

// Document returns every setting and its origin as a JSON document.
func (r *ResolvedRun) Document() SettingsReport {
	d := SettingsReport{V: 1}
	for _, v := range r.Run.Values() {
		d.Settings = append(d.Settings, SettingOrigin{Key: v.Key, Value: v.Text, Origin: r.Origins[v.Key].String()})
	}
	return d
}

// Table lists the values and where each comes from, one a line; those that have their default only if all are wanted.
func (r *ResolvedRun) Table(all bool) string {
	var rows []Value
	var key, text int
	for _, v := range r.Run.Values() {
		if all || r.Origins[v.Key].Kind != FromDefault {
			rows = append(rows, v)
			key, text = max(key, len(v.Key)), max(text, visible.Columns(v.Text))
		}
	}
	var b strings.Builder
	for _, v := range rows {
		fmt.Fprintf(&b, "%-*s  %s  %s\n", key, v.Key, visible.Pad(v.Text, text), r.Origins[v.Key])
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// inline is the YAML of a value on one line.
func inline(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return n.Value
	}
	var parts []string
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			parts = append(parts, n.Content[i].Value+": "+inline(n.Content[i+1]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	for _, c := range n.Content {
		parts = append(parts, inline(c))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// reason is what went wrong with a file, without the name that the message already has.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}
