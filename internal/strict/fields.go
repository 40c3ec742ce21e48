package strict

import (
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/option"
)

// A Field is a setting in a struct, by its key in YAML.
type Field struct {
	Key   string
	Index int
	Type  reflect.Type
	// Default is nil for a field of the struct. Otherwise the setting is an option that a kind brings: field number
	// Index is a map[string]any from keys to values, and what is not in it has the default.
	Default any
}

// Of returns the setting's value in struct v.
func (f Field) Of(v reflect.Value) any {
	if f.Default == nil {
		return v.Field(f.Index).Interface()
	}
	if x, ok := v.Field(f.Index).Interface().(map[string]any)[f.Key]; ok {
		return x
	}
	return f.Default
}

// Set changes the setting in struct v to x, which has the field's type. Copies of the struct keep their values.
func (f Field) Set(v reflect.Value, x any) {
	if f.Default == nil {
		v.Field(f.Index).Set(reflect.ValueOf(x))
		return
	}
	own := maps.Clone(v.Field(f.Index).Interface().(map[string]any))
	if own == nil {
		own = map[string]any{}
	}
	own[f.Key] = x
	if reflect.DeepEqual(x, f.Default) {
		delete(own, f.Key)
	}
	if len(own) == 0 {
		own = nil
	}
	v.Field(f.Index).Set(reflect.ValueOf(own))
}

// Fields are the settings in a struct, in its order.
type Fields []Field

// FieldsOf returns the fields of struct type t, without those whose key is "-": they are no settings.
func FieldsOf(t reflect.Type) (all Fields) {
	for f := range t.Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if key != "-" {
			all = append(all, Field{Key: key, Index: f.Index[0], Type: f.Type})
		}
	}
	return all
}

// Keys lists the keys.
func (f Fields) Keys() []string {
	keys := make([]string, len(f))
	for i, field := range f {
		keys[i] = field.Key
	}
	return keys
}

// Words yields the keys of mapping n with their values, without values that are lists or mappings.
func Words(n *yaml.Node) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		for i := 0; n != nil && i+1 < len(n.Content); i += 2 {
			if value := n.Content[i+1]; value.Kind == yaml.ScalarNode && !yield(n.Content[i].Value, value.Value) {
				return
			}
		}
	}
}

// Read calls take with the value of each key in mapping n. A key that no field has, or that comes twice, is an
// *option.Error, and so is a value of the wrong type. at is what messages call the mapping.
func (f Fields) Read(n *yaml.Node, at string, take func(Field, reflect.Value)) error {
	keys, seen := f.Keys(), map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i].Value
		k := slices.Index(keys, key)
		switch {
		case k < 0:
			hint := ""
			if near := option.Nearest(key, keys); near != "" {
				hint = "\n  did you mean \"" + at + "." + near + "\"?"
			}
			return option.Errorf(at, "unknown key \"%s.%.100s\"%s", at, key, hint)
		case seen[key]:
			return option.Errorf(at+"."+key, "is given twice")
		}
		seen[key] = true
		v := reflect.New(f[k].Type).Elem()
		if err := Set(v, n.Content[i+1]); err != nil {
			return option.Errorf(at+"."+key, "%s", err)
		}
		take(f[k], v)
	}
	return nil
}

// Into sets the fields of the struct that to points to from mapping n, as Read reads it. Those that n does not name
// stay.
func (f Fields) Into(to any, n *yaml.Node, at string) error {
	return f.Read(n, at, func(field Field, v reflect.Value) { field.Set(reflect.ValueOf(to).Elem(), v.Interface()) })
}

// Put sets the fields of the struct that to points to whose values own has, by key. They have the fields' types.
func (f Fields) Put(to any, own map[string]any) {
	v := reflect.ValueOf(to).Elem()
	for _, field := range f {
		if x, ok := own[field.Key]; ok {
			field.Set(v, x)
		}
	}
}

// Check returns the first value of own, in the order of the fields, that has no field's key or the wrong type, as an
// *option.Error.
func (f Fields) Check(own map[string]any, key func(string) string) error {
	for _, k := range slices.Sorted(maps.Keys(own)) {
		i := slices.Index(f.Keys(), k)
		if i < 0 {
			return option.Choice(key(k), k, f.Keys())
		}
		if reflect.TypeOf(own[k]) != f[i].Type {
			return option.Errorf(key(k), "%v: want %s", own[k], DescribeType(f[i].Type))
		}
	}
	return nil
}

// Unlike returns the values of struct a that are not those of b, by key; nil: there are none.
func (f Fields) Unlike(a, b any) (own map[string]any) {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for _, field := range f {
		if v := field.Of(x); !reflect.DeepEqual(v, field.Of(y)) {
			if own == nil {
				own = map[string]any{}
			}
			own[field.Key] = v
		}
	}
	return own
}

// Mapping is the YAML of own on one line, in the order of the fields.
func (f Fields) Mapping(own map[string]any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	for _, field := range f {
		if v, ok := own[field.Key]; ok {
			n.Content = append(n.Content, Node(reflect.ValueOf(field.Key)), Node(reflect.ValueOf(v)))
		}
	}
	return n
}
