package convert

import (
	"math"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/model"
)

// A Kernel is a convolution that replaces the attention of a block.
type Kernel struct {
	analyse.Kernel        // with a square of shifts
	Border         string // a name in model.Borders
	// Whole says that the kernel also replaces the linear map behind attention, which becomes the identity.
	Whole bool
}

// size is the number of taps along a side.
func (k *Kernel) size() int { return int(math.Round(math.Sqrt(float64(len(k.Shifts))))) }

// Replace returns a network whose block i has the convolution kernels[i] instead of attention; nil keeps the block. All
// other weights are those of n. Package analyse/network finds the kernels.
func Replace(n *model.Network, kernels []*Kernel) (*model.Network, error) {
	if err := check(n); err != nil {
		return nil, err
	}
	converted, err := rewrite(n, 0, func(i int, b model.BlockSpec, e model.Block) (model.Block, error) {
		if k := kernels[i]; k != nil {
			e = convolution(b, e, k.size(), k.Border)
		}
		return e, nil
	})
	if err != nil {
		return nil, err
	}
	for i, k := range kernels {
		if k != nil {
			k.fill(converted, i)
		}
	}
	return converted, nil
}

// fill sets the weights of block i. Maps are (in, out), a convolution's weight is (out, in, size, size).
func (k *Kernel) fill(to *model.Network, i int) {
	weight, bias := mixer(to, i, "conv.weight"), mixer(to, i, "conv.bias")
	size := k.size()
	for t, s := range k.Shifts {
		tap := (s[0]+size/2)*size + s[1] + size/2
		for j, v := range k.Maps[t] {
			in, out := j/k.Out, j%k.Out
			weight.Data[(out*k.In+in)*size*size+tap] = float32(v)
		}
	}
	for o, v := range k.Bias {
		bias.Data[o] = float32(v)
	}
	if !k.Whole {
		return
	}
	dense := blockParam(to, i, "output.dense.weight")
	clear(dense.Data)
	for o := range dense.Shape[0] {
		dense.Data[o*dense.Shape[1]+o] = 1
	}
	clear(blockParam(to, i, "output.dense.bias").Data)
}
