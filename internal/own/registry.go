package own

import (
	"fmt"
	"iter"
	"reflect"
	"slices"

	"github.com/attnconv/attnconv/internal/strict"
	"github.com/attnconv/attnconv/option"
)

// A Registry is a list of kinds to which a program may add its own.
type Registry[T option.Named] struct {
	List    *option.List[T]
	What    string      // what messages call a kind: encoding
	Key     string      // the setting that chooses a kind, as in YAML: encoding
	Setting string      // the same setting as messages call it: model.encoding
	By      string      // the function that adds a kind: posenc.Register
	Options func(T) any // a pointer to a struct with the defaults of a kind's own options, or nil
}

// Kinds is a Registry with kinds of any type.
type Kinds interface {
	// Groups lists the options of kinds that have their own.
	Groups() []Group
	// Missing returns an *option.MissingError if the setting key chooses a kind and there is no kind of that name.
	Missing(key, name string) error
}

// Group returns the own options of a kind.
func (r Registry[T]) Group(k T) Group {
	name, _ := k.Entry()
	return Group{What: r.What, Key: r.Key, Setting: r.Setting, Name: name, Options: r.Options(k)}
}

// Groups implements Kinds.
func (r Registry[T]) Groups() (all []Group) {
	for _, k := range *r.List {
		if g := r.Group(k); g.Options != nil {
			all = append(all, g)
		}
	}
	return all
}

// Missing implements Kinds.
func (r Registry[T]) Missing(key, name string) error {
	if key != r.Key || r.List.Has(name) {
		return nil
	}
	return &option.MissingError{Key: r.Setting, Name: name, By: r.By, Near: option.Nearest(name, r.List.Names())}
}

// Read returns the options of the kind of that name, as Group.Read does; nil if there is no such kind.
func (r Registry[T]) Read(name string, values map[string]any) any {
	if k := r.List.Find(name); k != nil {
		return r.Group(*k).Read(values)
	}
	return nil
}

// Add adds k at the end of the list. It panics with what is wrong with k: a name in the list or in taken, options that
// cannot be options or have one of keys, or what lacks says, "New is nil: want a function", or "" if nothing is wrong.
func (r Registry[T]) Add(k T, keys []string, lacks string, taken ...string) {
	g := r.Group(k)
	err := g.Check(slices.Concat(r.List.Names(), taken), keys)
	if err == nil && lacks != "" {
		err = fmt.Errorf("%s %s: %s", g.What, g.Name, lacks)
	}
	if err != nil {
		panic(fmt.Errorf("%s: %w", r.By, err))
	}
	*r.List = append(*r.List, k)
}

// Missing returns the *option.MissingError of the first kind that one of the settings chooses and that its list lacks,
// or nil. settings are keys and values, as strict.Words returns them.
func Missing(settings iter.Seq2[string, string], of ...Kinds) error {
	for key, name := range settings {
		for _, kinds := range of {
			if err := kinds.Missing(key, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Settings are the fields of a struct and, after them, the options of kinds, which are in its field Own.
type Settings struct {
	Section string        // of the file: train
	Fields  strict.Fields // of the struct
	Kinds   []Kinds
	index   int // of Own
}

// sections has all Settings. Packages add theirs while the program is initialized.
var sections = map[string]*Settings{}

// Section returns the settings of a section.
func Section(name string) *Settings { return sections[name] }

// SettingsOf makes the settings of a struct T those of a section.
func SettingsOf[T any](section string, kinds ...Kinds) *Settings {
	t := reflect.TypeFor[T]()
	f, _ := t.FieldByName("Own")
	s := &Settings{section, strict.FieldsOf(t), kinds, f.Index[0]}
	sections[section] = s
	return s
}

// Groups lists the options of all kinds that have their own.
func (s *Settings) Groups() (all []Group) {
	for _, k := range s.Kinds {
		all = append(all, k.Groups()...)
	}
	return all
}

// Options lists the options that kinds bring.
func (s *Settings) Options() (all []Option) {
	for _, g := range s.Groups() {
		all = append(all, g.List()...)
	}
	return all
}

// Own lists the options that kinds bring as settings of the struct.
func (s *Settings) Own() (all strict.Fields) {
	for _, o := range s.Options() {
		all = append(all, strict.Field{Key: o.Key, Index: s.index, Type: o.Type, Default: o.Default})
	}
	return all
}

// All lists the settings of the struct, and the options after them.
func (s *Settings) All() strict.Fields { return slices.Concat(s.Fields, s.Own()) }

// GroupOf returns the group that brings the option key; false for a setting of the struct.
func (s *Settings) GroupOf(key string) (Group, bool) {
	for _, o := range s.Options() {
		if o.Key == key {
			return o.Group, true
		}
	}
	return Group{}, false
}

// Uses reports whether the setting key has a part in the settings v, a struct: an option of a kind has none if v
// chooses another kind.
func (s *Settings) Uses(v any, key string) bool {
	g, own := s.GroupOf(key)
	return !own || s.chosen(v, g)
}

// chosen reports whether the settings v choose the group's kind.
func (s *Settings) chosen(v any, g Group) bool {
	i := slices.Index(s.Fields.Keys(), g.Key)
	return s.Fields[i].Of(reflect.ValueOf(v)) == g.Name
}

// Check returns the first of the values that no kind brings, or that has the wrong type. key is what messages call an
// option.
func (s *Settings) Check(values map[string]any, key func(string) string) error {
	return s.Own().Check(values, key)
}

// Validate returns the first option in v, a struct of settings, that no kind brings, that has the wrong type, or that
// breaks a rule of the chosen kind.
func (s *Settings) Validate(v any) error {
	values := reflect.ValueOf(v).Field(s.index).Interface().(map[string]any)
	key := func(key string) string { return s.Section + "." + key }
	if err := s.Check(values, key); err != nil {
		return err
	}
	for _, g := range s.Groups() {
		if !s.chosen(v, g) {
			continue
		}
		if err := g.Validate(values, key, g.Setting); err != nil {
			return err
		}
	}
	return nil
}
