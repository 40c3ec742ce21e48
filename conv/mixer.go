package conv

import (
	"strings"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// A MixerBlock is the block of ConvMixer (Trockman, Kolter 2022, arXiv:2201.09792). Its depth-wise convolution mixes
// the pixels of each channel, and its linear map the channels of each pixel:
//
//	h = x + Norm₁(gelu(Depth(x)))
//	y = Norm₂(gelu(Point(h)))
//
// x (batch, rows, cols, dim) -> y (batch, rows, cols, dim)
type MixerBlock struct {
	Depth     *Depthwise
	DepthNorm *Norm
	Point     *nn.Linear // (dim, dim)
	PointNorm *Norm
}

// NewMixerBlock returns a block with k × k filters.
func NewMixerBlock(s nn.Scope, dim, k int) *MixerBlock {
	return &MixerBlock{
		Depth: NewDepthwise(s.In("depth"), dim, k), DepthNorm: NewNorm(s.In("norm1"), dim),
		Point: nn.NewLinear(s.In("point"), dim, dim), PointNorm: NewNorm(s.In("norm2"), dim),
	}
}

// Forward implements nn.Layer.
func (b *MixerBlock) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	path := strings.TrimSuffix(b.Depth.W.Name, ".depth.weight")
	x = g.Tap(path+nn.LayerInput, x)
	x = op.Add(x, g.Tap(path+nn.LayerOutput, b.DepthNorm.Forward(g, op.GELU(b.Depth.Forward(g, x)))))
	return b.PointNorm.Forward(g, op.GELU(b.Point.Forward(g, x)))
}

// A MixerStem follows the map of patches with which ConvMixer begins: y = Norm(gelu(x)).
//
// x (…, dim) -> y (…, dim)
type MixerStem struct{ Norm *Norm }

// Forward implements nn.Layer.
func (s *MixerStem) Forward(g *nn.Graph, x *nn.Node) *nn.Node { return s.Norm.Forward(g, op.GELU(x)) }
