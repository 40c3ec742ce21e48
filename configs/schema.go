package configs

import (
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/internal/own"
	"github.com/attnconv/attnconv/internal/strict"
	"github.com/attnconv/attnconv/option"
)

// A field is one value of a Run: a leaf of the YAML file.
type field struct {
	key    string // dotted, as in train.lr
	index  []int  // where it is in Run, for reflect; of an option that a kind brings, the struct that has it
	typ    reflect.Type
	option *own.Option // that a registered kind brings; nil: a field of the program's
	of     strict.Field
}

// in returns the value of f in a Run.
func (f field) in(r reflect.Value) reflect.Value {
	if v := r.FieldByIndex(f.index); f.option == nil {
		return v
	} else {
		return reflect.ValueOf(f.of.Of(v))
	}
}

// set sets the value of f in a Run, which can be set, from YAML.
func (f field) set(r reflect.Value, n *yaml.Node) error {
	v := r.FieldByIndex(f.index)
	if f.option == nil {
		return strict.Set(v, n)
	}
	x := reflect.New(f.typ).Elem()
	if err := strict.Set(x, n); err != nil {
		return err
	}
	f.of.Set(v, x.Interface())
	return nil
}

// sections are the parts of a Run to which registered kinds add options.
var sections = []*own.Settings{own.Section("model"), own.Section("data"), own.Section("train")}

// A schema is all the values that a Run has in a program with its registered kinds.
type schema struct {
	options []own.Option     // that kinds bring
	fields  []field          // in the order in which config.yaml lists them
	byKey   map[string]field // by their dotted keys
}

// builtIn are the values without registered kinds.
var builtIn = newSchema(leaves(reflect.TypeFor[Run](), "", nil), nil)

func newSchema(fields []field, options []own.Option) *schema {
	s := &schema{options, fields, make(map[string]field, len(fields))}
	for _, f := range fields {
		s.byKey[f.key] = f
	}
	return s
}

// latest is the schema that was asked for last: kinds are registered before anything is read.
var latest atomic.Pointer[schema]

// current returns the schema with the options of the kinds that are registered now: a kind's are the last of its
// section.
func current() *schema {
	var options []own.Option
	for _, s := range sections {
		options = append(options, s.Options()...)
	}
	if len(options) == 0 {
		return builtIn
	}
	same := func(a, b own.Option) bool { return a.Group == b.Group && a.Key == b.Key }
	if s := latest.Load(); s != nil && slices.EqualFunc(s.options, options, same) {
		return s
	}
	var all []field
	for i, f := range builtIn.fields {
		all = append(all, f)
		section, _, _ := strings.Cut(f.key, ".")
		if i+1 < len(builtIn.fields) && strings.HasPrefix(builtIn.fields[i+1].key, section+".") {
			continue
		}
		all = append(all, ownFields(section)...)
	}
	s := newSchema(all, options)
	latest.Store(s)
	return s
}

// ownFields are the values that registered kinds add to a section.
func ownFields(section string) (all []field) {
	at := slices.IndexFunc(sections, func(s *own.Settings) bool { return s.Section == section })
	if at < 0 {
		return nil
	}
	named := func(name string) bool { return strings.EqualFold(name, section) }
	part, _ := reflect.TypeFor[Run]().FieldByNameFunc(named)
	options := sections[at].Options()
	for i, f := range sections[at].Own() {
		all = append(all, field{key: section + "." + f.Key, index: part.Index, typ: f.Type, option: &options[i], of: f})
	}
	return all
}

// An Option is a setting that a registered kind brings.
type Option struct {
	Key  string // model.window_side
	Flag string // window-side
	Kind string // encoding window
	Help string

	Choices []string     // nil: any value of its type
	Type    reflect.Type // string, bool, int, uint64 or float64, or a slice or an array of one
}

// Meta is what help calls the option's value.
func (o Option) Meta() string {
	switch k := o.Type.Kind(); {
	case k == reflect.Slice || k == reflect.Array:
		return "LIST"
	case k == reflect.Bool:
		return "true|false"
	case k == reflect.String && o.Choices != nil:
		return "NAME"
	case k == reflect.String:
		return "TEXT"
	case k == reflect.Float64:
		return "X"
	}
	return "N"
}

// Options lists the settings that registered kinds bring, in the order of the file.
func Options() (all []Option) {
	for _, f := range current().fields {
		if o := f.option; o != nil {
			all = append(all, Option{f.key, strings.ReplaceAll(o.Key, "_", "-"), o.Group.What + " " + o.Group.Name,
				o.Help, o.Choices, o.Type})
		}
	}
	return all
}

// uses reports whether f has a part in r: an option of a registered kind has one only where the kind is chosen, so that
// other runs do not need the kind.
func (r Run) uses(f field) bool {
	if f.option == nil {
		return true
	}
	section, key, _ := strings.Cut(f.key, ".")
	switch section {
	case "model":
		return r.Model.Uses(key)
	case "data":
		return own.Section("data").Uses(r.Data, key)
	}
	return r.Train.Uses(key)
}

func leaves(t reflect.Type, prefix string, index []int) []field {
	var all []field
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		if name == "-" { // no setting
			continue
		}
		at := append(append([]int(nil), index...), i)
		if typ := t.Field(i).Type; typ.Kind() == reflect.Struct && !strict.Own(typ) {
			all = append(all, leaves(typ, prefix+name+".", at)...)
		} else {
			all = append(all, field{key: prefix + name, index: at, typ: typ})
		}
	}
	return all
}

// Keys lists the dotted keys of all values, in the order of the file.
func Keys() []string {
	fields := current().fields
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.key
	}
	return keys
}

// isSection reports whether key names a group of values, such as train.
func isSection(key string) bool {
	for _, f := range current().fields {
		if rest, ok := strings.CutPrefix(f.key, key); ok && strings.HasPrefix(rest, ".") {
			return true
		}
	}
	return false
}

// synonyms are names from other programs, the reference's among them, and what they are called here. The spelling of
// these is too far from ours for Nearest.
var synonyms = map[string]string{
	"learning_rate": "train.lr", "optimizer_learning_rate": "train.lr",
	"batch_size": "train.batch", "num_epochs": "train.epochs", "max_epochs": "train.epochs",
	"wd": "train.weight_decay", "optimizer_momentum": "train.momentum", "optimizer_weight_decay": "train.weight_decay",
	"warmup_ratio": "train.warmup", "optimizer_warmup_ratio": "train.warmup", "grad_clip": "train.clip",
	"hidden_size": "model.dim", "embed_dim": "model.dim", "d_model": "model.dim", "intermediate_size": "model.ffn",
	"depth": "model.layers", "num_layers": "model.layers", "num_hidden_layers": "model.layers",
	"num_heads": "model.heads", "num_attention_heads": "model.heads", "hidden_dropout_prob": "model.dropout",
	"attention_probs_dropout_prob": "model.attention_dropout", "pooling_concatenate_size": "model.pool",
	"num_classes": "model.classes", "model_type": "model.kind", "dataset": "data.name", "augmentation": "data.augment",
}

// Synonym returns the key of the value that other programs call name, or "".
func Synonym(name string) string { return synonyms[strings.ReplaceAll(name, "-", "_")] }

// suggest returns a line of advice for a key that is none of ours, or for a group of keys; or "".
func suggest(key string, group bool) string {
	if group {
		return "the groups of keys are model, data and train"
	}
	near := nearestKey(key)
	if near == "" {
		return ""
	}
	return `did you mean "` + near + `"?`
}

// nearestKey is the key that was most likely meant by one that is none of ours, or "".
func nearestKey(key string) string {
	last := key[strings.LastIndexByte(key, '.')+1:]
	near := Synonym(last)
	if near == "" {
		for _, f := range current().fields { // the right name in the wrong section
			if strings.HasSuffix(f.key, "."+last) {
				near = f.key
				break
			}
		}
	}
	if near == "" {
		near = option.Nearest(key, Keys())
	}
	if near == "" {
		for _, f := range current().fields {
			if name := f.key[strings.LastIndexByte(f.key, '.')+1:]; option.Nearest(last, []string{name}) != "" {
				near = f.key
				break
			}
		}
	}
	return near
}

// aliases are other words for a value; files and flags may use them, config.yaml never does.
var aliases = map[string]map[string]string{
	"model.encoding": {
		"gaussian":              "quadratic",
		"generalized":           "quadratic-general",
		"generalised":           "quadratic-general",
		"quadratic-generalized": "quadratic-general",
		"quadratic-generalised": "quadratic-general",
		"learned-content":       "content",
		"content-based":         "content",
	},
}

// Canonical returns the word that an alias of a setting's value stands for, and any other word as it is.
func Canonical(key, word string) string {
	if known, ok := aliases[key][word]; ok {
		return known
	}
	return word
}

// canonical replaces an alias by the word it stands for, also in the entries of a list of blocks.
func canonical(key string, n *yaml.Node) {
	switch {
	case n.Kind == yaml.ScalarNode:
		n.Value = Canonical(key, n.Value)
	case key == "model.layers":
		for _, entry := range n.Content {
			for i := 0; i+1 < len(entry.Content); i += 2 {
				canonical("model."+entry.Content[i].Value, entry.Content[i+1])
			}
		}
	}
}
