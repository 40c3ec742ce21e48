package model

import (
	"github.com/attnconv/attnconv/internal/strict"
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

	HeadsInit string `yaml:"heads_init"` // where Gaussian heads start: a name in posenc.Starts, or a Donor
	Stem      string `yaml:"stem"`       // what makes tokens of pixels: a name in Stems
	StemInit  string `yaml:"stem_init"`  // where the map of pixels starts: a name in StemInits
	// what computes the kernels of a network of convolutions: a name in Convolutions
	Convolution string `yaml:"convolution"`
	ConvInit    string `yaml:"conv_init"` // where convolutions start, but that of pixels: a name in conv.Starts
	Shortcut    string `yaml:"shortcut"`  // of a residual network of three stages: a name in Shortcuts
	Border      string `yaml:"border"`    // of convolutions of tokens: zero or replicate, see Borders
	Size        int    `yaml:"size"`      // their taps along a side, or their window; 0: the root of heads, of dcls 7
	Dilation    int    `yaml:"dilation"`  // tokens from one tap to the next, along each axis

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

// Ints is one number for every layer, or a list with one number per layer. Short returns one number for equal ones.
type Ints = strict.Ints

// Layers are a network's blocks, in the order of computation. In YAML and on the command line a number is short for so
// many equal blocks, and words are short for kinds of blocks, and for attention with an encoding. The long form is a
// list, in which each entry may say a kind, how often it is repeated, and options:
//
//	layers: 6
//	layers: conv*2,quadratic
//	layers: [{kind: conv, repeat: 2, size: 3}, {repeat: 4, encoding: quadratic, heads: 9}]
//
// Count is the number of blocks and Check says what is wrong; Key is the key of an option of entry i in messages, and
// Wanted what a message asks for. Plus appends an entry, and Without returns entries that lack an option.
type Layers = strict.Entries[layers]

// A Block is an entry of Layers: Repeat equal blocks, of which 0 is one. Its Kind is a name in Blocks. Own are its
// options, by their keys in YAML; what it does not say is the network's own.
type Block = strict.Entry

// Equal returns n equal blocks, with the settings of the network.
func Equal(n int) Layers { return Layers{{Repeat: n}} }

type layers struct{}

// Default is the paper's quadratic model for CIFAR-10. Its border is zero: that of checkpoints and configurations
// which are older than the key.
func Default() Spec {
	return Spec{
		Kind: "mhsa", Encoding: "quadratic", Layers: Equal(6), Heads: Ints{9}, Dim: 400, FFN: 512, Pool: 2,
		Dropout: 0.1, AttentionDropout: 0.1, Width: 64, Classes: 10, Image: [3]int{32, 32, 3}, MaxPosition: 16,
		AttentionMasks: "auto", Value: "auto", QKVBias: true, Terms: posenc.TermNames(), Absolute: "none",
		HeadsInit: "random", Stem: "patches", StemInit: "random", Convolution: "taps", ConvInit: "random",
		Shortcut: "zeros", Border: "zero", Dilation: 1,
		Content: "none", Temperature: "fixed", Norm: "post", Readout: "mean", Init: "default",
	}
}

// Grid is the tokens of an image; those at its lower and right border may be padded.
func (s Spec) Grid() posenc.Grid {
	return posenc.Grid{Rows: (s.Image[0] + s.Pool - 1) / s.Pool, Cols: (s.Image[1] + s.Pool - 1) / s.Pool}
}

// Bounds keep a mistyped or hostile config from sizes that no machine can hold, or even count.
const (
	maxLayers = 1000
	maxWidth  = 1 << 16
	maxSide   = 1 << 12
	maxSize   = 256     // of a convolution
	maxTokens = 1 << 16 // of an image: attention weighs pairs of them
	maxParams = 1 << 31
)
