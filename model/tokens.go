package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc"
)

// tokens is a kind of network that makes tokens of an image's pixels and mixes them in blocks, which are of the kind
// called block, or, if it is mixed, of any. options are its own.
func tokens(name, help, block string, mixed bool, options string) Kind {
	own := func(s Spec) Spec {
		if !strings.Contains(options, "absolute") {
			s.Absolute = Default().Absolute
		}
		return s
	}
	return Kind{
		Name: name, Help: help, Block: block, Mixed: mixed, Reads: options, Size: "model.dim",
		Check:  func(spec Spec, blocks []BlockSpec) error { return checkTokens(own(spec), blocks) },
		New:    func(s nn.Scope, spec Spec, blocks []BlockSpec) nn.Layer { return newStack(s, own(spec), blocks) },
		Stem:   tokenStem,
		Words:  Spec.tokensWords,
		Weight: "classifier.weight",
		Infer:  func(w ckpt.Shapes, s Spec) (Spec, error) { return inferTokens(w, s, name, block, mixed) },
		Freeze: Blocks.Find(block).Freeze,
	}
}

// newStack returns the network of the blocks. Tokens are put into rows and columns, and back, between blocks that take
// them so and others.
func newStack(s nn.Scope, spec Spec, blocks []BlockSpec) *attention.Stack {
	var makers []func(nn.Scope) nn.Layer
	onGrid := false
	for _, b := range blocks {
		change := b.Kind.Grid != onGrid
		onGrid = b.Kind.Grid
		makers = append(makers, func(s nn.Scope) nn.Layer {
			switch block := b.Kind.New(s, b); {
			case !change:
				return block
			case b.Kind.Grid:
				return nn.Seq{nn.AsGrid(spec.Grid()), block}
			default:
				return nn.Seq{nn.AsTokens{}, block}
			}
		})
	}
	absolute := posenc.Absolutes.Find(spec.Absolute)
	return attention.NewStack(s, attention.StackOptions{
		Norm: preNorm(blocks), Readout: spec.readout(blocks),
		Grid: spec.Grid(), Channels: spec.Image[2], Pool: spec.Pool, Dim: spec.Dim, Classes: spec.Classes,
		Absolute: absolute.New, Early: absolute.WithToken, Stem: spec.stem(), Embed: spec.embed(),
	}, makers)
}

// Padded is the rows and columns of the image that the tokens of a network cover, and whether zeros fill its last
// tokens. Convolutions that make tokens have zeros all around the image, which are not counted.
func (s Spec) Padded() (rows, cols int, padded bool) {
	if s.Pool < 1 { // of settings that nothing has validated
		return s.Image[0], s.Image[1], false
	}
	g := s.Grid()
	rows, cols = g.Rows*s.Pool, g.Cols*s.Pool
	return rows, cols, !s.convolves() && (rows != s.Image[0] || cols != s.Image[1])
}

func checkTokens(s Spec, blocks []BlockSpec) error {
	if s.Pool > max(s.Image[0], s.Image[1]) {
		return option.Errorf("model.pool", "%d: is larger than the image of %d × %d pixels", s.Pool, s.Image[0],
			s.Image[1])
	}
	if n := s.Grid().Rows * s.Grid().Cols; n > maxTokens {
		return option.Errorf("model.pool", "%d: makes %d tokens of an image of %d × %d; want at most %d",
			s.Pool, n, s.Image[0], s.Image[1], maxTokens)
	}
	if err := cmp.Or(s.checkStemPool(), s.checkReadout(blocks)); err != nil {
		return err
	}
	for _, b := range blocks {
		if err := b.Kind.Check(b); err != nil {
			return err
		}
	}
	return nil
}

// tokensWords is ": 2 × conv of 9 taps, 4 × quadratic of 9 heads, dim 96, 64 tokens".
func (s Spec) tokensWords(blocks []BlockSpec) string {
	text := ":"
	for i := 0; i < len(blocks); {
		words, n := blocks[i].Kind.Words(blocks[i]), 1
		for i+n < len(blocks) && blocks[i+n].Kind.Words(blocks[i+n]) == words {
			n++
		}
		text += fmt.Sprintf(" %d × %s,", n, words)
		i += n
	}
	text = fmt.Sprintf("%s dim %d, %d tokens", text, s.Dim, s.Grid().Rows*s.Grid().Cols)
	if s.convolves() {
		text += " of a stem of convolutions"
	}
	if s.Stem == normed {
		text += " of patches with batch norm"
	}
	if rows, cols, padded := s.Padded(); padded {
		text += fmt.Sprintf(", images padded to %d × %d", rows, cols)
	}
	return text
}

// inferTokens infers a network of tokens that is called kind where its blocks are of the kind called block, or, if it
// is mixed, one of them is.
func inferTokens(w ckpt.Shapes, s Spec, kind, block string, mixed bool) (Spec, error) {
	s.Kind = kind
	s.Dim = w.At("classifier.weight", 1)
	s.Pool = int(math.Sqrt(float64(w.At("features_upscale.weight", 1) / max(1, s.Image[2]))))
	s.Classes = w.At("classifier.weight", 0)
	s = inferStem(w, s)
	if w.Has("position_embeddings.weight") {
		s.Absolute = "learned"
	}
	s = inferReadout(w, s)
	if s.ClassToken() && s.Pool > 0 { // a stem too small for an image's channels has no pool
		if g := s.Grid(); w.At("position_embeddings.weight", 0) == g.Rows*g.Cols+1 {
			s.Absolute = "learned-all"
		}
	}
	blocks, own, err := blocksOf(w, kind, block, mixed)
	if err != nil {
		return s, err
	}
	heads, known := headsOf(blocks, s.Dim)
	if known {
		s.Heads = heads.Short()
	}
	infer := func(i int, base Spec) Spec {
		b := blocks[i]
		if b.kind.Infer == nil { // of a registered kind: its options have their defaults
			return base
		}
		n := 0
		if known {
			n = heads[i]
		}
		if ffn := b.layer.At("intermediate.dense.weight", 0); ffn > 0 {
			base.FFN = ffn
		}
		return b.kind.Infer(b.weights, base, n)
	}
	s = infer(own, s)
	s.Layers = nil
	for i, b := range blocks {
		e := Block{Repeat: 1, Own: specFields().Unlike(infer(i, s), s)}
		if b.kind.Name != block {
			e.Kind = b.kind.Name
		}
		s.Layers = s.Layers.Plus(e)
	}
	return s, nil
}

// A foundBlock is the weights of a block, whose kind they tell.
type foundBlock struct {
	kind    *BlockKind
	layer   ckpt.Shapes // of the block
	weights ckpt.Shapes // of what mixes its tokens, or of the block where its kind has no such part
}

// blocksOf returns the blocks of a network of tokens, and which is the first of the kind called block. If the network
// is mixed, and no block is of that kind, it is the first block of all.
func blocksOf(w ckpt.Shapes, kind, block string, mixed bool) (all []foundBlock, own int, err error) {
	own = -1
	for i := range maxLayers {
		b, ok := blockAt(w.In("encoder.layer." + strconv.Itoa(i) + "."))
		if !ok {
			break
		}
		if b.kind.Name == block && own < 0 {
			own = i
		} else if b.kind.Name != block && !mixed {
			return nil, 0, fmt.Errorf("encoder.layer.%d is no %s", i, Blocks.Find(block).Help)
		}
		all = append(all, b)
	}
	convolutions := func(b foundBlock) bool { return b.kind.Name == convBlock.Name } // a network of its own
	if own < 0 && mixed && slices.ContainsFunc(all, func(b foundBlock) bool { return !convolutions(b) }) {
		own = 0
	}
	if own < 0 {
		err = fmt.Errorf("no tensor is called encoder.layer.0.attention.self.%s", Blocks.Find(block).Weight)
	}
	return all, own, err
}

// blockAt returns the block of those weights; false where they tell no kind.
func blockAt(layer ckpt.Shapes) (foundBlock, bool) {
	for _, weights := range []ckpt.Shapes{layer.In("attention.self."), layer} {
		of := slices.IndexFunc(Blocks, func(k BlockKind) bool { return k.Weight != "" && weights.Has(k.Weight) })
		if of >= 0 {
			return foundBlock{&Blocks[of], layer, weights}, true
		}
	}
	return foundBlock{}, false
}

// headsOf returns how many heads each block has, and whether all are known. A block without heads has as many as
// another one.
func headsOf(blocks []foundBlock, dim int) (heads Ints, known bool) {
	last := 0
	for _, b := range blocks {
		if b.kind.Heads != nil {
			last = b.kind.Heads(b.weights, dim)
		}
		heads = append(heads, last)
	}
	for i := len(heads) - 2; i >= 0; i-- {
		if blocks[i].kind.Heads == nil && heads[i] == 0 {
			heads[i] = heads[i+1]
		}
	}
	return heads, !slices.Contains(heads, 0)
}
