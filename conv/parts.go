package conv

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/nn"
)

// A View is how much of the image a position has seen, as layer follows layer.
type View struct {
	Rows, Cols int    // positions
	Image      [2]int // rows and columns of it
	Field      int    // pixels that a position depends on, along an axis
	Step       int    // pixels from one position to the next
}

// See describes a convolution, with the norm behind it, that works on v, and moves v on.
func (v *View) See(path, norm string, c *Conv) nn.Part {
	out, in, size := c.W.Shape[0], c.W.Shape[1], c.W.Shape[2]
	k := kernel.Conv{Batch: 1, Rows: v.Rows, Cols: v.Cols, In: in, Out: out, Size: size, Stride: c.Stride}
	v.Rows, v.Cols = k.OutRows(), k.OutCols()
	v.Field += (size - 1) * v.Step
	v.Step *= c.Stride
	definition := v.Rows * v.Cols * size * size * in * out
	kind := fmt.Sprintf("conv %d×%d", size, size)
	if c.Stride > 1 {
		kind += fmt.Sprintf(", stride %d", c.Stride)
	}
	return nn.Part{
		Path: path, Norm: norm, Kind: kind, Out: []int{v.Rows, v.Cols, out}, Field: v.Seen(),
		MACs: nn.MACs{Definition: definition, Run: k.Products(), Paper: definition},
	}
}

// Seen is the field, which ends where the image does.
func (v *View) Seen() [2]int { return [2]int{min(v.Field, v.Image[0]), min(v.Field, v.Image[1])} }

// Parts describes the network.
func (n *ResNet) Parts(rows, cols int) []nn.Part {
	v := &View{Rows: rows, Cols: cols, Image: [2]int{rows, cols}, Field: 1, Step: 1}
	parts := []nn.Part{v.See("conv1", "bn1", n.Stem.Conv)}
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
		nn.Part{Kind: "mean", Out: []int{d}, Field: v.Image},
		nn.Part{Path: "fc", Kind: "linear", Out: []int{classes}, Field: v.Image, MACs: nn.Same(d * classes)})
}

// parts describes the block, whose shortcut sees what came in.
func (b *Block) parts(v *View) []nn.Part {
	beside := *v
	parts := []nn.Part{v.See("conv1", "bn1", b.First.Conv), v.See("conv2", "bn2", b.Second.Conv)}
	if b.Shortcut != nil {
		parts = append(parts, beside.See("downsample.0", "downsample.1", b.Shortcut.Conv))
	}
	return parts
}
