package model

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/internal/kernel/vec"
	"github.com/attnconv/attnconv/internal/stream"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc"
)

// A Donor is another network, where whose Gaussian heads are those of a new one start: model.heads_init from:FILE, or
// with options before the colon, as in from+centers+rotated=7+reversed:FILE.
type Donor struct {
	File            string
	Centers, Widths bool    // what is taken of a head, one of them or both; the rest is drawn as usual
	Rotated         *uint64 // the seed of the angles by which centers are turned around the query; nil: they are not
	Reversed        bool    // layer l gets the heads of layer L+1-l
}

const fromDonor = "from"

// isDonor reports whether a value of heads_init names a donor.
func isDonor(start string) bool {
	return strings.HasPrefix(start, fromDonor+":") || strings.HasPrefix(start, fromDonor+"+")
}

// Donor returns the network that heads_init names. ok says whether it names one. The error is an *option.Error.
func (s Spec) Donor() (d Donor, ok bool, err error) {
	if !isDonor(s.HeadsInit) {
		return d, false, nil
	}
	bad := func(what string) (Donor, bool, error) {
		return d, true, option.Errorf("model.heads_init", "%s: %s; want from:FILE, or with some of +centers, +widths, "+
			"+rotated=SEED, +reversed before the colon, as in from+centers+reversed:FILE", s.HeadsInit, what)
	}
	options, file, _ := strings.Cut(s.HeadsInit, ":")
	if d.File = file; file == "" {
		return bad("no file is named")
	}
	for _, word := range strings.Split(options, "+")[1:] {
		seed, rotated := strings.CutPrefix(word, "rotated=")
		switch {
		case word == "centers":
			d.Centers = true
		case word == "widths":
			d.Widths = true
		case word == "reversed":
			d.Reversed = true
		case rotated:
			n, err := strconv.ParseUint(seed, 10, 64)
			if err != nil {
				return bad("a seed is a whole number from 0")
			}
			d.Rotated = &n
		default:
			return bad(strconv.Quote(word) + " is no option")
		}
	}
	if d.Rotated != nil && d.Widths && !d.Centers {
		return bad("widths have no direction that could be rotated")
	}
	if !d.Centers && !d.Widths {
		d.Centers, d.Widths = true, true
	}
	return d, true, nil
}

// String says what is taken, and how.
func (d Donor) String() string {
	text := map[[2]bool]string{{true, true}: "centers and widths", {true, false}: "only centers",
		{false, true}: "only widths"}[[2]bool{d.Centers, d.Widths}]
	if d.Rotated != nil {
		text += fmt.Sprintf(", each center turned by an angle of seed %d", *d.Rotated)
	}
	if d.Reversed {
		text += ", the layers in reverse order"
	}
	return text
}

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
	return fmt.Errorf("one of its heads has no finite center, or no width")
}
