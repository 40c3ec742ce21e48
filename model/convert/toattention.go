package convert

import (
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/posenc/geometry"
	"github.com/attnconv/attnconv/theorem"
)

// Options says what heads ToAttention makes.
type Options struct {
	// Alpha is α of the heads, in 1/tokens²; their standard deviation is 1/√(2α) tokens. From Hard on, a head sees one
	// key; with smaller α, gradients move it.
	Alpha float64
	// Gate puts a gate between each head and a content-based one, as in GPSA (d'Ascoli et al. 2021). Content has
	// 1 - σ(16) = 1e-7 of the weight.
	Gate bool
	Seed uint64 // of the queries and keys behind the gate
}

// Hard is an α from which the weights of other keys are below the rounding error of float32: exp(-Hard) < 2⁻⁶⁴.
const Hard = 46

const (
	closed  = 16      // a gate's λ; initially it is 1
	ofHeads = "heads" // convolutions: a name in model.Convolutions
)

// ToAttention returns a network whose convolutions of tokens are attention with encoding quadratic: a k × k convolution
// becomes k² heads, with centers on the kernel taps. Blocks of attention stay. All other weights are those of n.
//
// So do the 3 × 3 convolutions of a residual network or a convnet, except for the one of pixels. Each becomes nine
// heads (model.convolution heads).
//
// With zeros around the image, a head sees a k × k window whose keys outside of the image have zero channels, and the
// layers are equal for any α: with P[h,δ] the weight of head h on shift δ,
//
//	Σ_h P[h,δ]·W_h = W_δ  for  W_h = Σ_δ (P⁻¹)[δ,h]·W_δ
//
// With a repeated edge, a head sees all keys of the image, and must be hard: the nearest one is that of the edge.
//
// The error is a *LayerError for a network without convolutions of tokens and for a layer that has no counterpart.
func ToAttention(n *model.Network, o Options) (converted *model.Network, layers []Layer, err error) {
	if err := check(n); err != nil {
		return nil, nil, err
	}
	if !(o.Alpha > 0) {
		return nil, nil, fmt.Errorf("alpha %v: want a number above 0", o.Alpha)
	}
	if n.Spec.Blocks() == nil {
		return o.convolutions(n)
	}
	fits := make([]*theorem.Fit, len(n.Spec.Blocks())) // nil: the layer stays
	converted, err = rewrite(n, o.Seed, func(i int, b model.BlockSpec, e model.Block) (model.Block, error) {
		switch {
		case b.Attends():
			return e, nil
		case b.Kind.Name != "conv":
			return e, &LayerError{i + 1, fmt.Sprintf("its %s has no counterpart in attention; want blocks of kind conv or "+
				"attention", b.Kind.Help)}
		case b.Dilation > 1:
			return e, &LayerError{i + 1, fmt.Sprintf("its convolution has a dilation of %d, which convert does not do; "+
				"want 1", b.Dilation)}
		case b.Border == "replicate" && o.Alpha < Hard:
			return e, &LayerError{i + 1, fmt.Sprintf("its convolution repeats the edge of the image, which only hard "+
				"heads do; want an α of %d or more, or a network trained with model.border zero", Hard)}
		}
		k := mixer(n, i, "conv.weight").Shape[2]
		fit := theorem.OnTaps(k, o.Alpha)
		fits[i] = &fit
		layers = append(layers, Layer{Layer: i + 1, Size: k, Heads: k * k, Condition: fit.Condition})
		return o.block(b, e, k), nil
	})
	if err != nil {
		return nil, nil, err
	}
	if layers == nil {
		return nil, nil, &LayerError{Reason: "it has no convolution of tokens"}
	}
	for i, fit := range fits {
		if fit != nil {
			o.fill(converted, n, i, fit)
		}
	}
	return converted, layers, nil
}

// convolutions converts a network of convolutions.
func (o Options) convolutions(n *model.Network) (converted *model.Network, layers []Layer, err error) {
	const size = 3
	if o.Gate {
		return nil, nil, &LayerError{Reason: fmt.Sprintf("a gate to content is for heads of tokens, not for a %s; "+
			"want no gate", n.Spec.Kind)}
	}
	if n.Spec.Convolution == ofHeads {
		return nil, nil, &LayerError{Reason: "its convolutions are attention already"}
	}
	fit := theorem.OnTaps(size, o.Alpha)
	converted, err = remake(n, ofHeads, func(to, from *conv.Conv) {
		o.place(to.Taps.(*attention.Taps).Encoding, size)
		for i := 0; i < len(to.W.Data); i += size * size { // (out, in, heads)
			fit.Matrices(to.W.Data[i:][:size*size], from.W.Data[i:][:size*size])
		}
		layers = append(layers, Layer{Layer: len(layers) + 1, Size: size, Heads: size * size, Condition: fit.Condition})
	})
	return converted, layers, err
}

// block returns the entry of a block of attention in the place of a k × k convolution.
func (o Options) block(b model.BlockSpec, e model.Block, k int) model.Block {
	e.Kind = ""
	for _, key := range []string{"border", "size", "dilation", "conv_init"} {
		delete(e.Own, key)
	}
	window, content := model.Window{Size: k}, "none"
	if b.Border == "replicate" {
		window = model.Window{}
	}
	if o.Gate {
		content = "gate"
	}
	// what differs from the network's own
	set := func(key string, differs bool, value any) {
		if delete(e.Own, key); differs {
			e.Own[key] = value
		}
	}
	spec := b.Spec
	set("encoding", true, "quadratic")
	set("heads", true, model.Ints{k * k})
	set("window", spec.Window != window, window)
	set("content", spec.Content != content, content)
	set("value", spec.Value == "factored", "combined")
	set("qkv_bias", !spec.QKVBias, true)
	set("temperature", spec.Temperature != "fixed", "fixed")
	set("init", spec.Init != "default", "default")
	set("heads_init", spec.HeadsInit != "random", "random")
	set("attention_dropout", spec.AttentionDropout != 0, 0.)
	set("head_dim", spec.HeadDim != 0 && !o.Gate, 0)
	set("terms", !slices.Equal(spec.Terms, posenc.TermNames()), posenc.TermNames())
	return e
}

// fill sets the heads of layer i, and their matrices W_h.
func (o Options) fill(to, from *model.Network, i int, fit *theorem.Fit) {
	kernel, value := mixer(from, i, "conv.weight"), mixer(to, i, "value.weight")
	copy(mixer(to, i, "value.bias").Data, mixer(from, i, "conv.bias").Data)
	o.place(to.Attention()[i].Encoding.(posenc.Gaussian), kernel.Shape[2])
	fit.Values(value.Data, kernel.Data, kernel.Shape[1])
	if o.Gate {
		gate := mixer(to, i, "gate").Data
		for h := range gate {
			gate[h] = closed
		}
	}
}

// place puts k² heads on the taps of a k × k kernel.
func (o Options) place(heads posenc.Gaussian, k int) {
	pad := (k - 1) / 2
	for h := range k * k {
		heads.Put(h, geometry.Isotropic([2]float64{float64(h/k - pad), float64(h%k - pad)}, o.Alpha))
	}
}
