package attention

import (
	"fmt"
	"strconv"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// Parts describes the network, for T tokens and D channels. Multiply-adds of attention, by definition and as computed
// where nothing is learned:
//
//	H·T·T·D + T·H·D·D + T·D·D        weigh, value map, dense map
//	H·T·keys·C + T·H·C·D             value and dense map are one; keys are rows+columns where the scores are separable
//
// C is D, but in the first layer one more than the numbers of a token, where these are few: they are weighed instead of
// the channels that they become.
func (n *Stack) Parts(rows, cols int) []nn.Part {
	grid, in, d := n.Blocks[0].Attend.grid, n.Upscale.W.Shape[1], n.Upscale.W.Shape[0]
	tokens, s := grid.Rows*grid.Cols, n.Pixels.S
	cell, all := [2]int{s, s}, [2]int{rows, cols}
	parts := []nn.Part{
		{Kind: "pixels to tokens", Out: []int{grid.Rows, grid.Cols, in}, Field: cell},
		{Path: "features_upscale", Kind: "linear", Out: []int{grid.Rows, grid.Cols, d}, Field: cell,
			MACs: nn.Same(tokens * in * d)},
	}
	for i, b := range n.Blocks {
		columns := d
		if i == 0 && thin(n.Upscale) {
			columns = in + 1
		}
		for _, p := range b.parts(columns) {
			p.Path = "encoder.layer." + strconv.Itoa(i) + "." + p.Path
			p.Block, p.Out, p.Field = strconv.Itoa(i+1), []int{grid.Rows, grid.Cols, p.Out[0]}, all
			parts = append(parts, p)
		}
	}
	classes := n.Classify.W.Shape[0]
	return append(parts,
		nn.Part{Kind: "mean", Out: []int{d}, Field: all},
		nn.Part{Path: "classifier", Kind: "linear", Out: []int{classes}, Field: all, MACs: nn.Same(d * classes)})
}

// parts describes the block whose attention mixes so many columns.
func (b *Block) parts(columns int) []nn.Part {
	l := b.Attend
	tokens, d, ffn := l.grid.Rows*l.grid.Cols, b.Dense.W.Shape[0], b.Up.W.Shape[0]
	heads := l.Value.W.Shape[1] / d
	value := tokens * heads * d * d
	attend := nn.MACs{
		Definition: heads*tokens*tokens*d + value,
		Run:        heads*tokens*l.keys()*columns + tokens*heads*columns*d,
		Paper:      value,
	}
	dense, feed := tokens*d*d, tokens*d*ffn
	return []nn.Part{
		{Path: "attention.self", Kind: fmt.Sprintf("attention, %d heads", heads), Out: []int{d}, MACs: attend},
		{Path: "attention.output", Kind: "dense, norm", Out: []int{d}, MACs: nn.MACs{Definition: dense, Paper: dense}},
		{Path: "intermediate", Kind: "up, gelu", Out: []int{ffn}, MACs: nn.Same(feed)},
		{Path: "output", Kind: "down, norm", Out: []int{d}, MACs: nn.Same(feed)},
	}
}

// keys is how many products each number of a head's mean takes.
func (l *SelfAttention) keys() (n int) {
	_, err := nn.Build(false, func(g *nn.Graph) {
		n = l.grid.Rows * l.grid.Cols
		if _, ok := l.Encoding.Scores(g, l.grid).(posenc.Separable); ok {
			n = l.grid.Rows + l.grid.Cols
		}
	})
	if err != nil {
		panic(err) // the layer itself adds the same scores
	}
	return n
}
