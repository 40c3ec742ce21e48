// Package vision reads vision transformers of other programs and runs them forward, to record what their layers of
// attention do on images. It has no gradients, and it is no part of package model.
//
// A file is a list of tensors. A family knows its names and gives them the names of weights.go; build makes one network
// of these, whatever the family:
//
//	image (channels, rows, cols) → tokens (others first, then the grid, row by row) → blocks → norm → class
//
// A tensor that the network would not use, or that it lacks, is an error, because an almost right number is worse than
// none. The number of heads is often not in the file. Then it is guessed, and Facts says so.
//
// Sources, with the commits that were read:
//
//	huggingface/pytorch-image-models aa4b5850    facebookresearch/convit 0a9340aa
//	microsoft/Swin-Transformer f82860bf          SHI-Labs/Compact-Transformers cd11f091
//	facebookresearch/dinov2 b8931f7b             pytorch/vision 07a929e8
//	huggingface/transformers 005db820, 015e6876
//
// Stable: nothing yet.
package vision

import (
	"fmt"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model/ckpt"
)

// A Network is a vision transformer. Its methods may be called concurrently.
type Network struct {
	Facts Facts

	stem   []convolution // from pixels to tokens
	normed *norm         // behind the stem, of Swin; nil: none
	others []float32     // tokens that are not on the grid, with their positions, (others, channels)
	place  []float32     // positions of the tokens of the grid, (tokens, channels); nil: none
	blocks []*block
	norm   *norm // behind the last block; nil: none
	pooled pooling

	family   *family
	eps      float64 // of norms
	weights  *weights
	settings settings
}

// Facts say what a file is.
type Facts struct {
	Family     string       `json:"family"`        // such as "ViT of timm"
	Parameters int          `json:"parameters"`    // numbers that are learned
	Blocks     int          `json:"blocks"`        // with attention
	Channels   []int        `json:"channels"`      // of the tokens, of each stage
	Heads      []int        `json:"heads"`         // of each stage
	Guessed    bool         `json:"heads_guessed"` // the number of heads is not in the file
	Grid       analyse.Grid `json:"grid"`          // tokens of the first block: rows, columns
	Image      [2]int       `json:"image"`         // rows and columns, in pixels
	Patch      [2]int       `json:"patch"`         // rows and columns of pixels from a token to the next
	Windows    int          `json:"windows"`       // side of those that attention is in, in tokens; 0: the whole grid
	Others     []string     `json:"others"`        // tokens that are not on the grid, in their order: class, register
	Classes    int          `json:"classes"`       // of the classifier; 0: there is none
	Mean       []float64    `json:"mean"`          // of the pixels in 0..1, by which images are normalized
	Std        []float64    `json:"std"`           // their standard deviation
	Crop       float64      `json:"crop"`          // part of the short side of a picture that the image is
	Notes      []string     `json:"notes"`         // what was assumed
}

// String is one sentence.
func (f Facts) String() string {
	var sizes []string
	for i, d := range f.Channels {
		sizes = append(sizes, fmt.Sprintf("%d channels with %d heads of %d", d, f.Heads[i], d/f.Heads[i]))
	}
	guess := ""
	if f.Guessed {
		guess = " (a guess)"
	}
	text := fmt.Sprintf("%s, %s parameters: %s, %s%s, %d × %d tokens of %d × %d pixels", f.Family,
		table.Thousands(f.Parameters), table.Count(f.Blocks, "layer"), strings.Join(sizes, ", then "), guess,
		f.Grid.Rows, f.Grid.Cols, f.Patch[0], f.Patch[1])
	if f.Windows > 0 {
		text += fmt.Sprintf(", attention in windows of %d × %[1]d", f.Windows)
	}
	for _, kind := range slices.Compact(slices.Clone(f.Others)) {
		n := 0
		for _, other := range f.Others {
			n += b2i(other == kind)
		}
		text += ", " + table.Count(n, kind+" token")
	}
	return text
}

// Options say what a file may not say.
type Options struct {
	Heads        int    // of each layer; 0: as the file says, or a guess
	Config       []byte // of config.json next to the file; nil: there is none
	Preprocessor []byte // of preprocessor_config.json; nil: there is none
}

// Marks are tensors by which networks are known. A file has one of them, with a path in front.
func Marks() (names []string) {
	for _, f := range families {
		names = append(names, f.marks...)
	}
	return names
}

// New makes the network of tensors, whose names have no path in front. The error says which tensor is not known, is
// missing or has another shape.
func New(tensors []ckpt.Tensor, o Options) (*Network, error) {
	f, err := familyOf(tensors)
	if err != nil {
		return nil, err
	}
	settings, err := parse(o)
	if err != nil {
		return nil, err
	}
	w, err := f.rename(tensors)
	if err != nil {
		return nil, err
	}
	n, err := f.build(f, w, settings)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	n.weights, n.settings = w, settings
	return n, nil
}

// A Layer is what analyses need to know of a layer of attention.
type Layer struct {
	Name     string       // of the block, in the names of the file
	Grid     analyse.Grid // of the tokens that attend to one another
	Heads    int
	Channels int
	Others   int    // tokens that are not on the grid
	Windows  string // "": attention is on the whole grid
	Gauge    analyse.Gauge
}

// Layers lists the layers of attention, from input to output.
func (n *Network) Layers() (all []Layer) {
	for i, b := range n.blocks {
		l := Layer{Name: b.name, Grid: b.attention.grid, Heads: b.attention.heads, Channels: b.attention.channels,
			Others: b.others, Gauge: n.gauge(i)}
		if s := b.attention.split; s != nil {
			l.Windows = s.String()
		}
		all = append(all, l)
	}
	return all
}

// Maps returns W_h of each head, (channels, channels): the value map times the output map, and LayerScale.
func (n *Network) Maps(layer int) [][]float64 { return n.blocks[layer].maps() }

// gauge is what the norms around layer i hide.
//
//	y_q = Σ_k P_qk·n_k·W,  n = n̂·diag(γ) + β
//
// The mean over channels of y is hidden if everything that reads the sum begins with a norm of tokens, which merging
// does not. The map of patches hides nothing of the first layer, because positions are added to what it returns.
func (n *Network) gauge(i int) (g analyse.Gauge) {
	b := n.blocks[i]
	g.Gamma = wide(b.norm1.gamma)
	g.Center = n.norm != nil || n.pooled.norm != nil
	for _, later := range n.blocks[i+1:] {
		if later.merge != nil {
			g.Center = false
		}
	}
	if b.middle {
		g.Center = true
	}
	return g
}

func wide(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}
