package model

import (
	"cmp"
	"strings"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc"
)

// Validate returns the first rule that s breaks, as an *option.Error.
func (s Spec) Validate() error {
	named := func(key string) string { return "model." + key }
	err := cmp.Or(Kinds.Check("model.kind", s.Kind), s.checkOptions(named), s.Layers.Check(),
		settings.Check(s.Own, named))
	if err != nil {
		return err
	}
	kind := Kinds.Find(s.Kind)
	if n := s.Layers.Count(); len(s.Heads) != 1 && len(s.Heads) != n {
		return option.Errorf("model.heads", "%v: want one number, or one for each of the %d layers", s.Heads, n)
	}
	if kind.Block != "" {
		err = s.checkEntries(kind)
	}
	if err := cmp.Or(err, s.checkStart()); err != nil {
		return err
	}
	if err := s.checkGroups(s.Blocks()); err != nil {
		return err
	}
	if err := cmp.Or(kind.Check(s, s.Blocks()), s.checkStem()); err != nil {
		return err
	}
	if n := s.Params(); n > maxParams {
		return option.Errorf(cmp.Or(kind.Size, "model.kind"),
			"is too large: the model would have %.1e parameters; want at most %.1e", float64(n), float64(maxParams))
	}
	return nil
}

// checkOptions returns the first rule that a single option breaks, where messages call it key(option).
func (s Spec) checkOptions(key func(string) string) error {
	err := cmp.Or(
		posenc.Kinds.Check(key("encoding"), s.Encoding), s.checkHeadsInit(key("heads_init")),
		Stems.Check(key("stem"), s.Stem), StemInits.Check(key("stem_init"), s.StemInit),
		Convolutions.Check(key("convolution"), s.Convolution), conv.Starts.Check(key("conv_init"), s.ConvInit),
		Shortcuts.Check(key("shortcut"), s.Shortcut), Borders.Check(key("border"), s.Border),
		Values.Check(key("value"), s.Value),
		Masks.Check(key("attention_masks"), s.masks()), posenc.Absolutes.Check(key("absolute"), s.Absolute),
		s.Window.check(key("window")), Contents.Check(key("content"), s.Content),
		Temperatures.Check(key("temperature"), s.Temperature), Norms.Check(key("norm"), s.Norm),
		Readouts.Check(key("readout"), s.Readout), Inits.Check(key("init"), s.Init),
		option.Between(key("dim"), s.Dim, 1, maxWidth), option.Between(key("ffn"), s.FFN, 1, maxWidth),
		option.Between(key("pool"), s.Pool, 1, maxSide), option.Between(key("width"), s.Width, 1, maxWidth/8),
		option.Between(key("classes"), s.Classes, 1, maxWidth),
		option.Between(key("max_position"), s.MaxPosition, 1, maxSide),
		option.Between(key("image"), s.Image[0], 1, maxSide), option.Between(key("image"), s.Image[1], 1, maxSide),
		option.Between(key("image"), s.Image[2], 1, maxWidth), option.Between(key("head_dim"), s.HeadDim, 0, maxWidth),
		option.Between(key("size"), s.Size, 0, maxSize), option.Between(key("dilation"), s.Dilation, 1, maxSide),
		option.Rate(key("dropout"), s.Dropout), option.Rate(key("attention_dropout"), s.AttentionDropout),
	)
	for _, h := range s.Heads {
		if err == nil && (h < 1 || h > maxWidth) {
			err = option.Errorf(key("heads"), "%v: want 1 to %d in every layer", s.Heads, maxWidth)
		}
	}
	return err
}

// checkEntries returns the first rule that an entry of the list of blocks breaks.
func (s Spec) checkEntries(kind *Kind) error {
	for i, e := range s.Layers {
		block := Blocks.Find(cmp.Or(e.Kind, kind.Block))
		if block.Name != kind.Block && !kind.Mixed {
			return option.Errorf(s.Layers.Key(i, "kind"),
				"%s: a %s has only blocks of kind %s; model.kind %s takes any",
				e.Kind, kind.Name, kind.Block, Default().Kind)
		}
		for _, key := range specFields().Keys() {
			if _, said := e.Own[key]; said && !block.has(key) {
				return option.Errorf(s.Layers.Key(i, key), "a block of kind %s has none; it has %s", block.Name,
					cmp.Or(strings.Join(block.Keys(), ", "), "no options"))
			}
		}
		if start, said := e.Own["heads_init"].(string); said && (isDonor(start) || isDonor(s.HeadsInit)) {
			return option.Errorf(s.Layers.Key(i, "heads_init"), "%s: the file of model.heads_init from:FILE has the heads "+
				"of all layers: want none here", start)
		}
		if heads, said := e.Own["heads"].(Ints); said && len(heads) != 1 {
			return option.Errorf(s.Layers.Key(i, "heads"), "%v: want one number, of each of the entry's blocks", heads)
		}
		if err := s.with(e.Own).checkOptions(func(option string) string {
			return s.Layers.Key(i,
				option)
		}); err != nil {
			return err
		}
	}
	return nil
}

func (s Spec) checkHeadsInit(key string) error {
	if isDonor(s.HeadsInit) {
		_, _, err := s.Donor()
		return err
	}
	return posenc.Starts.Check(key, s.HeadsInit, fromDonor+":FILE")
}

// checkStart returns the rule that heads which start on a grid break where no block has Gaussian ones.
func (s Spec) checkStart() error {
	if !isDonor(s.HeadsInit) && !s.drawnStart().OnGrid() || s.gaussian() {
		return nil
	}
	return option.Errorf("model.heads_init",
		"%s: only Gaussian heads have centers, of mhsa with encoding quadratic or quadratic-general, or of "+
			"model.convolution heads", s.HeadsInit)
}

// checkStem returns the rule that a stem to whiten breaks.
func (s Spec) checkStem() error {
	if !s.Whitens() {
		return nil
	}
	bad := func(format string, args ...any) error {
		return option.Errorf("model.stem_init", whitening+": "+format, args...)
	}
	kind := Kinds.Find(s.Kind)
	if kind.Stem == nil {
		return bad("a %s does not say what reads its pixels", kind.Name)
	}
	stem := kind.Stem(s.build(nn.ShapesOnly()))
	if n := stem.values(); n > maxPatch {
		return bad("patches of %d × %d pixels have %d values; want at most %d", stem.Side, stem.Side, n, maxPatch)
	}
	if side := stem.First + stem.Side; side > min(s.Image[0], s.Image[1]) || stem.Weight.Shape[0] < 2 {
		return bad("want images of %d × %d pixels or more, and 2 or more channels for their patches", side, side)
	}
	return nil
}

// check returns the first rule that w breaks on any grid; key is what messages call it.
func (w Window) check(key string) error {
	switch {
	case w.Size == 0 && w.plain() != Window{}:
		return option.Errorf(key, "stride, dilation, offset and border belong to a window: say its size")
	case w.Border != "" && !WindowBorders.Has(w.Border):
		return WindowBorders.Check(key, w.Border)
	case min(w.Size, w.Stride, w.Dilation, w.Offset) < 0 || max(w.Size, w.Stride, w.Dilation) > maxSide:
		return option.Errorf(key, "%v: want a size, stride and dilation of 1 to %d, and an offset of 0 or more", w,
			maxSide)
	case w.Size > 0 && (w.op().Stride > w.Size || w.Offset >= w.op().Stride):
		return option.Errorf(key, "%v: want a stride of at most the size, %d, and an offset below the stride", w, w.Size)
	}
	return nil
}
