package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/kernel/vec"
	"github.com/attnconv/attnconv/internal/stream"
	"github.com/attnconv/attnconv/posenc"
)

// heads returns from, the heads of the donor by layers, as d says: in the other order, with turned centers.
func (d Donor) heads(from [][]posenc.Head) (layers [][]posenc.Head) {
	for l, heads := range from {
		heads = slices.Clone(heads)
		for h := range heads {
			if d.Rotated != nil {
				angle := 2 * math.Pi * stream.Rand(*d.Rotated, fmt.Sprintf("rotated/%d.%d", l, h)).Float64()
				sin, cos := math.Sincos(angle)
				c := heads[h].Center
				heads[h].Center = [2]float64{cos*c[0] - sin*c[1], sin*c[0] + cos*c[1]}
			}
		}
		layers = append(layers, heads)
	}
	if d.Reversed {
		slices.Reverse(layers)
	}
	return layers
}

// Place puts the Gaussian heads of n where d says, of from and isotropic, what Network.Heads returns of the donor. All
// other weights keep their bits. The error says what does not fit; then no weight has changed.
func (n *Network) Place(d Donor, from [][]posenc.Head, isotropic bool) error {
	own, ownIsotropic := n.Heads()
	if len(from) != len(own) {
		return fmt.Errorf("it has heads of %d layers, this network of %d", len(from), len(own))
	}
	if isotropic != ownIsotropic {
		name := map[bool]string{true: "quadratic", false: "quadratic-general"}
		return fmt.Errorf("its heads are of encoding %s, those of this network of %s", name[isotropic],
			name[ownIsotropic])
	}
	from = d.heads(from)
	for l := range own {
		if len(from[l]) != len(own[l]) {
			return fmt.Errorf("it has %d heads for layer %d, which has %d", len(from[l]), l+1, len(own[l]))
		}
	}
	kept := map[string][]float32{} // what is not taken, or all of it if something is not finite
	for _, p := range n.Params {
		kept[p.Name] = slices.Clone(p.Data)
	}
	for l, g := range n.gaussians() {
		for h, head := range from[l] {
			g.Put(h, head)
		}
	}
	finite := true
	for _, p := range n.Params {
		finite = finite && vec.Finite(p.Data)
		if !d.Centers && strings.HasSuffix(p.Name, headParams["centers"]) ||
			!d.Widths && strings.HasSuffix(p.Name, headParams["widths"]) {
			copy(p.Data, kept[p.Name])
		}
	}
	if finite {
		return nil
	}
	for _, p := range n.Params {
		copy(p.Data, kept[p.Name])
	}
	return errors.New("one of its heads has no finite center, or no width")
}
