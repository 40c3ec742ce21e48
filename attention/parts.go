package attention

import (
	"fmt"
	"strconv"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// Parts describes the network, for T tokens and D channels. Multiply-adds of attention, by definition and as computed
// where nothing is learned:
//
//	H·T·T·D + T·H·D·D + T·D·D        weigh, value map, dense map
//	H·T·keys·C + T·H·C·D             value and dense map are one; keys are rows+columns where the scores are separable
//	H·T·T·d + T·H·d·C + T·H·d·D      where heads have values of d numbers, both ways
//
// and those of scores that depend on the image: see posenc.Content. C is D, but in the first layer one more than the
// numbers of a token, where these are few: they are weighed instead of the channels that they become.
func (n *Stack) Parts(rows, cols int) []nn.Part {
	grid, in, d := n.grid, n.Upscale.W.Shape[1], n.Upscale.W.Shape[0]
	tokens, s := grid.Rows*grid.Cols, n.Pixels.S
	v := &conv.View{Rows: grid.Rows, Cols: grid.Cols, Image: [2]int{rows, cols}, Field: s, Step: s}
	parts := []nn.Part{
		{Kind: "pixels to tokens", Out: []int{grid.Rows, grid.Cols, in}, Field: v.Seen()},
		{Path: "features_upscale", Kind: "linear", Out: []int{grid.Rows, grid.Cols, d}, Field: v.Seen(),
			MACs: nn.Same(tokens * in * d)},
	}
	if n.Absolute != nil {
		parts = append(parts, nn.Part{Path: "position_embeddings", Kind: "add position", Out: []int{grid.Rows, grid.Cols, d},
			Field: v.Seen()})
	}
	for i := range n.Blocks {
		columns := d
		if i == 0 && n.Absolute == nil && 2*in < d {
			columns = in + 1
		}
		for _, p := range n.block(i).parts(columns, v) {
			p.Path = "encoder.layer." + strconv.Itoa(i) + "." + p.Path
			p.Block, p.Out, p.Field = strconv.Itoa(i+1), []int{grid.Rows, grid.Cols, p.Out[len(p.Out)-1]}, v.Seen()
			parts = append(parts, p)
		}
	}
	classes := n.Classify.W.Shape[0]
	return append(parts,
		nn.Part{Kind: "mean", Out: []int{d}, Field: v.Image},
		nn.Part{Path: "classifier", Kind: "linear", Out: []int{classes}, Field: v.Image, MACs: nn.Same(d * classes)})
}

// parts describes the block, where attention mixes so many columns, and moves v on.
func (b *Block) parts(columns int, v *conv.View) []nn.Part {
	tokens, d, ffn := v.Rows*v.Cols, b.Up.W.Shape[1], b.Up.W.Shape[0]
	var mix nn.Part
	dense := nn.MACs{Definition: tokens * d * d, Paper: tokens * d * d}
	switch l := b.Mix.(type) {
	case *conv.Conv: // in evaluation the dense map is folded into it
		mix = v.See("attention.self.conv", "", l)
	case *SelfAttention:
		mix, v.Field = l.part(columns, d), max(v.Image[0], v.Image[1])
		if l.split {
			dense = nn.Same(tokens * b.Dense.W.Shape[1] * d)
		}
	}
	feed := nn.Same(tokens * d * ffn)
	return []nn.Part{
		mix,
		{Path: "attention.output", Kind: "dense, norm", Out: []int{d}, MACs: dense},
		{Path: "intermediate", Kind: "up, gelu", Out: []int{ffn}, MACs: feed},
		{Path: "output", Kind: "down, norm", Out: []int{d}, MACs: feed},
	}
}

// part describes the layer, which mixes so many columns of tokens with d channels.
func (l *SelfAttention) part(columns, d int) nn.Part {
	tokens, wide, out := l.grid.Rows*l.grid.Cols, l.heads*d, d // numbers that heads average of a token, and those of the result
	value := nn.MACs{Definition: tokens * wide * d, Run: tokens * l.heads * columns * d, Paper: tokens * wide * d}
	scores, keys := l.scoreMACs(columns)
	weigh := nn.MACs{Definition: tokens * tokens * wide, Run: tokens * keys * l.heads * columns}
	if l.split {
		wide = l.Value.W.Shape[0]
		out = wide
		value = nn.MACs{Definition: tokens * wide * d, Run: tokens * wide * columns, Paper: tokens * wide * d}
		weigh = nn.MACs{Definition: tokens * tokens * wide, Run: tokens * tokens * wide}
	}
	return nn.Part{Path: "attention.self", Kind: fmt.Sprintf("attention, %d heads", l.heads), Out: []int{out},
		MACs: scores.Plus(weigh).Plus(value)}
}

// scoreMACs counts what the scores of an image take, and the products for each number of each head's mean.
func (l *SelfAttention) scoreMACs(columns int) (scores nn.MACs, keys int) {
	if e, ok := l.Encoding.(*posenc.Learned); ok {
		scores.Paper = e.MapMACs(l.grid)
	}
	keys = l.grid.Rows * l.grid.Cols
	_, err := nn.Build(false, func(g *nn.Graph) {
		switch s := l.Encoding.Scores(g, l.grid).(type) {
		case posenc.Separable:
			keys = l.grid.Rows + l.grid.Cols
		case posenc.Content:
			scores.Run = s.MACs(columns)
			scores.Definition, scores.Paper = s.ByDefinition()
		}
	})
	if err != nil {
		panic(err) // the layer itself adds the same scores
	}
	return scores, keys
}
