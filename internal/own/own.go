// Package own is the options that registered kinds bring: of encodings, networks, blocks, data sets, solvers, schedules
// and losses. Their values are in a map next to the settings of the program, by key; what the map does not name has
// its default. A map is never changed in place, since settings are copied.
package own

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/attnconv/attnconv/option"
)

// A Group is the options of one kind.
type Group struct {
	What    string // what messages call the kind: encoding
	Key     string // the setting that chooses the kind, as in YAML: encoding
	Setting string // the same setting as messages call it: model.encoding
	Name    string // of the kind
	Options any    // a pointer to a struct with the defaults; nil: none
}

// An Option is one of them, as help shows it.
type Option struct {
	Key      string // with the kind's name in front: window_side
	Group    Group
	Help     string
	Choices  []string // nil: any value of its type
	Type     reflect.Type
	Default  any
	position int // in the struct
}

// Validator is implemented by options that have rules of their own.
type Validator interface{ Validate() error }

// prefix is what the keys of a kind's options begin with.
func (g Group) prefix() string { return strings.ReplaceAll(g.Name, "-", "_") + "_" }

var known sync.Map // Group -> []Option

// List returns the options of the group.
func (g Group) List() []Option {
	if g.Options == nil {
		return nil
	}
	if all, ok := known.Load(g); ok {
		return all.([]Option)
	}
	var all []Option
	v := reflect.ValueOf(g.Options).Elem()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		o := Option{Key: g.prefix() + tagName(f), Group: g, Help: f.Tag.Get("help"), Type: f.Type,
			Default: v.Field(i).Interface(), position: i}
		if words := f.Tag.Get("choice"); words != "" {
			o.Choices = strings.Split(words, ",")
		}
		all = append(all, o)
	}
	known.Store(g, all)
	return all
}

func tagName(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return key
}

// Read returns a pointer to a struct of the options' type with their values; nil where the kind has none. Values have
// the fields' types.
func (g Group) Read(values map[string]any) any {
	if g.Options == nil {
		return nil
	}
	from := reflect.ValueOf(g.Options).Elem()
	to := reflect.New(from.Type())
	to.Elem().Set(from)
	for _, o := range g.List() {
		if x, ok := values[o.Key]; ok {
			to.Elem().Field(o.position).Set(reflect.ValueOf(x))
		}
	}
	return to.Interface()
}

// Validate returns the first rule that the values break, as an *option.Error. key is what messages call an option, and
// chosen the setting that chose the kind.
func (g Group) Validate(values map[string]any, key func(string) string, chosen string) error {
	for _, o := range g.List() {
		if x, ok := values[o.Key].(string); ok && o.Choices != nil && !slices.Contains(o.Choices, x) {
			return option.Choice(key(o.Key), x, o.Choices)
		}
	}
	v, ok := g.Read(values).(Validator)
	if !ok {
		return nil
	}
	err := v.Validate()
	var bad *option.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &bad) && slices.Contains(g.Keys(), g.prefix()+bad.Key):
		named := *bad
		named.Key = key(g.prefix() + bad.Key)
		return &named
	}
	return option.Errorf(chosen, "%s: %s", g.Name, err)
}

var (
	nameForm = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	keyForm  = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
)

// mostName is the length of the longest name of a kind: names stand in tables, folders and flags.
const mostName = 32

// Keys lists the keys of the options.
func (g Group) Keys() (keys []string) {
	for _, o := range g.List() {
		keys = append(keys, o.Key)
	}
	return keys
}

// Check returns the first reason why a kind cannot be registered: a name that is taken or is none, or options that are
// no pointer to a struct of settings, or have a key that is taken.
func (g Group) Check(names, keys []string) error {
	switch {
	case len(g.Name) > mostName || !nameForm.MatchString(g.Name):
		return fmt.Errorf("%s %.100q: want a name of up to %d small letters and digits, with hyphens between words",
			g.What, g.Name, mostName)
	case slices.Contains(names, g.Name):
		return fmt.Errorf("%s %s: the name is taken; there are %s", g.What, g.Name, strings.Join(names, ", "))
	case g.Options == nil:
		return nil
	}
	p := reflect.ValueOf(g.Options)
	if p.Kind() != reflect.Pointer || p.IsNil() || p.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("%s %s: Options: want a pointer to a struct with the defaults, got %T", g.What, g.Name,
			g.Options)
	}
	seen := map[string]bool{}
	for i := range p.Elem().NumField() {
		f := p.Elem().Type().Field(i)
		if err := g.checkField(f, p.Elem().Field(i)); err != nil {
			return fmt.Errorf("%s %s: option %s: %w", g.What, g.Name, f.Name, err)
		}
		key := tagName(f)
		if seen[key] || slices.Contains(keys, g.prefix()+key) {
			return fmt.Errorf("%s %s: option %s: the key %s%s is taken", g.What, g.Name, f.Name, g.prefix(), key)
		}
		seen[key] = true
	}
	if v, ok := g.Options.(Validator); ok {
		if err := v.Validate(); err != nil {
			return fmt.Errorf("%s %s: its default options are refused: %w", g.What, g.Name, err)
		}
	}
	return nil
}

func (g Group) checkField(f reflect.StructField, v reflect.Value) error {
	words := f.Tag.Get("choice")
	switch {
	case !f.IsExported() || f.Anonymous:
		return errors.New("want exported fields only, and none embedded")
	case !keyForm.MatchString(tagName(f)):
		return fmt.Errorf(`want a tag such as yaml:"side", of small letters and digits with _ between words; got %.100q`, tagName(f))
	case !readable(f.Type):
		return fmt.Errorf("%s: want a string, bool, int, uint64 or float64, or a slice or an array of one", f.Type)
	case words != "" && f.Type.Kind() != reflect.String:
		return fmt.Errorf("%s: a choice is a string", f.Type)
	case words != "" && !slices.Contains(strings.Split(words, ","), v.String()):
		return fmt.Errorf("its default %q is not one of %s", v.String(), words)
	}
	return nil
}

// readable reports whether strict.Set reads values of a type.
func readable(t reflect.Type) bool {
	if k := t.Kind(); k == reflect.Slice || k == reflect.Array {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[string](), reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[uint64](),
		reflect.TypeFor[float64]():
		return true
	}
	return false
}
