package model

// A Spec says which network to build. The zero value of no field has a meaning of its own: Default fills a Spec with the
// paper's values, and YAML, flags and checkpoints change what they name.
type Spec struct {
	Kind             string  `yaml:"kind"`              // mhsa (a name in Kinds)
	Encoding         string  `yaml:"encoding"`          // how a query wants a key (a name in posenc.Kinds)
	Layers           int     `yaml:"layers"`            // blocks of attention and feed-forward
	Heads            Ints    `yaml:"heads"`             // heads of each layer: one number, or a list with one per layer
	Dim              int     `yaml:"dim"`               // channels between layers (hidden size D)
	FFN              int     `yaml:"ffn"`               // channels inside the feed-forward part
	Pool             int     `yaml:"pool"`              // space-to-depth: a pool × pool square of pixels becomes one token
	Dropout          float64 `yaml:"dropout"`           // rate behind the dense and feed-forward maps
	AttentionDropout float64 `yaml:"attention_dropout"` // rate on single (query, key) pairs
	Classes          int     `yaml:"classes"`
	Image            [3]int  `yaml:"image,flow"`   // rows, columns, channels of the input
	MaxPosition      int     `yaml:"max_position"` // largest side, in tokens, that a learned table can serve
}
