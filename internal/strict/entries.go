package strict

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/internal/invalid"
)

// Entries are a list in which each entry may say a kind, how often it is repeated, and options. In YAML a number is short
// for so many entries that say nothing:
//
//	6
//	[{kind: conv, repeat: 2, size: 3}, {repeat: 4, heads: 9}]
type Entries[F interface{ Form() Form }] []Entry

// An Entry is one or more equal items of a list.
type Entry struct {
	Kind   string         // "": that of the list's owner
	Repeat int            // so many equal items; 0 is one
	Own    map[string]any // options, by their keys in YAML and with the types of their fields
}

// A Form says what entries may hold, and what messages call them.
type Form struct {
	Key     string // of the list
	Items   string // what its items are: blocks
	Most    int    // items
	Kinds   []string
	Options Fields
}

var entryFields = FieldsOf(reflect.TypeFor[struct {
	Kind   string `yaml:"kind"`
	Repeat int    `yaml:"repeat"`
}]())

func (f Form) fields() Fields { return slices.Concat(entryFields, f.Options) }

func (l Entries[F]) form() Form { return (*new(F)).Form() }

// Count returns how many items there are.
func (l Entries[F]) Count() (n int) {
	if l.plain() {
		return l[0].Repeat
	}
	for _, e := range l {
		n += max(1, e.Repeat)
	}
	return n
}

// plain reports whether a number says it all.
func (l Entries[F]) plain() bool { return len(l) == 1 && l[0].Kind == "" && len(l[0].Own) == 0 }

// Check returns the first entry that breaks a rule of its own, before anything is counted, as an *invalid.Error.
func (l Entries[F]) Check() error {
	form := l.form()
	for i, e := range l {
		if e.Repeat < 0 || e.Repeat > form.Most {
			return invalid.Between(l.Key(i, "repeat"), e.Repeat, 1, form.Most)
		}
		if e.Kind != "" && !slices.Contains(form.Kinds, e.Kind) {
			return invalid.Choice(l.Key(i, "kind"), e.Kind, form.Kinds)
		}
		if err := form.Options.Check(e.Own, func(key string) string { return l.Key(i, key) }); err != nil {
			return err
		}
	}
	return invalid.Between(form.Key, l.Count(), 1, form.Most)
}

// Key is what messages call an option of an entry.
func (l Entries[F]) Key(i int, option string) string {
	if l.plain() {
		return l.form().Key
	}
	return fmt.Sprintf("%s[%d].%s", l.form().Key, i, option)
}

// Without returns the list with no option of that name in it.
func (l Entries[F]) Without(option string) Entries[F] {
	l = slices.Clone(l)
	for i := range l {
		l[i].Own = maps.Clone(l[i].Own)
		delete(l[i].Own, option)
	}
	return l
}

// Plus appends an entry, or repeats the last one where they are equal.
func (l Entries[F]) Plus(e Entry) Entries[F] {
	if n := len(l) - 1; n >= 0 && l[n].Kind == e.Kind && reflect.DeepEqual(l[n].Own, e.Own) {
		l[n].Repeat += e.Repeat
		return l
	}
	return append(l, e)
}

// String is the list as it is written in YAML, on one line.
func (l Entries[F]) String() string {
	text, err := yaml.Marshal(l)
	if err != nil {
		panic(err) // numbers and words can always be written
	}
	return strings.TrimSpace(string(text))
}

// Wanted implements Setter.
func (l *Entries[F]) Wanted() string {
	return "a whole number or a list of " + l.form().Items + " such as [{kind: conv, repeat: 2}, {repeat: 4}]"
}

// UnmarshalYAML takes a number, or a list of entries. An error within the list is an *invalid.Error.
func (l *Entries[F]) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		var equal int
		if Set(reflect.ValueOf(&equal).Elem(), n) != nil {
			return fmt.Errorf("%s: want %s", Shown(n), l.Wanted())
		}
		*l = Entries[F]{{Repeat: equal}}
		return nil
	}
	form := l.form()
	if len(n.Content) > form.Most {
		return fmt.Errorf("a list of %d: want at most %d %s", len(n.Content), form.Most, form.Items)
	}
	all := make(Entries[F], len(n.Content))
	for i, item := range n.Content {
		var err error
		if all[i], err = form.entry(item, fmt.Sprintf("%s[%d]", form.Key, i)); err != nil {
			return err
		}
	}
	*l = all
	return nil
}

// entry reads one entry, which messages call at.
func (f Form) entry(n *yaml.Node, at string) (e Entry, err error) {
	if n.Kind != yaml.MappingNode {
		return e, invalid.Errorf(at, "%s: want keys and values such as {kind: conv, repeat: 2}", Shown(n))
	}
	own := map[string]any{"kind": "", "repeat": 1}
	if err := f.fields().Read(n, at, func(f Field, v reflect.Value) { own[f.Key] = v.Interface() }); err != nil {
		return e, err
	}
	e.Kind, e.Repeat = own["kind"].(string), own["repeat"].(int)
	delete(own, "kind")
	if delete(own, "repeat"); len(own) > 0 {
		e.Own = own
	}
	return e, invalid.Between(at+".repeat", e.Repeat, 1, f.Most)
}

// MarshalYAML writes a number where that says it all, else the list on one line.
func (l Entries[F]) MarshalYAML() (any, error) {
	if l.plain() {
		return l[0].Repeat, nil
	}
	fields, list := l.form().fields(), &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, e := range l {
		own := map[string]any{}
		maps.Copy(own, e.Own)
		if e.Kind != "" {
			own["kind"] = e.Kind
		}
		if e.Repeat > 1 {
			own["repeat"] = e.Repeat
		}
		list.Content = append(list.Content, fields.Mapping(own))
	}
	return list, nil
}
