package model

import (
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc"
)

// Contents lists what content has to do with scores of positions that images share.
var Contents = option.List[option.Item]{
	{Name: noContent, Help: "scores are those of the encoding"},
	{Name: "add", Help: "a product of query and key is added to the scores, before the softmax"},
	{Name: "gate", Help: "content and positions have a softmax each, and every head a gate between them (GPSA)"},
}

const noContent = "none"

// Temperatures lists the factors of scores before the softmax.
var Temperatures = option.List[option.Item]{
	{Name: "fixed", Help: "1, or 1/√d for products of vectors of d channels"},
	{Name: learned, Help: "that, times a learned factor for each head, which starts at 1"},
}

const learned = "learned"

// Norms lists where a block has its layer norms.
var Norms = option.List[option.Item]{
	{Name: "post", Help: "behind each sum with the residual, as in the paper"},
	{Name: pre, Help: "before attention and before the feed-forward part, and one behind the last block"},
	{Name: mid, Help: "as pre, and the residual goes on with the norm before the feed-forward part, as in CCT"},
}

const pre, mid = "pre", "mid"

// Readouts lists what is classified.
var Readouts = option.List[option.Item]{
	{Name: "mean", Help: "the mean of the tokens"},
	{Name: classToken, Help: "a class token, which joins before the last blocks that attend only by content"},
	{Name: "sequence", Help: "the mean of the tokens by learned weights (sequence pooling)"},
}

const classToken = "token"

// gateStart is the initial λ of gates, as in d'Ascoli et al. 2021: σ(1) = 0.73 of positions.
const gateStart = 1

// rule makes what joins the encoding of the block, with parameters in scope s of the layer.
func (b BlockSpec) rule(s nn.Scope) (r posenc.Rule) {
	r.Window = b.Window.op()
	o := b.encodingOptions()
	if b.Content != noContent {
		r.Content = posenc.NewContentOnly(s, o)
	}
	if b.Content == "gate" {
		r.Gate = s.Param("gate", nn.Const(gateStart), o.Heads)
	}
	if b.Temperature == learned {
		r.Factor = s.Param("temperature", nn.Const(1), o.Heads)
	}
	return r
}

// checkRule returns the first rule that breaks of what joins the encoding.
func (b BlockSpec) checkRule() error {
	encoding, grid := b.encodingKind(), b.Grid()
	if b.Content == noContent && b.Window.Size == 0 && b.Temperature != learned {
		return nil
	}
	if b.Content != noContent && encoding.Queries {
		return option.Errorf(b.key("content"), "%s: encoding %s reads the content by itself", b.Content, b.Encoding)
	}
	// a registered encoding with scores of its own
	if o := b.encodingOptions(); !encoding.Shares(o) && !encoding.Contents(o) {
		return option.Errorf(b.key("encoding"), "%s: has scores of its own kind, which take no window, content or "+
			"temperature", b.Encoding)
	}
	return b.Window.checkOn(b.key("window"), grid.Rows, grid.Cols)
}

// attentionWords is "quadratic of 9 heads, gated content, 5 × 5 windows".
func (b BlockSpec) attentionWords() string {
	text := fmt.Sprintf("%s of %d heads", b.Encoding, b.Heads)
	switch b.Content {
	case "add":
		text += " with content"
	case "gate":
		text += " gated with content"
	}
	if n := b.Window.Size; n > 0 {
		text += fmt.Sprintf(" in windows of %d × %d", n, n)
	}
	return text
}

// OnlyGaussian reports whether the block's attention follows from the centers and widths of its heads: no content, no
// window and no temperature joins them.
func (b BlockSpec) OnlyGaussian() bool {
	return b.Gaussian() && b.Content == noContent && b.Window.Size == 0 && b.Temperature != learned
}

// ReadsContent reports whether attention weights of the block depend on the image.
func (b BlockSpec) ReadsContent() bool {
	return b.Attends() && (b.encodingKind().Queries || b.Content != noContent)
}

// Factored reports whether heads have values of their own; see Values.
func (s Spec) Factored() bool {
	return s.Value == "factored" || s.Value == "auto" && s.encodingKind().OwnValues
}

// headDim returns how many elements the queries, keys and own values of a head have: head_dim, or, where that is 0, dim
// for combined values and dim/heads, rounded down, for factored ones.
func (b BlockSpec) headDim() int {
	switch {
	case b.HeadDim > 0:
		return b.HeadDim
	case b.Factored():
		return b.Dim / b.Heads
	}
	return b.Dim
}

// encodingOptions size the encoding of the block.
func (b BlockSpec) encodingOptions() posenc.Options {
	return posenc.Options{
		Heads: b.Heads, Dim: b.Dim, HeadDim: b.headDim(), MaxSide: b.MaxPosition, Terms: b.Terms,
		Own: posenc.Registry.Read(b.Encoding, b.Own),
	}
}

// blockOptions size what all blocks have.
func (b BlockSpec) blockOptions() attention.BlockOptions {
	return attention.BlockOptions{Dim: b.Dim, Wide: b.Dim, FFN: b.FFN, Dropout: b.Dropout, PreNorm: b.preNorm(),
		MidNorm: b.Norm == mid}
}

// convNeXt is the kind of blocks whose source norms the tokens behind the last one.
const convNeXt = "convnext"

// preNorm reports whether the tokens behind the last block have not been normed, and are normed then.
func preNorm(blocks []BlockSpec) bool {
	last := len(blocks) - 1
	return last >= 0 && (blocks[last].preNorm() || blocks[last].Kind.Name == convNeXt)
}

// preNorm reports whether the block norms what its parts read.
func (b BlockSpec) preNorm() bool { return b.Kind.has("norm") && b.Norm != Norms[0].Name }

// joins returns the block before which a class token joins: the first of the last blocks that attend only by content
// and to all keys. Positions of the grid have no place for it.
func joins(blocks []BlockSpec) int {
	i := len(blocks)
	for i > 0 && blocks[i-1].blind() {
		i--
	}
	return i
}

// blind reports whether the block's attention depends on no position.
func (b BlockSpec) blind() bool {
	return b.Attends() && b.Encoding == "content-only" && b.Window.Size == 0
}

func (s Spec) readout(blocks []BlockSpec) attention.ReadoutOptions {
	return attention.ReadoutOptions{
		Token: s.ClassToken(), Joins: joins(blocks), Sequence: s.Readout == "sequence",
	}
}

func (s Spec) checkReadout(blocks []BlockSpec) error {
	if s.ClassToken() && joins(blocks) == len(blocks) {
		return option.Errorf("model.readout", "%s: a class token can only join blocks that attend only by content; want "+
			"encoding content-only, without a window, in the last layers", s.Readout)
	}
	if posenc.Absolutes.Find(s.Absolute).WithToken && (!s.ClassToken() || joins(blocks) > 0) {
		return option.Errorf("model.absolute", "%s: has a vector for the class token, which must join before the first "+
			"layer; want model.readout %s, and encoding content-only without a window in all layers", s.Absolute, classToken)
	}
	return nil
}

// inferReadout completes a spec by the weights of a network of tokens.
func inferReadout(w ckpt.Shapes, s Spec) Spec {
	switch {
	case w.Has("class_token.weight"):
		s.Readout = classToken
	case w.Has("sequence_pool.weight"):
		s.Readout = "sequence"
	}
	if w.Has("encoder.LayerNorm.weight") {
		s.Norm = pre
	}
	return s
}

// inferRule completes a spec by a layer's parameters. own is the number of dimensions of each by name; those that are
// not the encoding's are removed.
func inferRule(own map[string]int, s Spec) Spec {
	take := func(names ...string) bool {
		has := !slices.ContainsFunc(names, func(n string) bool { return own[n] == 0 })
		for _, n := range names {
			if has {
				delete(own, n)
			}
		}
		return has
	}
	s.Content, s.Temperature = noContent, Temperatures[0].Name
	if take("temperature") {
		s.Temperature = learned
	}
	positions := own["attention_spreads"]+own["position_map.weight"]+own["head_keys_row.weight"]+
		own["relative_position_bias_table"] > 0
	if positions && take("query.weight", "query.bias", "key.weight", "key.bias") {
		s.Content = "add"
	}
	if take("gate") {
		s.Content = "gate"
	}
	return s
}

// SeesZeros reports whether zeros around the grid have a part of the attention, so that the weights of the tokens sum
// to less than 1.
func (b BlockSpec) SeesZeros() bool {
	w := b.Window.op()
	return b.Attends() && !w.All() && w.Border == op.ZeroBorder
}

// Joined reports whether a class token has joined the tokens, and has a part of the attention.
func (b BlockSpec) Joined() bool { return b.Attends() && b.joined }

// ClassToken reports whether a class token joins the tokens.
func (s Spec) ClassToken() bool { return s.Readout == classToken }

// grid is the tokens that the block's attention sees: those of the image, and a class token before them if it has
// joined.
func (b BlockSpec) grid() posenc.Grid {
	grid := b.Grid()
	if b.joined {
		return posenc.Grid{Rows: 1, Cols: grid.Rows*grid.Cols + 1}
	}
	return grid
}
