package configs

import (
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/internal/invalid"
)

// A field is one value of a Run: a leaf of the YAML file.
type field struct {
	key   string // dotted, as in train.lr
	index []int  // where it is in Run, for reflect
	typ   reflect.Type
}

// fields are all the values of a Run, in the order in which config.yaml lists them.
var fields = leaves(reflect.TypeFor[Run](), "", nil)

// byKey finds a field by its dotted key.
var byKey = func() map[string]field {
	m := make(map[string]field, len(fields))
	for _, f := range fields {
		m[f.key] = f
	}
	return m
}()

func leaves(t reflect.Type, prefix string, index []int) []field {
	var all []field
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		if name == "-" { // no setting
			continue
		}
		at := append(append([]int(nil), index...), i)
		if typ := t.Field(i).Type; typ.Kind() == reflect.Struct {
			all = append(all, leaves(typ, prefix+name+".", at)...)
		} else {
			all = append(all, field{key: prefix + name, index: at, typ: typ})
		}
	}
	return all
}

// Keys lists the dotted keys of all values, in the order of the file.
func Keys() []string {
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.key
	}
	return keys
}

// isSection reports whether key names a group of values, such as train.
func isSection(key string) bool {
	for _, f := range fields {
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
		for _, f := range fields { // the right name in the wrong section
			if strings.HasSuffix(f.key, "."+last) {
				near = f.key
				break
			}
		}
	}
	if near == "" {
		near = invalid.Nearest(key, Keys())
	}
	if near == "" {
		for _, f := range fields {
			if name := f.key[strings.LastIndexByte(f.key, '.')+1:]; invalid.Nearest(last, []string{name}) != "" {
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

// canonical replaces an alias by the word it stands for, in the entries of a list of blocks, too.
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
