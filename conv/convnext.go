package conv

import (
	"strings"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// nextBlock is the block of ConvNeXt (Liu et al. 2022, arXiv:2201.03545). A depth-wise convolution mixes the pixels of
// each channel, and two linear maps the channels of each pixel. γ is LayerScale (Touvron et al. 2021,
// arXiv:2103.17239):
//
//	y = x + γ·(W₂·gelu(W₁·LN(Depth(x)) + b₁) + b₂)
//
// x (batch, rows, cols, dim) -> y (batch, rows, cols, dim)
type nextBlock struct {
	depth    *Depthwise // 7 × 7, zeros around the image
	norm     *nn.LayerNorm
	up, down *nn.Linear // (4·dim, dim), (dim, 4·dim)
	gamma    *nn.Param  // (dim)
}

// NewNeXtBlock returns a block of ConvNeXt with its parameter names. Its maps are drawn as PyTorch's, and γ is 1e-6.
func NewNeXtBlock(s nn.Scope, dim int) nn.Layer {
	return &nextBlock{
		depth: NewDepthwise(s.In("dwconv"), dim, 7), norm: nn.NewLayerNorm(s.In("norm").AsPart(), dim),
		up: nn.NewLinear(s.In("pwconv1"), dim, 4*dim), down: nn.NewLinear(s.In("pwconv2"), 4*dim, dim),
		gamma: s.Param("gamma", nn.Const(1e-6), dim),
	}
}

// Forward implements nn.Layer. γ scales the second map, which is less work than to scale what it makes of each pixel.
func (b *nextBlock) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	path := strings.TrimSuffix(b.gamma.Name, ".gamma")
	x = g.Tap(path+nn.LayerInput, x)
	h := op.GELU(b.up.Forward(g, b.norm.Forward(g, b.depth.Forward(g, x))))
	gamma := g.Use(b.gamma)
	w := op.Mul(g.Use(b.down.W), op.Reshape(gamma, b.gamma.Size(), 1))
	return op.Add(x, g.Tap(path+nn.LayerOutput, op.Linear(h, w, op.Mul(g.Use(b.down.B), gamma))))
}
