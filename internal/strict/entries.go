package strict

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/option"
)

// Entries are a list in which each entry may say a kind, how often it is repeated, and options. In YAML a number is
// short for so many entries that say nothing, and words may be short for entries:
//
//	6
//	conv*2,quadratic
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
	Words   []Word // short for entries; the first with a name counts
}

// A Word is short for an entry.
type Word struct {
	Name  string
	Entry Entry
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

// Check returns the first entry that breaks a rule of its own, before anything is counted, as an *option.Error.
func (l Entries[F]) Check() error {
	form := l.form()
	for i, e := range l {
		if e.Repeat < 0 || e.Repeat > form.Most {
			return option.Between(l.Key(i, "repeat"), e.Repeat, 1, form.Most)
		}
		if e.Kind != "" && !slices.Contains(form.Kinds, e.Kind) {
			return option.Choice(l.Key(i, "kind"), e.Kind, form.Kinds)
		}
		if err := form.Options.Check(e.Own, func(key string) string { return l.Key(i, key) }); err != nil {
			return err
		}
	}
	return option.Between(form.Key, l.Count(), 1, form.Most)
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
	form := l.form()
	list := "a whole number or a list of " + form.Items + " such as [{kind: conv, repeat: 2}, {repeat: 4}]"
	if len(form.Words) == 0 {
		return list
	}
	return list + ", or names such as conv*2,attention; the names are " + strings.Join(form.names(), ", ")
}

// names lists the words.
func (f Form) names() (names []string) {
	for _, w := range f.Words {
		if !slices.Contains(names, w.Name) {
			names = append(names, w.Name)
		}
	}
	return names
}

// UnmarshalYAML takes a number, words, or a list of entries. An error within the list is an *option.Error.
func (l *Entries[F]) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" && len(l.form().Words) > 0 {
		return l.fromWords(n)
	}
	if n.Kind != yaml.SequenceNode {
		var equal int
		if Set(reflect.ValueOf(&equal).Elem(), n) != nil {
			return fmt.Errorf("%s: want %s", QuoteNode(n), l.Wanted())
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

// fromWords reads words, each of which may say how often it is repeated: conv*2,quadratic.
func (l *Entries[F]) fromWords(n *yaml.Node) error {
	form, all := l.form(), Entries[F]{}
	for item := range strings.SplitSeq(n.Value, ",") {
		name, times, has := strings.Cut(strings.TrimSpace(item), "*")
		i := slices.IndexFunc(form.Words, func(w Word) bool { return w.Name == name })
		if i < 0 {
			hint := ""
			if near := option.Nearest(name, form.names()); near != "" {
				hint = fmt.Sprintf("\n  did you mean %q?", near)
			}
			return fmt.Errorf("%s: want %s%s", QuoteNode(n), l.Wanted(), hint)
		}
		e := form.Words[i].Entry
		e.Repeat = 1
		if has {
			var err error
			if e.Repeat, err = strconv.Atoi(times); err != nil || e.Repeat < 1 || e.Repeat > form.Most {
				return fmt.Errorf("%s: behind %s* want a number from 1 to %d", QuoteNode(n), name, form.Most)
			}
		}
		all = all.Plus(e)
	}
	*l = all
	return nil
}

// entry reads one entry, which messages call at.
func (f Form) entry(n *yaml.Node, at string) (e Entry, err error) {
	if n.Kind != yaml.MappingNode {
		return e, option.Errorf(at, "%s: want keys and values such as {kind: conv, repeat: 2}", QuoteNode(n))
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
	return e, option.Between(at+".repeat", e.Repeat, 1, f.Most)
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
