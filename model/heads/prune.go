package heads

import (
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
)

// Prune returns the network without the heads that drop names, counted from 0. A head goes with its center and spread,
// and with its matrix W_h, the columns of the value map that it alone uses; the bias and all other weights stay. What
// the others compute does not change. Only Gaussian heads can go, and layers of others stay as they are; a layer keeps
// at least one head. With a nil drop, all stay.
//
// Source: prune_degenerated_heads of the reference, which after it trains on.
func Prune(n *model.Network, drop func(layer, head int) bool) (*model.Network, error) {
	if err := whole(n); err != nil {
		return nil, err
	}
	layers, _ := n.Heads()
	blocks := n.Spec.Blocks()
	if layers == nil || blocks == nil || slices.ContainsFunc(blocks, func(b model.BlockSpec) bool {
		return b.Gaussian() &&
			b.Factored()
	}) {
		return nil, fmt.Errorf("only heads of the quadratic encodings, with combined values, can be pruned")
	}
	spec, kept := n.Spec, make([][]int, len(layers))
	spec.Heads, spec.Layers = make(model.Ints, len(layers)), spec.Layers.Without("heads")
	for l, heads := range layers {
		for h := range heads {
			if drop == nil || !drop(l, h) {
				kept[l] = append(kept[l], h)
			}
		}
		spec.Heads[l] = len(kept[l])
		switch {
		case heads == nil:
			spec.Heads[l] = blocks[l].Heads
		case kept[l] == nil:
			return nil, fmt.Errorf("layer %d would have no head left", l+1)
		}
	}
	small, err := model.New(spec, 0)
	if err != nil {
		return nil, err
	}
	for i, p := range small.Params { // the same, in the same order, but for their sizes
		old := n.Params[i]
		layer, own, _ := mixerParam(p.Name)
		switch {
		case slices.Equal(p.Shape, old.Shape):
			copy(p.Data, old.Data)
		case own == "value.weight":
			keepColumns(p, old, kept[layer])
		default:
			keepRows(p, old, kept[layer])
		}
	}
	return small, nil
}

// keepRows copies some entries of the first axis.
func keepRows(to, from *nn.Param, rows []int) {
	size := len(to.Data) / to.Shape[0]
	for i, r := range rows {
		copy(to.Data[i*size:(i+1)*size], from.Data[r*size:])
	}
}

// keepColumns copies the columns of some heads.  from (out, all heads·in) -> to (out, heads·in), head-major
func keepColumns(to, from *nn.Param, heads []int) {
	out, in := to.Shape[0], to.Shape[1]/len(heads)
	for j := range out {
		row := from.Data[j*from.Shape[1]:]
		for i, h := range heads {
			copy(to.Data[j*to.Shape[1]+i*in:][:in], row[h*in:])
		}
	}
}
