package conv

import (
	"fmt"
	"strconv"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/nn"
)

// A view is how much of the image a position has seen, as layer follows layer.
type view struct {
	rows, cols int    // positions
	image      [2]int // rows and columns of it
	field      int    // pixels that a position depends on, along an axis
	step       int    // pixels from one position to the next
}

// see describes a convolution, with the norm behind it, that works on v, and moves v on.
func (v *view) see(path, norm string, c *Conv) nn.Part {
	out, in, size := c.W.Shape[0], c.W.Shape[1], c.W.Shape[2]
	k := kernel.Conv{Batch: 1, Rows: v.rows, Cols: v.cols, In: in, Out: out, Size: size, Stride: c.Stride}
	v.rows, v.cols = k.OutRows(), k.OutCols()
	v.field += (size - 1) * v.step
	v.step *= c.Stride
	definition := v.rows * v.cols * size * size * in * out
	kind := fmt.Sprintf("conv %d×%d", size, size)
	if c.Stride > 1 {
		kind += fmt.Sprintf(", stride %d", c.Stride)
	}
	return nn.Part{
		Path: path, Norm: norm, Kind: kind, Out: []int{v.rows, v.cols, out}, Field: v.seen(),
		MACs: nn.MACs{Definition: definition, Run: k.Products(), Paper: definition},
	}
}

// seen is the field, which ends where the image does.
func (v *view) seen() [2]int { return [2]int{min(v.field, v.image[0]), min(v.field, v.image[1])} }

// Parts describes the network.
func (n *ResNet) Parts(rows, cols int) []nn.Part {
	v := &view{rows: rows, cols: cols, image: [2]int{rows, cols}, field: 1, step: 1}
	parts := []nn.Part{v.see("conv1", "bn1", n.Stem.Conv)}
	stage, index := 1, 0
	for i, b := range n.Blocks {
		if i > 0 && b.First.Conv.Stride > 1 {
			stage, index = stage+1, 0
		}
		for _, p := range b.parts(v) {
			path := fmt.Sprintf("layer%d.%d.", stage, index)
			p.Path, p.Norm, p.Block = path+p.Path, path+p.Norm, fmt.Sprintf("%d.%d", stage, index+1)
			parts = append(parts, p)
		}
		index++
	}
	classes, d := n.Classify.W.Shape[0], n.Classify.W.Shape[1]
	return append(parts,
		nn.Part{Kind: "mean", Out: []int{d}, Field: v.image},
		nn.Part{Path: "fc", Kind: "linear", Out: []int{classes}, Field: v.image, MACs: nn.Same(d * classes)})
}

// parts describes the block, whose shortcut sees what came in.
func (b *Block) parts(v *view) []nn.Part {
	beside := *v
	parts := []nn.Part{v.see("conv1", "bn1", b.First.Conv), v.see("conv2", "bn2", b.Second.Conv)}
	if b.Shortcut != nil {
		parts = append(parts, beside.see("downsample.0", "downsample.1", b.Shortcut.Conv))
	}
	return parts
}

// Parts describes the network. In evaluation the dense map is folded into the convolution before it.
func (t *Twin) Parts(rows, cols int) []nn.Part {
	s, d, in := t.Pixels.S, t.Upscale.W.Shape[0], t.Upscale.W.Shape[1]
	v := &view{rows: rows / s, cols: cols / s, image: [2]int{rows, cols}, field: s, step: s}
	tokens := v.rows * v.cols
	parts := []nn.Part{
		{Kind: "pixels to tokens", Out: []int{v.rows, v.cols, in}, Field: v.seen()},
		{Path: "features_upscale", Kind: "linear", Out: []int{v.rows, v.cols, d}, Field: v.seen(),
			MACs: nn.Same(tokens * in * d)},
	}
	for i, b := range t.Blocks {
		ffn := b.Up.W.Shape[0]
		dense := nn.MACs{Definition: tokens * d * d, Paper: tokens * d * d}
		for _, p := range []nn.Part{
			v.see("attention.self.conv", "", b.Conv),
			{Path: "attention.output", Kind: "dense, norm", Out: []int{v.rows, v.cols, d}, Field: v.seen(), MACs: dense},
			{Path: "intermediate", Kind: "up, gelu", Out: []int{v.rows, v.cols, ffn}, Field: v.seen(),
				MACs: nn.Same(tokens * d * ffn)},
			{Path: "output", Kind: "down, norm", Out: []int{v.rows, v.cols, d}, Field: v.seen(),
				MACs: nn.Same(tokens * d * ffn)},
		} {
			p.Path, p.Block = "encoder.layer."+strconv.Itoa(i)+"."+p.Path, strconv.Itoa(i+1)
			parts = append(parts, p)
		}
	}
	classes := t.Classify.W.Shape[0]
	return append(parts,
		nn.Part{Kind: "mean", Out: []int{d}, Field: v.image},
		nn.Part{Path: "classifier", Kind: "linear", Out: []int{classes}, Field: v.image, MACs: nn.Same(d * classes)})
}
