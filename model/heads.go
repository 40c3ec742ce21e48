package model

import (
	"slices"
	"strings"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/posenc"
)

// Values lists what heads may average. Combined, that is the tokens, and the head has one map from there to the output,
// the paper's W_val·W_out. Factored, it is the head's own values of HeadDim numbers, W_val·x, and the map behind the
// layer is W_out. auto is factored for encoding content-only, and else combined, as in the reference.
var Values = []string{"auto", "combined", "factored"}

// Masks lists how many images may share a mask of attention dropout: all of a batch, or each has its own. auto is a
// mask for each image where attention depends on the image, and else one for the batch, as in the reference's first
// version. (Its last one draws a mask for each image with learned positions.)
var Masks = []string{"auto", "batch", "image"}

// masks is s.AttentionMasks by its name of today: "image" was once called "picture".
func (s Spec) masks() string {
	if s.AttentionMasks == "picture" {
		return "image"
	}
	return s.AttentionMasks
}

func (s Spec) factored() bool {
	return s.Value == "factored" || s.Value == "auto" && s.Encoding == "content-only"
}

// headDim returns how many numbers the queries, keys and own values of a head have: head_dim, or, where that is 0, dim
// for combined values and dim/heads, rounded down, for factored ones.
func (s Spec) headDim(heads int) int {
	switch {
	case s.HeadDim > 0:
		return s.HeadDim
	case s.factored():
		return s.Dim / heads
	}
	return s.Dim
}

// validateHeads returns the first rule that s breaks of those for what heads compare and average.
func (s Spec) validateHeads(encoding *posenc.Kind) error {
	for _, c := range []struct {
		key, got string
		known    []string
	}{
		{"model.value", s.Value, Values}, {"model.attention_masks", s.masks(), Masks},
		{"model.absolute", s.Absolute, posenc.Absolutes.Names()},
	} {
		if !slices.Contains(c.known, c.got) {
			return invalid.Choice(c.key, c.got, c.known)
		}
	}
	switch side := max(s.Image[0], s.Image[1]) / s.Pool; {
	case s.HeadDim < 0 || s.HeadDim > maxWidth:
		return invalid.Errorf("model.head_dim", "%d: want 0 to %d", s.HeadDim, maxWidth)
	case s.HeadDim > 0 && !encoding.Queries && !s.factored():
		return invalid.Errorf("model.head_dim", "%d: heads of encoding %s have neither queries nor, without model.value "+
			"factored, values of their own", s.HeadDim, s.Encoding)
	case len(s.Terms) == 0:
		return invalid.Errorf("model.terms", "none: want one or more of %s", strings.Join(posenc.TermNames(), ", "))
	case !slices.Equal(s.Terms, posenc.TermNames()) && !encoding.Terms:
		return invalid.Errorf("model.terms", "%s: encoding %s has no terms to choose; relative has",
			strings.Join(s.Terms, ", "), s.Encoding)
	case encoding.Tables && s.MaxPosition < side:
		return invalid.Errorf("model.max_position", "%d: the image has up to %d tokens a side, and encoding %s learns "+
			"a table for no more; want at least %d, or a larger model.pool", s.MaxPosition, side, s.Encoding, side)
	}
	for i, t := range s.Terms {
		if !slices.Contains(posenc.TermNames(), t) {
			return invalid.Choice("model.terms", t, posenc.TermNames())
		}
		if slices.Contains(s.Terms[:i], t) {
			return invalid.Errorf("model.terms", "%s twice", t)
		}
	}
	for _, h := range s.Heads {
		switch d := s.headDim(h); {
		case d < 1:
			return invalid.Errorf("model.head_dim", "0: %d heads cannot share %d channels; say how many each has", h, s.Dim)
		case encoding.Tables && encoding.Queries && min(d, s.Dim) < 2:
			return invalid.Errorf("model.head_dim", "%d: encoding %s needs 2 or more channels, one for each axis", d, s.Encoding)
		}
	}
	return nil
}

// encodingOptions size the encoding of a layer with so many heads.
func (s Spec) encodingOptions(heads int) posenc.Options {
	return posenc.Options{
		Heads: heads, Dim: s.Dim, HeadDim: s.headDim(heads), MaxSide: s.MaxPosition, Terms: s.Terms,
	}
}

// stackOptions size the network.
func (s Spec) stackOptions() attention.StackOptions {
	o := attention.StackOptions{
		Rows: s.Image[0], Cols: s.Image[1], Channels: s.Image[2], Pool: s.Pool,
		Heads: s.Heads.Each(s.Layers), Dim: s.Dim, FFN: s.FFN, Classes: s.Classes,
		Dropout: s.Dropout, AttentionDropout: s.AttentionDropout,
		Masks: attention.Masks(slices.Index(Masks, s.masks())), Absolute: s.absolute().New,
	}
	if s.factored() {
		for _, h := range o.Heads {
			o.ValueDims = append(o.ValueDims, s.headDim(h))
		}
	}
	return o
}

func (s Spec) absolute() *posenc.AbsoluteKind { return posenc.Absolutes.Find(s.Absolute) }

func (s Spec) grid() posenc.Grid {
	return posenc.Grid{Rows: s.Image[0] / s.Pool, Cols: s.Image[1] / s.Pool}
}

// Params counts the parameters of the network without building it.
func (s Spec) Params() int {
	if o, ok := s.resNet(); ok {
		return o.Params()
	}
	d, position := s.Dim, posenc.Kinds.Find(s.Encoding).Params
	if s.isTwin() {
		s.Value, s.Absolute, position = "combined", "none", func(posenc.Options) int { return 0 }
	}
	n := s.Pool*s.Pool*s.Image[2]*d + d + s.absolute().Params(s.grid(), d) + d*s.Classes + s.Classes
	for _, h := range s.Heads.Each(s.Layers) {
		value := h*d*d + d + d*d + d // with the map behind
		if wide := h * s.headDim(h); s.factored() {
			value = d*wide + wide + wide*d + d
		}
		n += position(s.encodingOptions(h)) + value + 2*d + d*s.FFN + s.FFN + s.FFN*d + d + 2*d
	}
	return n
}
