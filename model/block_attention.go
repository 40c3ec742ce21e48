package model

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc"
)

var attentionBlock = BlockKind{
	Name: "attention", Help: "multi-head self-attention",
	Reads: "encoding heads ffn dropout attention_dropout attention_masks max_position heads_init head_dim value qkv_bias " +
		"terms window content temperature norm init",
	Weight: "value.weight",
	New:    newAttention, Check: BlockSpec.checkAttention, Heads: countHeads, Infer: inferAttention,
	Words: BlockSpec.attentionWords,
}

func newAttention(s nn.Scope, b BlockSpec) nn.Layer {
	self, o := attention.MixScope(s), b.blockOptions()
	if !b.QKVBias {
		self = self.WithoutBias()
	}
	enc, wide := b.encoding(self), b.Heads*b.headDim()
	var mix *attention.SelfAttention
	if b.Factored() {
		mix, o.Wide = attention.NewSplit(self, enc, b.grid(), b.Heads, b.Dim, b.headDim(), b.AttentionDropout), wide
	} else {
		mix = attention.New(self, enc, b.grid(), b.Heads, b.Dim, b.Dim, b.AttentionDropout)
	}
	mix.Rule = b.rule(self)
	mix.Masks = attention.Masks(slices.Index(Masks.Names(), b.masks()))
	return attention.NewBlock(s, mix, o)
}

// encoding makes that of the block, whose heads start where it says.
func (b BlockSpec) encoding(s nn.Scope) posenc.Encoding {
	enc := b.encodingKind().Build(s, b.encodingOptions())
	if start := b.headStart(); start.OnGrid() {
		start.Place(enc.(posenc.Gaussian))
	}
	return enc
}

// Values lists what heads may average. Combined, that is the tokens, and the head has one map from there to the output,
// the paper's W_val·W_out. Factored, it is the head's own values of HeadDim elements, W_val·x, and the map behind the
// layer is W_out. auto is factored for encoding content-only, and else combined, as in the reference.
var Values = option.List[option.Word]{"auto", "combined", "factored"}

// Masks lists how many images may share a mask of attention dropout: all of a batch, or each has its own. auto is a
// mask for each image where attention depends on the image, and else one for the batch, as in the reference's first
// version. (Its last one draws a mask for each image with learned positions.)
var Masks = option.List[option.Word]{"auto", "batch", "image"}

// masks is s.AttentionMasks by its name of today: "image" was once called "picture".
func (s Spec) masks() string {
	if s.AttentionMasks == "picture" {
		return "image"
	}
	return s.AttentionMasks
}

func (b BlockSpec) checkAttention() error {
	encoding, terms := b.encodingKind(), posenc.TermNames()
	onGrid := b.drawnStart().OnGrid()
	grid := b.Grid()
	side := max(grid.Rows, grid.Cols)
	switch {
	case onGrid && !encoding.Gaussian():
		return option.Errorf(b.key("heads_init"),
			"%s: the heads of encoding %s have no centers: say heads_init random for these layers",
			b.HeadsInit, b.Encoding)
	case onGrid && !square(b.Heads):
		return option.Errorf(b.key("heads_init"), "%s: want square numbers of heads, such as 9; got %d", b.HeadsInit,
			b.Heads)
	case b.HeadDim > 0 && !b.ReadsContent() && !b.Factored():
		return option.Errorf(b.key("head_dim"),
			"%d: heads of encoding %s have neither queries nor, without model.value "+
				"factored, values of their own", b.HeadDim, b.Encoding)
	case !b.QKVBias && encoding.Queries && encoding.Registered():
		return option.Errorf(b.key("qkv_bias"), "false: encoding %s comes from another package and has its own maps",
			b.Encoding)
	case len(b.Terms) == 0:
		return option.Errorf(b.key("terms"), "none: want one or more of %s", strings.Join(terms, ", "))
	case !slices.Equal(b.Terms, terms) && !encoding.Terms:
		return option.Errorf(b.key("terms"), "%s: encoding %s has no terms to choose; relative has",
			strings.Join(b.Terms, ", "), b.Encoding)
	case encoding.Tables && b.MaxPosition < side:
		return option.Errorf(b.key("max_position"), "%d: the image has up to %d tokens a side, and encoding %s learns "+
			"a table for no more; want at least %d, or a larger model.pool", b.MaxPosition, side, b.Encoding, side)
	}
	if err := cmp.Or(b.checkRule(), b.checkInit()); err != nil {
		return err
	}
	for i, t := range b.Terms {
		if !slices.Contains(terms, t) {
			return option.Choice(b.key("terms"), t, terms)
		}
		if slices.Contains(b.Terms[:i], t) {
			return option.Errorf(b.key("terms"), "%s twice", t)
		}
	}
	switch d := b.headDim(); {
	case d < 1:
		return option.Errorf(b.key("head_dim"), "0: %d heads cannot share %d channels; say how many each has", b.Heads,
			b.Dim)
	case encoding.Tables && encoding.Queries && min(d, b.Dim) < 2:
		return option.Errorf(b.key("head_dim"), "%d: encoding %s needs 2 or more channels, one for each axis", d,
			b.Encoding)
	}
	return nil
}

// countHeads returns how many heads the layer of these weights has; 0 where nothing tells.
func countHeads(w ckpt.Shapes, dim int) int {
	table := w.At("row_embeddings.weight", 1) + w.At("col_embeddings.weight", 1)
	switch columns := w.At("value.weight", 1); {
	case w.Has("attention_centers"):
		return w.At("attention_centers", 0)
	case w.Has("position_map.weight"):
		return w.At("position_map.weight", 0)
	case w.Has("head_keys_row.weight"):
		return w.At("head_keys_row.weight", 0)
	case w.Has("relative_position_bias_table"):
		return w.At("relative_position_bias_table", 0)
	// content, not relative: half a table's vector for each half of a query
	case w.Has("query.weight") && table > 0 && !w.Has("row_key.weight"):
		return w.At("query.weight", 0) / table
	case columns > dim: // combined values: a map of dim channels for each head
		return columns / max(1, dim)
	}
	return 0
}

// inferAttention infers from a layer's weights its encoding, whether heads have values of their own, and how many
// elements a head has, where it is known how many heads there are.
func inferAttention(w ckpt.Shapes, s Spec, heads int) Spec {
	if rows := w.At("row_embeddings.weight", 0); rows > 0 {
		s.MaxPosition = (rows + 1) / 2
	}
	if shifts := w.At("relative_position_bias_table", 1); shifts > 0 {
		s.MaxPosition = (int(math.Sqrt(float64(shifts))) + 1) / 2
	}
	own := map[string]int{} // the number of dimensions, by name
	for name, shape := range w.All() {
		if !strings.HasPrefix(name, "value.") {
			own[name] = len(shape)
		}
	}
	s.QKVBias = w.Has("value.bias")
	if !s.QKVBias && own["query.weight"] > 0 && own["row_key.weight"]+own["key_bias"] == 0 {
		own["query.bias"], own["key.bias"] = 1, 1 // by which content is known from terms of relative
	}
	s = inferRule(own, s)
	s.Encoding, s.Terms = posenc.Infer(own, s.Encoding, s.Terms)
	wide, columns := w.At("value.weight", 0), w.At("value.weight", 1)
	factored := columns == s.Dim && (heads != 1 || wide != s.Dim)
	if factored != s.Factored() {
		s.Value = "combined"
		if factored {
			s.Value = "factored"
		}
	}
	if heads == 0 {
		return s
	}
	if !factored {
		wide = max(w.At("query.weight", 0), w.At("key.weight", 0))
	}
	if d := wide / heads; wide > 0 && d != (BlockSpec{Spec: s, Heads: heads}).headDim() {
		s.HeadDim = d
	}
	return s
}
