package model

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/internal/strict"
)

// Layers are a network's blocks, in the order of computation. In YAML and on the command line a number is short for so many
// equal blocks; the long form is a list, in which each entry may say a kind, how often it is repeated, and options:
//
//	layers: 6
//	layers: [{kind: conv, repeat: 2, size: 3}, {repeat: 4, encoding: quadratic, heads: 9}]
type Layers []Block

// A Block is an entry of Layers. What it does not say is the network's own.
type Block struct {
	Kind   string         // a name in Blocks; "": that of the network
	Repeat int            // so many equal blocks; 0 is one
	Own    map[string]any // options, by their keys in YAML: an int, a float64, a string or a []string
}

// Equal returns n blocks that are the network's own.
func Equal(n int) Layers { return Layers{{Repeat: n}} }

// layersKey is the key of the list.
const layersKey = "model.layers"

// Depth returns how many blocks there are.
func (l Layers) Depth() (n int) {
	if l.plain() {
		return l[0].Repeat
	}
	for _, b := range l {
		n += max(1, b.Repeat)
	}
	return n
}

// plain reports whether a number says it all.
func (l Layers) plain() bool { return len(l) == 1 && l[0].Kind == "" && len(l[0].Own) == 0 }

// check returns the first entry that breaks a rule of its own, before anything is counted.
func (l Layers) check() error {
	for i, b := range l {
		if b.Repeat < 0 || b.Repeat > maxLayers {
			return between(l.key(i, "repeat"), b.Repeat, 1, maxLayers)
		}
		if b.Kind != "" {
			if err := Blocks.Check(l.key(i, "kind"), b.Kind); err != nil {
				return err
			}
		}
		for key, v := range b.Own {
			if typ := optionTypes[key]; typ == nil {
				return invalid.Choice(l.key(i, key), key, optionKeys)
			} else if reflect.TypeOf(v) != typ {
				return invalid.Errorf(l.key(i, key), "%v: want %s", v, strict.Wanted(typ))
			}
		}
	}
	return between(layersKey, l.Depth(), 1, maxLayers)
}

// key is what messages call an option of an entry.
func (l Layers) key(i int, option string) string {
	if l.plain() {
		return layersKey
	}
	return fmt.Sprintf("%s[%d].%s", layersKey, i, option)
}

// The options that entries may have: the keys of a Spec that are options of a kind of block, in the order of the Spec; and
// the type of their values. A block has one number of heads.
var optionKeys, optionTypes = func() (keys []string, types map[string]reflect.Type) {
	types = map[string]reflect.Type{}
	for _, f := range specFields {
		if slices.ContainsFunc(Blocks, func(k BlockKind) bool { return k.Has(f.key) }) {
			keys, types[f.key] = append(keys, f.key), f.typ
		}
	}
	types["heads"] = reflect.TypeFor[int]()
	return keys, types
}()

// over puts the entry's options over those of s.
func (b Block) over(s Spec) Spec {
	to := reflect.ValueOf(&s).Elem()
	for _, f := range specFields {
		if v, ok := b.Own[f.key]; ok && f.typ == optionTypes[f.key] {
			to.Field(f.index).Set(reflect.ValueOf(v))
		}
	}
	if heads, ok := b.Own["heads"].(int); ok {
		s.Heads = Ints{heads}
	}
	return s
}

// unlike returns the options of the kind, but for heads, whose values in s are not those of base.
func (k BlockKind) unlike(s, base Spec) (own map[string]any) {
	a, b := reflect.ValueOf(s), reflect.ValueOf(base)
	for _, f := range specFields {
		v := a.Field(f.index).Interface()
		if k.Has(f.key) && f.typ == optionTypes[f.key] && !reflect.DeepEqual(v, b.Field(f.index).Interface()) {
			if own == nil {
				own = map[string]any{}
			}
			own[f.key] = v
		}
	}
	return own
}

// without returns the list with no option of that name in it.
func (l Layers) without(option string) Layers {
	l = slices.Clone(l)
	for i := range l {
		l[i].Own = maps.Clone(l[i].Own)
		delete(l[i].Own, option)
	}
	return l
}

// String is the list as it is written in YAML, on one line.
func (l Layers) String() string {
	text, err := yaml.Marshal(l)
	if err != nil {
		panic(err) // numbers and words can always be written
	}
	return strings.TrimSpace(string(text))
}

// plus appends an entry, or repeats the last one where they are equal.
func (l Layers) plus(b Block) Layers {
	if n := len(l) - 1; n >= 0 && l[n].Kind == b.Kind && reflect.DeepEqual(l[n].Own, b.Own) {
		l[n].Repeat += b.Repeat
		return l
	}
	return append(l, b)
}

// Wanted implements strict.Setter.
func (*Layers) Wanted() string {
	return "a whole number or a list of blocks such as [{kind: conv, repeat: 2}, {repeat: 4}]"
}

// UnmarshalYAML takes a number, or a list of blocks. An error within the list is an *invalid.Error.
func (l *Layers) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		var equal int
		if strict.Set(reflect.ValueOf(&equal).Elem(), n) != nil {
			return fmt.Errorf("%s: want %s", strict.Shown(n), l.Wanted())
		}
		*l = Equal(equal)
		return nil
	}
	if len(n.Content) > maxLayers {
		return fmt.Errorf("a list of %d: want at most %d blocks", len(n.Content), maxLayers)
	}
	all := make(Layers, len(n.Content))
	for i, entry := range n.Content {
		at := layersKey + "[" + strconv.Itoa(i) + "]"
		if entry.Kind != yaml.MappingNode {
			return invalid.Errorf(at, "%s: want keys and values such as {kind: conv, repeat: 2}", strict.Shown(entry))
		}
		if err := all[i].read(at+".", entry); err != nil {
			return err
		}
	}
	*l = all
	return nil
}

// read takes the keys and values of an entry; at is what messages call it.
func (b *Block) read(at string, n *yaml.Node) error {
	b.Repeat = 1
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, n.Content[i+1]
		if seen[key] {
			return invalid.Errorf(at+key, "is given twice")
		}
		seen[key] = true
		var v reflect.Value
		switch typ := optionTypes[key]; {
		case key == "kind":
			v = reflect.ValueOf(&b.Kind).Elem()
		case key == "repeat":
			v = reflect.ValueOf(&b.Repeat).Elem()
		case typ != nil:
			v = reflect.New(typ).Elem()
		default:
			return invalid.Choice(strings.TrimSuffix(at, "."), key, append([]string{"kind", "repeat"}, optionKeys...))
		}
		if err := strict.Set(v, value); err != nil {
			return invalid.Errorf(at+key, "%s", err)
		}
		switch {
		case key == "repeat" && b.Repeat < 1:
			return between(at+key, b.Repeat, 1, maxLayers)
		case optionTypes[key] != nil:
			if b.Own == nil {
				b.Own = map[string]any{}
			}
			b.Own[key] = v.Interface()
		}
	}
	return nil
}

// MarshalYAML writes a number where that says it all, else the list on one line.
func (l Layers) MarshalYAML() (any, error) {
	if l.plain() {
		return l[0].Repeat, nil
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, b := range l {
		entry := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
		add := func(key string, v any) {
			entry.Content = append(entry.Content, strict.Node(reflect.ValueOf(key)), strict.Node(reflect.ValueOf(v)))
		}
		if b.Kind != "" {
			add("kind", b.Kind)
		}
		if b.Repeat > 1 {
			add("repeat", b.Repeat)
		}
		for _, key := range optionKeys {
			if v, ok := b.Own[key]; ok {
				add(key, v)
			}
		}
		list.Content = append(list.Content, entry)
	}
	return list, nil
}
