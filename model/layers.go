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
	Own    map[string]any // options, by their keys in YAML and with the types that a Spec has for them
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
		if err := layerFields[2:].Check(b.Own, func(key string) string { return l.key(i, key) }); err != nil {
			return err
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

// The keys of entries: those of what is theirs alone, and of a Spec.
var (
	entryFields = strict.FieldsOf(reflect.TypeFor[struct {
		Kind   string `yaml:"kind"`
		Repeat int    `yaml:"repeat"`
	}]())
	specFields  = strict.FieldsOf(reflect.TypeFor[Spec]())
	layerFields = append(entryFields, slices.DeleteFunc(slices.Clone(specFields), func(f strict.Field) bool {
		return f.Key == "kind" || f.Key == "layers" // the network's
	})...)
)

// over returns s with the entry's options over its own.
func (b Block) over(s Spec) Spec {
	specFields.Put(&s, b.Own)
	return s
}

// Without returns the list with no option of that name in it.
func (l Layers) Without(option string) Layers {
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
		own := map[string]any{"kind": "", "repeat": 1}
		err := layerFields.Read(entry, at, func(f strict.Field, v reflect.Value) { own[f.Key] = v.Interface() })
		if err == nil {
			err = between(at+".repeat", own["repeat"].(int), 1, maxLayers)
		}
		if err != nil {
			return err
		}
		all[i] = Block{Kind: own["kind"].(string), Repeat: own["repeat"].(int)}
		delete(own, "kind")
		if delete(own, "repeat"); len(own) > 0 {
			all[i].Own = own
		}
	}
	*l = all
	return nil
}

// MarshalYAML writes a number where that says it all, else the list on one line.
func (l Layers) MarshalYAML() (any, error) {
	if l.plain() {
		return l[0].Repeat, nil
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, b := range l {
		own := map[string]any{}
		maps.Copy(own, b.Own)
		if b.Kind != "" {
			own["kind"] = b.Kind
		}
		if b.Repeat > 1 {
			own["repeat"] = b.Repeat
		}
		list.Content = append(list.Content, layerFields.Mapping(own))
	}
	return list, nil
}
