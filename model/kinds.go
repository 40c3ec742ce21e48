package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/own"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
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

// Kinds lists the networks. To add one, write its file and its line here; a program that imports this module calls
// Register.
var Kinds = option.List[Kind]{
	tokens("mhsa", "stack of multi-head self-attention", "attention", true, "layers dim pool absolute stem stem_init readout"),
	tokens("conv-twin", "the same stack with a convolution for each attention layer", "conv", false,
		"layers dim pool stem stem_init readout"),
	resNet("resnet10", "residual network of 10 layers", 1, 1, 1, 1),
	resNet("resnet18", "residual network of 18 layers, the paper's baseline", 2, 2, 2, 2),
	resNet("resnet34", "residual network of 34 layers", 3, 4, 6, 3),
	resNet("resnet20", "residual network of 20 layers for small images: three stages", 3, 3, 3),
	resNet("resnet32", "residual network of 32 layers for small images", 5, 5, 5),
	resNet("resnet44", "residual network of 44 layers for small images", 7, 7, 7),
	resNet("resnet56", "residual network of 56 layers for small images", 9, 9, 9),
	convNet,
}

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

// Blocks lists the kinds of blocks. To add one, write its file and its line here; a program that imports this module
// calls RegisterBlock.
var Blocks = option.List[BlockKind]{attentionBlock, convBlock, depthwiseBlock, pointwiseBlock, convMixerBlock,
	mixerBlock}

// Entry implements option.Named.
func (k BlockKind) Entry() (name, help string) { return k.Name, k.Help }

// has reports whether a key of a Spec is one of the block's options.
func (k BlockKind) has(key string) bool { return slices.Contains(k.Keys(), key) }

// Keys lists the keys of a Spec that are options of the block: a block with an encoding has those of every encoding.
func (k BlockKind) Keys() []string {
	keys := strings.Fields(k.Reads)
	for _, g := range Settings.Groups() {
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

// Blocks returns the settings of each block, in the order of the network; none where it is no list of blocks.
func (s Spec) Blocks() (blocks []BlockSpec) {
	kind := Kinds.Find(s.Kind).Block
	if kind == "" {
		return nil
	}
	for i, e := range s.Layers {
		b := BlockSpec{Spec: s.with(e.Own), Kind: Blocks.Find(cmp.Or(e.Kind, kind)), entry: i}
		for range max(1, e.Repeat) {
			b.Heads = b.Spec.Heads[min(len(blocks), len(b.Spec.Heads)-1)]
			blocks = append(blocks, b)
		}
	}
	if s.ClassToken() {
		for i := joins(blocks); i < len(blocks); i++ {
			blocks[i].joined = true
		}
	}
	return blocks
}

// Attends reports whether the block has heads.
func (b BlockSpec) Attends() bool { return b.Kind.has("encoding") }

// Gaussian reports whether the heads of the block are Gaussians.
func (b BlockSpec) Gaussian() bool { return b.Attends() && b.encodingKind().Gaussian() }

// OnlyGaussian reports whether the block's attention follows from the centers and widths of its heads: no content, no
// window and no temperature joins them.
func (b BlockSpec) OnlyGaussian() bool {
	return b.Gaussian() && b.Content == noContent && b.Window.Size == 0 && b.Temperature != learned
}

// ReadsContent reports whether attention weights of the block depend on the image.
func (b BlockSpec) ReadsContent() bool {
	return b.Attends() && (b.encodingKind().Queries || b.Content != noContent)
}

// gaussian reports whether a block or a convolution has Gaussian heads.
func (s Spec) gaussian() bool {
	return s.attends() || slices.ContainsFunc(s.Blocks(), BlockSpec.Gaussian)
}

// ByImage reports whether attention weights depend on the image in some block.
func (s Spec) ByImage() bool {
	return slices.ContainsFunc(s.Blocks(), BlockSpec.ReadsContent)
}

// AllByImage reports whether the attention of every layer that attends depends on the image.
func (s Spec) AllByImage() bool {
	return s.ByImage() && !slices.ContainsFunc(s.Blocks(), func(b BlockSpec) bool {
		return b.Attends() && !b.ReadsContent()
	})
}

// Uses reports whether a setting, called as in YAML, has a part in the network of s: a residual network has no heads,
// and attention no width.
func (s Spec) Uses(setting string) bool {
	kind := Kinds.Find(s.Kind)
	if kind == nil {
		return false
	}
	if slices.Contains(strings.Fields("kind classes image "+kind.Reads), setting) {
		return true
	}
	if g, own := Settings.GroupOf(setting); own {
		return s.chooses(kind, g)
	}
	uses := func(name string) bool { block := Blocks.Find(name); return block != nil && block.has(setting) }
	return uses(kind.Block) || slices.ContainsFunc(s.Layers, func(b Block) bool {
		return kind.Block != "" &&
			uses(b.Kind)
	})
}

// chooses reports whether s, a network of that kind, is of the group's kind, or has a block or an encoding that is. s
// may break rules.
func (s Spec) chooses(kind *Kind, g own.Group) bool {
	if g.What == networkKind {
		return kind.Name == g.Name
	}
	return kind.Block != "" && slices.ContainsFunc(s.Layers, func(e Block) bool {
		block, name := Blocks.Find(cmp.Or(e.Kind, kind.Block)), s.Encoding
		if block == nil || g.What == blockKind {
			return block != nil && block.Name == g.Name
		}
		if own, said := e.Own[encoding].(string); said {
			name = own
		}
		return name == g.Name && slices.Contains(strings.Fields(block.Reads), encoding)
	})
}
