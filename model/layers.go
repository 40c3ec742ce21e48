package model

import (
	"slices"

	"github.com/attnconv/attnconv/internal/strict"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc"
)

// Blocks lists the kinds of blocks. To add one, write its file and its line here; a program that imports this module
// calls RegisterBlock.
var Blocks = option.List[BlockKind]{attentionBlock, convBlock, depthwiseBlock, pointwiseBlock, convMixerBlock,
	mixerBlock, dclsBlock, convNeXtBlock}

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
func specFields() strict.Fields { return settings.All() }

// Keys lists the keys of a spec in YAML, in their order.
func Keys() []string { return specFields().Keys() }

// layerFields are those that an entry of the list of blocks may have.
func layerFields() strict.Fields {
	return slices.DeleteFunc(slices.Clone(specFields()), func(f strict.Field) bool {
		if g, own := settings.GroupOf(f.Key); own && g.What == networkKind {
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
