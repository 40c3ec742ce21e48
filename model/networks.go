package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/own"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/theorem"
)

// Kinds lists the networks. To add one, write its file and its line here; a program that imports this module calls
// Register.
var Kinds = option.List[Kind]{
	tokens("mhsa", "stack of multi-head self-attention", "attention", true,
		"layers dim pool absolute stem stem_init readout"),
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

// build makes the layers of the network in scope.
func (s Spec) build(scope nn.Scope) nn.Layer { return Kinds.Find(s.Kind).New(scope, s, s.Blocks()) }

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

// String says in a few words what the network is.
func (s Spec) String() string { return s.Kind + Kinds.Find(s.Kind).Words(s, s.Blocks()) }

// EncodingName is the encoding, or "" for a model that has none. Where blocks differ it is what mixes in each, joined
// by +.
func (s Spec) EncodingName() string {
	if s.attends() {
		return "quadratic"
	}
	blocks := s.Blocks()
	if !slices.ContainsFunc(blocks, BlockSpec.Attends) {
		return ""
	}
	var names []string
	for _, b := range blocks {
		name := b.Kind.Name
		if b.Attends() {
			name = b.Encoding
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, "+")
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
	if g, own := settings.GroupOf(setting); own {
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

// attends reports whether convolutions of a network without blocks are attention.
func (s Spec) attends() bool { return s.Convolution == ofHeads && s.Uses("convolution") }

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

// TokenSide is the side of a token in pixels; 0 where it differs between layers.
func (s Spec) TokenSide() int {
	if kind := Kinds.Find(s.Kind); kind != nil && kind.Block == "" {
		return 0
	}
	return s.Pool
}

// Params counts the parameters of the network from their shapes.
func (s Spec) Params() int {
	scope := nn.ShapesOnly()
	s.build(scope)
	return nn.CountLearned(scope.Params())
}

// Parts describes the network layer by layer, for one image, from the shapes of its parameters.
func (s Spec) Parts() []Part {
	scope := nn.ShapesOnly()
	parts, err := partsOf(s.build(scope), scope.Params(), s.Image)
	if err != nil {
		panic(err) // of shapes that Validate let pass
	}
	return parts
}

// MACs counts the multiply-adds of one image's forward pass.
func (s Spec) MACs() (sum MACs) {
	for _, p := range s.Parts() {
		sum = sum.plus(p.MACs)
	}
	return sum
}

// InitNote says how exact the initial convolutions of theorem-soft are, of the block with the worst condition number;
// "" for other initial weights.
func (s Spec) InitNote() (note string) {
	worst := 0.0
	for _, b := range s.Blocks() {
		if !b.Attends() || b.Init != theoremSoft {
			continue
		}
		if fit := theorem.OnTaps(side(b.Heads), b.headStart().Alpha()); fit.Condition > worst {
			worst = fit.Condition
			note = fmt.Sprintf("layers start as convolutions of heads with α = %.3g; condition number %.3g, "+
				"residual %.1g", b.headStart().Alpha(), fit.Condition, fit.Residual)
		}
	}
	return note
}
