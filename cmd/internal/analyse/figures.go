package analyse

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/viz"
)

// drawShares draws how much of each layer's operator is a convolution of each size, next to the mean of untrained
// networks. Layers that have no operator are left out.
func drawShares(d *network.Analysis, width float64) (*viz.Figure, error) {
	var layers []viz.ShareLayer
	draws, replaced := 0, ""
	for _, l := range d.Layers {
		if l.Shares == nil {
			continue
		}
		one := viz.ShareLayer{Number: l.Layer, Shares: l.Shares.List(), Value: math.NaN()}
		if l.Function != nil && l.Function.K3 != nil {
			one.Value, replaced = l.Function.K3.Acc, "accuracy, %, with the layer replaced by a 3 × 3 convolution"
			if d.Unchanged != nil {
				replaced += fmt.Sprintf(" (%.1f as it is)", 100*d.Unchanged.Acc)
			}
		}
		if l.Null != nil {
			one.Null, draws = l.Null.Shares.List(), l.Null.Draws
		}
		layers = append(layers, one)
	}
	if len(layers) == 0 {
		return nil, term.Usagef("", "no layer of %s has an operator: no shares to draw", d.Source)
	}
	f, err := viz.Shares(layers, viz.SharesOptions{
		Parts: []string{"1 × 1", "further 3 × 3", "further 5 × 5", "further 7 × 7", "of any size", "depends on the place"},
		Axis:  "share of the layer's squared norm, %", Null: "mean of " + table.Count(draws, "untrained network"),
		Width: width, Value: replaced,
	})
	if err != nil {
		return nil, err
	}
	f.Title = "How much of each layer's operator is a convolution, by kernel size"
	f.Source, f.Caption = d.Source, analyzed(d)
	return f, nil
}

// analyzed says what was analyzed: the network or, of arrays, nothing.
func analyzed(d *network.Analysis) string {
	if d.Model == "" {
		return ""
	}
	words := []string{cmp.Or(d.Encoding, d.Model)}
	if d.Data != "" {
		words = append(words, d.Data)
	}
	if d.Foreign == nil {
		words = append(words, fmt.Sprintf("seed %d", d.Seed))
	}
	return strings.Join(words, " · ")
}

// An analysisFigure is a figure of an analysis.
type analysisFigure struct {
	Name, Help string
	// Draw draws it; a width of 0 is as the layers need, in cm. nil: it is of epochs, as drawEpochs
	Draw func(d *network.Analysis, width float64) (*viz.Figure, error)
}

// Entry implements option.Named.
func (f analysisFigure) Entry() (name, help string) { return f.Name, f.Help }

// overEpochs is the name of drawEpochs in analysisFigures.
const overEpochs = "curves"

// analysisFigures lists the figures of an analysis, the usual one first. A new one is a line here.
var analysisFigures = option.List[analysisFigure]{
	{"shares", "convolution of each size next to untrained networks, and accuracy without the layer", drawShares},
	{"kernels", "norm of the nearest kernel at each shift", drawKernels},
	{"leverage", "what the heads can express at each shift", drawLeverage},
	{"profiles", "distribution of shifts around the center, of the heads that have one", drawProfiles},
	{"bits", "entropies of each head: blur, place, content", drawBits},
	{"cka", "similarity of what layers read, with --network; of one run or two", drawCKA},
	{overEpochs, "shares of each layer over epochs, with --over epochs", nil},
}

// reach is the largest shift of a figure of kernels: that of 15 × 15.
const reach = 7

// drawKernels draws the norm of the nearest convolution's kernel, for each layer that has an operator.
func drawKernels(d *network.Analysis, width float64) (*viz.Figure, error) {
	f, err := byShift(d, viz.KernelsOptions{Width: width}, "an operator: no kernels",
		func(l network.Layer) [][]float64 { return l.Kernel })
	if err == nil {
		f.Title = "The convolution nearest to each layer: norm of its kernel at each shift"
	}
	return f, err
}

// drawLeverage draws what the heads of each layer can express at each shift: 1 on shifts on which they can be every
// convolution.
func drawLeverage(d *network.Analysis, width float64) (*viz.Figure, error) {
	f, err := byShift(d, viz.KernelsOptions{Width: width, Most: 1, What: "leverage"}, "heads: no leverage",
		func(l network.Layer) [][]float64 {
			if l.Leverage == nil {
				return nil
			}
			return l.Leverage.Map
		})
	if err == nil {
		f.Title = "What the heads of each layer can express: leverage of each shift"
	}
	return f, err
}

// drawProfiles draws the profiles of the heads of each layer that has heads.
func drawProfiles(d *network.Analysis, width float64) (*viz.Figure, error) {
	var layers []viz.ProfileLayer
	for _, l := range d.Layers {
		if l.Profiles == nil {
			continue
		}
		one := viz.ProfileLayer{Number: l.Layer}
		for _, g := range l.Profiles.Groups {
			one.Profiles = append(one.Profiles,
				viz.HeadProfile{Heads: len(g.Heads), Share: float64(g.Share), Values: g.Profile})
		}
		layers = append(layers, one)
	}
	if len(layers) == 0 {
		return nil, term.Usagef("", "no layer of %s has heads: no profiles to draw", d.Source)
	}
	f, err := viz.Profiles(layers, viz.ProfilesOptions{Reach: reach, Width: width})
	if err != nil {
		return nil, err
	}
	f.Title = "Of how many convolutions each layer is a mixture: the profiles of its heads"
	f.Source, f.Caption = d.Source, analyzed(d)
	return f, nil
}

// byShift draws the values of each layer that has some, up to reach. lack says what no layer has and what is not drawn.
func byShift(d *network.Analysis, o viz.KernelsOptions, lack string,
	of func(l network.Layer) [][]float64) (*viz.Figure, error) {
	var layers []viz.LayerKernel
	for _, l := range d.Layers {
		if values := of(l); len(values) > 0 {
			layers = append(layers, viz.LayerKernel{Number: l.Layer, Norm: values})
			o.Reach = max(o.Reach, min(reach, max(len(values), len(values[0]))/2))
		}
	}
	if len(layers) == 0 {
		return nil, term.Usagef("", "no layer of %s has %s to draw", d.Source, lack)
	}
	f, err := viz.Kernels(layers, o)
	if err != nil {
		return nil, err
	}
	f.Source, f.Caption = d.Source, analyzed(d)
	return f, nil
}

// drawBits draws the entropies of each head.
func drawBits(d *network.Analysis, width float64) (*viz.Figure, error) {
	var heads []viz.HeadBits
	for _, l := range d.Layers {
		for _, h := range l.Heads {
			bits := []float64{h.Blur, h.Place, 0}
			if h.Content.Known() {
				bits[2] = float64(h.Content)
			}
			heads = append(heads, viz.HeadBits{Layer: l.Layer, Head: h.Head, Bits: bits})
		}
	}
	if len(heads) == 0 {
		return nil, term.Usagef("", "no layer of %s has heads: no entropies to draw", d.Source)
	}
	f, err := viz.Bits(heads, viz.BitsOptions{Parts: []string{"blur", "place", "content"}, Width: width})
	if err != nil {
		return nil, err
	}
	f.Title = "What decides where each head attends: blur, place, content"
	f.Source, f.Caption = d.Source, analyzed(d)
	return f, nil
}
