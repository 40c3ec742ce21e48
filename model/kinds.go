package model

import (
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/own"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// A Kind is one kind of network, and holds all that depends on it. Its functions take the settings of the network and
// those of each of its blocks.
type Kind struct {
	Name, Help string
	Block      string // a name in Blocks: the kind of its blocks; "" for a network that is no list of blocks
	Reads      string // keys of a Spec that have a part in it, beside those of its blocks and kind, classes and image
	// a pointer to a struct with the defaults of its own options (docs/extending.md), or nil
	Options  any
	Mixed    bool   // its blocks may be of other kinds, too
	Residual bool   // it is a conv.ResNet, which theorem.Sites takes
	Size     string // the key that says how wide it is

	New func(nn.Scope, Spec, []BlockSpec) nn.Layer
	// of a network that New has made; nil: model.stem_init has no part in it
	Stem  func(nn.Layer) Stem
	Check func(Spec, []BlockSpec) error  // returns the first rule that is broken, as an *option.Error
	Words func(Spec, []BlockSpec) string // says what the network is, behind its name
	// completes a spec by weights; an error where they are another network's
	Infer func(ckpt.Shapes, Spec) (Spec, error)

	Weight string            // a parameter by which such weights are known
	Freeze string            // what train.freeze takes of a network that has no heads
	Others *strings.Replacer // from other well-known names to the parameters' own; nil: there are none

	registered bool
}

// Registered reports whether the kind came by Register.
func (k Kind) Registered() bool { return k.registered }

// Entry implements option.Named.
func (k Kind) Entry() (name, help string) { return k.Name, k.Help }

// A BlockKind is one kind of block in a network of tokens, and holds all that depends on it.
type BlockKind struct {
	Name, Help string
	Reads      string // keys of a Spec that have a part in it
	// a pointer to a struct with the defaults of its own options (docs/extending.md), or nil
	Options any

	New   func(nn.Scope, BlockSpec) nn.Layer
	Check func(BlockSpec) error                       // returns the first rule that is broken, as an *option.Error
	Words func(BlockSpec) string                      // says what mixes the tokens
	Heads func(w ckpt.Shapes, dim int) int            // how many a layer of these weights has; 0 where nothing tells
	Infer func(w ckpt.Shapes, s Spec, heads int) Spec // completes a spec by a layer's weights

	Grid   bool   // it takes tokens in their rows and columns
	Weight string // a parameter by which its weights are known from those of other kinds
	Freeze string // what train.freeze takes of a block that has no heads; "" where it has
}

// settings are those of a Spec, and the options that registered kinds of encodings, blocks and networks bring. It is
// set by init because the tables refer to functions that ask it.
var settings *own.Settings

// Entry implements option.Named.
func (k BlockKind) Entry() (name, help string) { return k.Name, k.Help }

// has reports whether a key of a Spec is one of the block's options.
func (k BlockKind) has(key string) bool { return slices.Contains(k.Keys(), key) }

// Keys lists the keys of a Spec that are options of the block: a block with an encoding has those of every encoding.
func (k BlockKind) Keys() []string {
	keys := strings.Fields(k.Reads)
	for _, g := range settings.Groups() {
		if g.What == blockKind && g.Name == k.Name || g.What == encoding && slices.Contains(keys, encoding) {
			keys = append(keys, g.Keys()...)
		}
	}
	return keys
}

// The kinds with options of their own: encodings are those of posenc.Registry.
const (
	encoding    = "encoding"
	networkKind = "kind of network"
	blockKind   = "kind of block"
)

// A BlockSpec is the settings of one block: those of the network, and over them those of its entry in Layers.
type BlockSpec struct {
	Spec
	Kind  *BlockKind
	Heads int
	entry int
	// a class token has joined the tokens that it reads
	joined bool
}

// key is what messages call an option, where it is said.
func (b BlockSpec) key(option string) string {
	if _, own := b.Layers[b.entry].Own[option]; own {
		return b.Layers.Key(b.entry, option)
	}
	return "model." + option
}

// Attends reports whether the block has heads.
func (b BlockSpec) Attends() bool { return b.Kind.has("encoding") }

// Gaussian reports whether the heads of the block are Gaussians.
func (b BlockSpec) Gaussian() bool { return b.Attends() && b.encodingKind().Gaussian() }

func (s Spec) encodingKind() *posenc.Kind { return posenc.Kinds.Find(s.Encoding) }
