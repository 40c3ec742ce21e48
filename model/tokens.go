package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/ckpt"
	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/nn"
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
		Name: name, Help: help, Block: block, Mixed: mixed, Reads: options, Size: "model.dim", Check: checkTokens,
		New:    func(s nn.Scope, spec Spec, blocks []BlockSpec) nn.Layer { return newStack(s, own(spec), blocks) },
		Stem:   tokenStem,
		Words:  Spec.tokensWords,
		Weight: "features_upscale.weight",
		Infer:  func(w ckpt.Shapes, s Spec) (Spec, error) { return inferTokens(w, s, name, block, mixed) },
		Freeze: Blocks.Find(block).Freeze,
	}
}

// newStack returns the network of the blocks. Tokens are put into rows and columns, and back, between blocks that take them
// so and others.
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
	return attention.NewStack(s, attention.StackOptions{
		Grid: spec.Grid(), Channels: spec.Image[2], Pool: spec.Pool, Dim: spec.Dim, Classes: spec.Classes,
		Absolute: posenc.Absolutes.Find(spec.Absolute).New, Stem: spec.stem(),
	}, makers)
}

// blockOptions size what all blocks have.
func (b BlockSpec) blockOptions() attention.BlockOptions {
	return attention.BlockOptions{Dim: b.Dim, Wide: b.Dim, FFN: b.FFN, Dropout: b.Dropout}
}

// Grid is the tokens of an image; those at its lower and right border may be padded.
func (s Spec) Grid() posenc.Grid {
	return posenc.Grid{Rows: (s.Image[0] + s.Pool - 1) / s.Pool, Cols: (s.Image[1] + s.Pool - 1) / s.Pool}
}

// Padded is the rows and columns of the image that the tokens of a network cover, and whether zeros fill its last tokens.
// Convolutions that make tokens have zeros all around the image, which are not counted.
func (s Spec) Padded() (rows, cols int, padded bool) {
	if s.Pool < 1 { // of settings that nothing has validated
		return s.Image[0], s.Image[1], false
	}
	g := s.Grid()
	rows, cols = g.Rows*s.Pool, g.Cols*s.Pool
	return rows, cols, !s.Convolves() && (rows != s.Image[0] || cols != s.Image[1])
}

func checkTokens(s Spec, blocks []BlockSpec) error {
	if s.Pool > max(s.Image[0], s.Image[1]) {
		return invalid.Errorf("model.pool", "%d: is larger than the image of %d × %d pixels", s.Pool, s.Image[0], s.Image[1])
	}
	if n := s.Grid().Rows * s.Grid().Cols; n > maxTokens {
		return invalid.Errorf("model.pool", "%d: makes %d tokens of an image of %d × %d; want at most %d",
			s.Pool, n, s.Image[0], s.Image[1], maxTokens)
	}
	if err := s.checkStemPool(); err != nil {
		return err
	}
	for _, b := range blocks {
		if b.Kind.Check == nil {
			continue
		}
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
		words, n := blocks[i].words(), 1
		for i+n < len(blocks) && blocks[i+n].words() == words {
			n++
		}
		text += fmt.Sprintf(" %d × %s,", n, words)
		i += n
	}
	text = fmt.Sprintf("%s dim %d, %d tokens", text, s.Dim, s.Grid().Rows*s.Grid().Cols)
	if s.Convolves() {
		text += " of a stem of convolutions"
	}
	if rows, cols, padded := s.Padded(); padded {
		text += fmt.Sprintf(", images padded to %d × %d", rows, cols)
	}
	return text
}

// inferTokens infers a network of tokens that is called kind where its blocks are of the kind called block, or, if it is mixed, one
// of them is.
func inferTokens(w ckpt.Shapes, s Spec, kind, block string, mixed bool) (Spec, error) {
	layer := func(i int) ckpt.Shapes { return w.In("encoder.layer." + strconv.Itoa(i) + ".") }
	s.Kind = kind
	s.Dim = w.At("features_upscale.weight", 0)
	s.Pool = int(math.Sqrt(float64(w.At("features_upscale.weight", 1) / max(1, s.Image[2]))))
	s.Classes = w.At("classifier.weight", 0)
	s = inferStem(w, s)
	if w.Has("position_embeddings.weight") {
		s.Absolute = "learned"
	}
	var blocks []BlockSpec
	var heads Ints
	own := -1 // the first block of the kind
	for i := 0; i < maxLayers; i++ {
		self := layer(i).In("attention.self.")
		of := slices.IndexFunc(Blocks, func(k BlockKind) bool { return k.Weight != "" && self.Has(k.Weight) })
		if of < 0 {
			break
		}
		if b := &Blocks[of]; b.Name == block && own < 0 {
			own = i
		} else if b.Name != block && !mixed {
			return s, fmt.Errorf("encoder.layer.%d is no %s", i, Blocks.Find(block).Help)
		}
		n := 0
		if count := Blocks[of].Heads; count != nil {
			n = count(self, s.Dim)
		}
		heads = append(heads, n)
		blocks = append(blocks, BlockSpec{Kind: &Blocks[of]})
	}
	if own < 0 {
		return s, errors.New("no tensor is called encoder.layer.0.attention.self." + Blocks.Find(block).Weight)
	}
	known := !slices.Contains(heads, 0)
	if known {
		s.Heads = heads.Short()
	}
	infer := func(i int, base Spec) Spec {
		if blocks[i].Kind.Infer == nil { // of a registered kind: its options have their defaults
			return base
		}
		n := 0
		if known {
			n = heads[i]
		}
		base.FFN = layer(i).At("intermediate.dense.weight", 0)
		return blocks[i].Kind.Infer(layer(i).In("attention.self."), base, n)
	}
	s = infer(own, s)
	s.Layers = nil
	for i, b := range blocks {
		e := Block{Repeat: 1, Own: specFields().Unlike(infer(i, s), s)}
		if b.Kind.Name != block {
			e.Kind = b.Kind.Name
		}
		s.Layers = s.Layers.Plus(e)
	}
	return s, nil
}
