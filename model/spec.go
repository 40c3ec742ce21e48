package model

import (
	"cmp"

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
		HeadsInit: "random", Border: "zero",
	}
}

// EncodingName is the encoding, or "" for a model that has none.
func (s Spec) EncodingName() string {
	if !s.Uses("encoding") {
		return ""
	}
	return s.Encoding
}

// Params counts the parameters of the network without building it.
func (s Spec) Params() int { return Kinds.Find(s.Kind).Params(s, s.Blocks()) }

// String says in a few words what the network is.
func (s Spec) String() string { return s.Kind + Kinds.Find(s.Kind).Words(s, s.Blocks()) }

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
	err := cmp.Or(
		Kinds.Check("model.kind", s.Kind), posenc.Kinds.Check("model.encoding", s.Encoding),
		HeadsInits.Check("model.heads_init", s.HeadsInit), Borders.Check("model.border", s.Border),
		Values.Check("model.value", s.Value), Masks.Check("model.attention_masks", s.masks()),
		posenc.Absolutes.Check("model.absolute", s.Absolute),
		between("model.layers", s.Layers, 1, maxLayers), between("model.dim", s.Dim, 1, maxWidth),
		between("model.ffn", s.FFN, 1, maxWidth), between("model.pool", s.Pool, 1, maxSide),
		between("model.width", s.Width, 1, maxWidth/8), between("model.classes", s.Classes, 1, maxWidth),
		between("model.max_position", s.MaxPosition, 1, maxSide), between("model.image", s.Image[0], 1, maxSide),
		between("model.image", s.Image[1], 1, maxSide), between("model.image", s.Image[2], 1, maxWidth),
		between("model.head_dim", s.HeadDim, 0, maxWidth),
		rate("model.dropout", s.Dropout), rate("model.attention_dropout", s.AttentionDropout),
		s.checkHeads(),
	)
	if err != nil {
		return err
	}
	kind := Kinds.Find(s.Kind)
	if s.HeadsInit != "random" && !s.gaussian() {
		return invalid.Errorf("model.heads_init", "%s: only Gaussian heads have centers, of mhsa with encoding quadratic or "+
			"quadratic-general", s.HeadsInit)
	}
	if err := kind.Check(s, s.Blocks()); err != nil {
		return err
	}
	if n := s.Params(); n > maxParams {
		return invalid.Errorf(kind.Size, "%d: the model would have %.1e parameters; want at most %.1e",
			map[string]int{"model.dim": s.Dim, "model.width": s.Width}[kind.Size], float64(n), float64(maxParams))
	}
	return nil
}

// checkHeads bounds how many heads there are.
func (s Spec) checkHeads() error {
	if len(s.Heads) != 1 && len(s.Heads) != s.Layers {
		return invalid.Errorf("model.heads", "%v: want one number, or one for each of the %d layers", s.Heads, s.Layers)
	}
	for _, h := range s.Heads {
		if h < 1 || h > maxWidth {
			return invalid.Errorf("model.heads", "%v: want 1 to %d in every layer", s.Heads, maxWidth)
		}
	}
	return nil
}

func between(key string, n, lo, hi int) error {
	if n < lo || n > hi {
		return invalid.Errorf(key, "%d: want %d to %d", n, lo, hi)
	}
	return nil
}

func rate(key string, p float64) error {
	if !(p >= 0 && float32(p) < 1) { // layers know it as a float32
		return invalid.Errorf(key, "%v: want a rate from 0 to less than 1", p)
	}
	return nil
}
