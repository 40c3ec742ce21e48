package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc"
)

// A Spec says which network to build. Default fills one with the paper's values; YAML, flags and checkpoints change
// what they name.
type Spec struct {
	Kind     string `yaml:"kind"`     // a name in Kinds
	Encoding string `yaml:"encoding"` // how a query wants a key: a name in posenc.Kinds
	// blocks of attention and feed-forward, or others: how many, or a list
	Layers Layers `yaml:"layers"`
	Heads  Ints   `yaml:"heads"` // of each layer: one number, or a list with one per layer
	Dim    int    `yaml:"dim"`   // channels between layers (hidden size D)
	FFN    int    `yaml:"ffn"`   // channels inside the feed-forward part
	// space-to-depth: a pool × pool square of pixels becomes one token
	Pool             int     `yaml:"pool"`
	Dropout          float64 `yaml:"dropout"`           // rate behind the dense and feed-forward maps
	AttentionDropout float64 `yaml:"attention_dropout"` // rate on single (query, key) pairs
	Width            int     `yaml:"width"`             // channels of a residual network's first stage
	AttentionMasks   string  `yaml:"attention_masks"`   // of that dropout: auto, batch or image, see Masks
	Classes          int     `yaml:"classes"`
	Image            [3]int  `yaml:"image,flow"`   // rows, columns, channels of the input
	MaxPosition      int     `yaml:"max_position"` // largest side, in tokens, that a learned table can serve

	HeadsInit string `yaml:"heads_init"` // where Gaussian heads start: a name in posenc.Starts
	Stem      string `yaml:"stem"`       // what makes tokens of pixels: a name in Stems
	StemInit  string `yaml:"stem_init"`  // where the map of pixels starts: a name in StemInits
	// what computes the kernels of a network of convolutions: a name in Convolutions
	Convolution string `yaml:"convolution"`
	ConvInit    string `yaml:"conv_init"` // where convolutions start, but that of pixels: a name in conv.Starts
	Shortcut    string `yaml:"shortcut"`  // of a residual network of three stages: a name in Shortcuts
	Border      string `yaml:"border"`    // of convolutions of tokens: zero or replicate, see Borders
	Size        int    `yaml:"size"`      // their taps along a side; 0: the root of heads

	// channels of a head's queries, keys and own values; 0: dim, or dim/heads if factored
	HeadDim int      `yaml:"head_dim"`
	Value   string   `yaml:"value"`      // auto, combined or factored, see Values
	QKVBias bool     `yaml:"qkv_bias"`   // the maps of queries, keys and values have biases
	Terms   []string `yaml:"terms,flow"` // of encoding relative: names in posenc.TermNames
	// what is added to the tokens for where they stand: a name in posenc.Absolutes
	Absolute string `yaml:"absolute"`

	Window      Window `yaml:"window"`      // the keys that a query sees
	Content     string `yaml:"content"`     // what content has to do with scores of positions: a name in Contents
	Temperature string `yaml:"temperature"` // factor of each head's scores: a name in Temperatures
	Norm        string `yaml:"norm"`        // where a block has its layer norms: a name in Norms
	Readout     string `yaml:"readout"`     // what is classified: a name in Readouts
	Init        string `yaml:"init"`        // initial weights of attention: a name in Inits

	// Own holds options that registered kinds bring, by key, such as window_side: those of encodings, blocks and
	// networks. What it does not name has its default. It is replaced, never changed in place: copies of a Spec share
	// it.
	Own map[string]any `yaml:"-"`
}

// Default is the paper's quadratic model for CIFAR-10. Its border is zero: that of checkpoints and configurations
// which are older than the key.
func Default() Spec {
	return Spec{
		Kind: "mhsa", Encoding: "quadratic", Layers: Equal(6), Heads: Ints{9}, Dim: 400, FFN: 512, Pool: 2,
		Dropout: 0.1, AttentionDropout: 0.1, Width: 64, Classes: 10, Image: [3]int{32, 32, 3}, MaxPosition: 16,
		AttentionMasks: "auto", Value: "auto", QKVBias: true, Terms: posenc.TermNames(), Absolute: "none",
		HeadsInit: "random", Stem: "patches", StemInit: "random", Convolution: "taps", ConvInit: "random",
		Shortcut: withZeros,
		Border:   "zero", Content: "none", Temperature: "fixed", Norm: "post", Readout: "mean", Init: "default",
	}
}

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
		sum = sum.Plus(p.MACs)
	}
	return sum
}

// build makes the layers of the network in scope.
func (s Spec) build(scope nn.Scope) nn.Layer { return Kinds.Find(s.Kind).New(scope, s, s.Blocks()) }

// String says in a few words what the network is.
func (s Spec) String() string { return s.Kind + Kinds.Find(s.Kind).Words(s, s.Blocks()) }

// Bounds keep a mistyped or hostile config from sizes that no machine can hold, or even count.
const (
	maxLayers = 1000
	maxWidth  = 1 << 16
	maxSide   = 1 << 12
	maxSize   = 256     // of a convolution
	maxTokens = 1 << 16 // of an image: attention weighs pairs of them
	maxParams = 1 << 31
)

// Validate returns the first rule that s breaks, as an *option.Error.
func (s Spec) Validate() error {
	named := func(key string) string { return "model." + key }
	err := cmp.Or(Kinds.Check("model.kind", s.Kind), s.checkOptions(named), s.Layers.Check(),
		Settings.Check(s.Own, named))
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
		posenc.Kinds.Check(key("encoding"), s.Encoding), posenc.Starts.Check(key("heads_init"), s.HeadsInit),
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
		option.Between(key("size"), s.Size, 0, maxSize),
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
					strings.Join(block.Keys(), ", "))
			}
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

// checkStart returns the rule that heads which start on a grid break where no block has Gaussian ones.
func (s Spec) checkStart() error {
	if !posenc.Starts.Find(s.HeadsInit).OnGrid() || s.gaussian() {
		return nil
	}
	return option.Errorf("model.heads_init",
		"%s: only Gaussian heads have centers, of mhsa with encoding quadratic or quadratic-general, or of "+
			"model.convolution heads", s.HeadsInit)
}
