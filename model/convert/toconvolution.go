package convert

import (
	"fmt"
	"math"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
)

// ToConvolution returns a network in which attention of Gaussian heads is the convolution that it is. A head in a
// window whose keys outside of the image have zero channels has the same weights for every query, so with P[h,δ] the
// weight of head h on shift δ, the layer is the convolution with zeros around the image and
//
//	W_δ = Σ_h P[h,δ]·W_h
//
// Convolutions of heads (model.convolution) become kernels of taps. Convolutions stay, and all other weights are those
// of n. The error is a *LayerError for a network without attention and for a layer that is no convolution: one
// without such a window, and one that reads the content of the image.
func ToConvolution(n *model.Network) (converted *model.Network, layers []Layer, err error) {
	if err := check(n); err != nil {
		return nil, nil, err
	}
	if n.Spec.Blocks() == nil {
		return toTaps(n)
	}
	became := make([]bool, len(n.Spec.Blocks()))
	converted, err = rewrite(n, 0, func(i int, b model.BlockSpec, e model.Block) (model.Block, error) {
		if !b.Attends() {
			return e, nil
		}
		if reason := noConvolution(b); reason != "" {
			return e, &LayerError{i + 1, reason}
		}
		became[i] = true
		layers = append(layers, Layer{Layer: i + 1, Size: b.Window.Size, Heads: b.Heads, Condition: 1})
		return convolution(b, e, b.Window.Size, "zero"), nil
	})
	if err != nil {
		return nil, nil, err
	}
	if layers == nil {
		return nil, nil, &LayerError{Reason: "it has no attention"}
	}
	heads, _ := n.Heads()
	for i, b := range n.Spec.Blocks() {
		if became[i] {
			sumHeads(converted, n, i, weights(heads[i], b.Window.Size))
		}
	}
	return converted, layers, nil
}

// convolution returns the entry of a convolution in the place of a block of attention.
func convolution(b model.BlockSpec, e model.Block, size int, border string) model.Block {
	e.Kind = "conv"
	for key := range e.Own {
		if key != "ffn" && key != "dropout" && key != "norm" {
			delete(e.Own, key)
		}
	}
	e.Own["size"] = size
	if b.Spec.Border != border {
		e.Own["border"] = border
	}
	if b.Dilation > 1 { // of the network's other convolutions
		e.Own["dilation"] = 1
	}
	return e
}

// toTaps converts a network whose convolutions are of heads.
func toTaps(n *model.Network) (converted *model.Network, layers []Layer, err error) {
	if n.Spec.Convolution != ofHeads {
		return nil, nil, &LayerError{Reason: "it has no attention"}
	}
	converted, err = remake(n, "taps", func(to, from *conv.Conv) {
		heads := from.Taps.(*attention.Taps)
		p := weights(heads.Encoding.Heads(), heads.Size)
		for i := 0; i < len(to.W.Data); i += len(p[0]) {
			for t := range p[0] {
				var sum float64
				for h := range p {
					sum += p[h][t] * float64(from.W.Data[i/len(p[0])*len(p)+h])
				}
				to.W.Data[i+t] = float32(sum)
			}
		}
		layers = append(layers, Layer{Layer: len(layers) + 1, Size: heads.Size, Heads: len(p), Condition: 1})
	})
	return converted, layers, err
}

// noConvolution says why the attention of a block is no convolution, or nothing.
func noConvolution(b model.BlockSpec) string {
	w := b.Window
	switch {
	case !b.Gaussian() || b.ReadsContent():
		return fmt.Sprintf("its attention, %s, does not come only from Gaussian heads", b.Kind.Words(b))
	case b.Factored() || b.Temperature != "fixed":
		return "its heads have values or temperatures of their own; want model.value combined and model.temperature " +
			"fixed"
	case w.Size == 0 || w.Border != "" && w.Border != "zero":
		return "its heads see keys by the border of the image, so they are no convolution; want model.window with " +
			"border zero"
	case w.Stride > 1 || w.Dilation > 1:
		return fmt.Sprintf("its window %v is not that of a convolution; want stride and dilation 1", w)
	}
	return ""
}

// weights returns P (heads, size²): the softmax of each head over the shifts of a window.
func weights(heads []posenc.Head, size int) [][]float64 {
	pad := (size - 1) / 2
	p := make([][]float64, len(heads))
	for h, head := range heads {
		top, sum := math.Inf(-1), 0.
		for t := range size * size {
			r, c := float64(t/size-pad)-head.Center[0], float64(t%size-pad)-head.Center[1]
			q := head.Precision
			score := -(q[0][0]*r*r + (q[0][1]+q[1][0])*r*c + q[1][1]*c*c) / 2
			p[h] = append(p[h], score)
			top = max(top, score)
		}
		for t, score := range p[h] {
			p[h][t] = math.Exp(score - top)
			sum += p[h][t]
		}
		for t := range p[h] {
			p[h][t] /= sum
		}
	}
	return p
}

// sumHeads sets the kernel of layer i.
func sumHeads(to, from *model.Network, i int, p [][]float64) {
	kernel, value := mixer(to, i, "conv.weight"), mixer(from, i, "value.weight")
	if bias := mixer(to, i, "conv.bias").Data; from.Spec.Blocks()[i].QKVBias {
		copy(bias, mixer(from, i, "value.bias").Data)
	} else {
		clear(bias)
	}
	out, in, taps := kernel.Shape[0], kernel.Shape[1], kernel.Shape[2]*kernel.Shape[3]
	for j := range out {
		for c := range in {
			for t := range taps {
				var sum float64
				for h := range p {
					sum += p[h][t] * float64(value.Data[(j*len(p)+h)*in+c])
				}
				kernel.Data[(j*in+c)*taps+t] = float32(sum)
			}
		}
	}
}
