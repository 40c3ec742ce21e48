package model

import (
	"slices"

	"github.com/attnconv/attnconv/internal/strict"
	"github.com/attnconv/attnconv/posenc"
)

// Ints is one number for every layer, or a list with one number per layer. Short returns one number for equal ones.
type Ints = strict.Ints

// Layers are a network's blocks, in the order of computation. In YAML and on the command line a number is short for so
// many equal blocks, and words are short for kinds of blocks, and for attention with an encoding. The long form is a
// list, in which each entry may say a kind, how often it is repeated, and options:
//
//	layers: 6
//	layers: conv*2,quadratic
//	layers: [{kind: conv, repeat: 2, size: 3}, {repeat: 4, encoding: quadratic, heads: 9}]
//
// Count is the number of blocks and Check says what is wrong; Key is the key of an option of entry i in messages, and
// Wanted what a message asks for. Plus appends an entry, and Without returns entries that lack an option.
type Layers = strict.Entries[layers]

// A Block is an entry of Layers: Repeat equal blocks, of which 0 is one. Its Kind is a name in Blocks. Own are its
// options, by their keys in YAML; what it does not say is the network's own.
type Block = strict.Entry

// Equal returns n equal blocks, with the settings of the network.
func Equal(n int) Layers { return Layers{{Repeat: n}} }

type layers struct{}

// Form says what entries of Layers may hold: options of a Spec.
func (layers) Form() strict.Form {
	return strict.Form{Key: "model.layers", Items: "blocks", Most: maxLayers, Kinds: Blocks.Names(),
		Options: layerFields(), Words: layerWords()}
}

// layerWords are the kinds of blocks, the encodings as blocks of attention, and well-known blocks of attention by their
// names.
func layerWords() (words []strict.Word) {
	for _, kind := range Blocks.Names() {
		words = append(words, strict.Word{Name: kind, Entry: Block{Kind: kind}})
	}
	for _, name := range posenc.Kinds.Names() {
		words = append(words, attentionOf(name, map[string]any{encoding: name}))
	}
	return append(words,
		attentionOf("gpsa", map[string]any{encoding: "quadratic", "content": "gate", "heads_init": "grid-soft"}),
		attentionOf("vit", map[string]any{encoding: "content-only", "norm": pre}))
}

// attentionOf returns the word for a block of attention with some options.
func attentionOf(word string, own map[string]any) strict.Word {
	return strict.Word{Name: word, Entry: Block{Kind: attentionBlock.Name, Own: own}}
}

// specFields are the settings of a Spec, the options that registered kinds bring behind its own.
func specFields() strict.Fields { return Settings.All() }

// layerFields are those that an entry of the list of blocks may have.
func layerFields() strict.Fields {
	return slices.DeleteFunc(slices.Clone(specFields()), func(f strict.Field) bool {
		if g, own := Settings.GroupOf(f.Key); own && g.What == networkKind {
			return true
		}
		return f.Key == "kind" || f.Key == "layers" // the network's
	})
}

// with returns s with an entry's options over its own.
func (s Spec) with(own map[string]any) Spec {
	specFields().Put(&s, own)
	return s
}
