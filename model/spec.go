package model

import (
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/posenc"
)

// A Spec says which network to build. Default fills one with the paper's values; YAML, flags and checkpoints change
// what they name.
type Spec struct {
	Kind             string  `yaml:"kind"`              // a name in Kinds
	Encoding         string  `yaml:"encoding"`          // how a query wants a key: a name in posenc.Kinds
	Layers           int     `yaml:"layers"`            // blocks of attention and feed-forward
	Heads            Ints    `yaml:"heads"`             // of each layer: one number, or a list with one per layer
	Dim              int     `yaml:"dim"`               // channels between layers (hidden size D)
	FFN              int     `yaml:"ffn"`               // channels inside the feed-forward part
	Pool             int     `yaml:"pool"`              // space-to-depth: a pool × pool square of pixels becomes one token
	Dropout          float64 `yaml:"dropout"`           // rate behind the dense and feed-forward maps
	AttentionDropout float64 `yaml:"attention_dropout"` // rate on single (query, key) pairs
	Width            int     `yaml:"width"`             // channels of a residual network's first stage
	AttentionMasks   string  `yaml:"attention_masks"`   // of that dropout: auto, batch or image, see Masks
	Classes          int     `yaml:"classes"`
	Image            [3]int  `yaml:"image,flow"`   // rows, columns, channels of the input
	MaxPosition      int     `yaml:"max_position"` // largest side, in tokens, that a learned table can serve

	HeadsInit string `yaml:"heads_init"` // where Gaussian heads start: a word of HeadsInits
	Border    string `yaml:"border"`     // of a twin's convolutions: zero or replicate, see Borders

	HeadDim  int      `yaml:"head_dim"`   // numbers of a head's queries, keys and own values; 0: see headDim
	Value    string   `yaml:"value"`      // auto, combined or factored, see Values
	Terms    []string `yaml:"terms,flow"` // of encoding relative: names in posenc.TermNames
	Absolute string   `yaml:"absolute"`   // what is added to the tokens for where they stand: a name in posenc.Absolutes
}

// Default is the paper's quadratic model for CIFAR-10. A checkpoint or a run's config that says nothing of the border is from
// when there was none but zeros.
func Default() Spec {
	return Spec{
		Kind: "mhsa", Encoding: "quadratic", Layers: 6, Heads: Ints{9}, Dim: 400, FFN: 512, Pool: 2,
		Dropout: 0.1, AttentionDropout: 0.1, Width: 64, Classes: 10, Image: [3]int{32, 32, 3}, MaxPosition: 16,
		AttentionMasks: "auto", Value: "auto", Terms: posenc.TermNames(), Absolute: "none",
		HeadsInit: HeadsInits[0], Border: "zero",
	}
}

// EncodingName is the encoding, or "" for a model that has none.
func (s Spec) EncodingName() string {
	if s.Kind != Default().Kind {
		return ""
	}
	return s.Encoding
}

// String says in a few words what the network is.
func (s Spec) String() string {
	if o, ok := s.resNet(); ok {
		return fmt.Sprintf("%s, width %d", s.Kind, o.Width)
	}
	tokens := s.Image[0] / s.Pool * (s.Image[1] / s.Pool)
	if s.isTwin() {
		return fmt.Sprintf("%s, %d layers, %s taps, dim %d, %d tokens", s.Kind, s.Layers, s.Heads, s.Dim, tokens)
	}
	return fmt.Sprintf("%s %s, %d layers × %s heads, dim %d, %d tokens", s.Kind, s.Encoding, s.Layers, s.Heads, s.Dim, tokens)
}

// Bounds keep a mistyped or hostile config from sizes that no machine can hold, or even count.
const (
	maxLayers = 1000
	maxWidth  = 1 << 16
	maxSide   = 1 << 12
	maxTokens = 1 << 16 // of an image: attention weighs pairs of them
	maxParams = 1 << 31
)

// Validate returns the first rule that s breaks, as an *invalid.Error.
func (s Spec) Validate() error {
	if find(s.Kind) == nil {
		return invalid.Choice("model.kind", s.Kind, Names())
	}
	encoding := posenc.Kinds.Find(s.Encoding)
	if encoding == nil {
		return invalid.Choice("model.encoding", s.Encoding, posenc.Kinds.Names())
	}
	if err := s.checkHeadsInit(); err != nil {
		return err
	}
	if !slices.Contains(Borders, s.Border) {
		return invalid.Choice("model.border", s.Border, Borders)
	}
	for _, n := range []struct {
		key      string
		got, max int
	}{
		{"model.layers", s.Layers, maxLayers}, {"model.dim", s.Dim, maxWidth}, {"model.ffn", s.FFN, maxWidth},
		{"model.pool", s.Pool, maxSide}, {"model.width", s.Width, maxWidth / 8}, {"model.classes", s.Classes, maxWidth},
		{"model.max_position", s.MaxPosition, maxSide},
		{"model.image", s.Image[0], maxSide}, {"model.image", s.Image[1], maxSide}, {"model.image", s.Image[2], maxWidth},
	} {
		if n.got < 1 || n.got > n.max {
			return invalid.Errorf(n.key, "%d: want 1 to %d", n.got, n.max)
		}
	}
	if _, ok := s.resNet(); ok {
		return s.checkSize("model.width", s.Width)
	}
	if len(s.Heads) != 1 && len(s.Heads) != s.Layers {
		return invalid.Errorf("model.heads", "%v: want one number, or one for each of the %d layers", s.Heads, s.Layers)
	}
	for _, h := range s.Heads {
		if k := sizeOf(h); s.isTwin() && k*k != h {
			return invalid.Errorf("model.heads", "%v: want square numbers, such as 9: "+
				"the twin has a convolution of so many taps for each layer's heads", s.Heads)
		}
		if h < 1 || h > maxWidth {
			return invalid.Errorf("model.heads", "%v: want 1 to %d in every layer", s.Heads, maxWidth)
		}
	}
	if s.Image[0]%s.Pool != 0 || s.Image[1]%s.Pool != 0 {
		return invalid.Errorf("model.pool", "%d: does not divide the image's %d × %d pixels",
			s.Pool, s.Image[0], s.Image[1])
	}
	if n := s.grid().Rows * s.grid().Cols; n > maxTokens {
		return invalid.Errorf("model.pool", "%d: makes %d tokens of an image of %d × %d; want at most %d",
			s.Pool, n, s.Image[0], s.Image[1], maxTokens)
	}
	if err := s.validateHeads(encoding); err != nil {
		return err
	}
	for _, r := range []struct {
		key string
		got float64
	}{{"model.dropout", s.Dropout}, {"model.attention_dropout", s.AttentionDropout}} {
		if !(r.got >= 0 && float32(r.got) < 1) { // layers know it as a float32
			return invalid.Errorf(r.key, "%v: want a rate from 0 to less than 1", r.got)
		}
	}
	return s.checkSize("model.dim", s.Dim)
}

// checkSize reports a network that no machine can hold; key, which is at value, is the option to change.
func (s Spec) checkSize(key string, value int) error {
	if n := s.Params(); n > maxParams {
		return invalid.Errorf(key, "%d: the model would have %.1e parameters; want at most %.1e",
			value, float64(n), float64(maxParams))
	}
	return nil
}
