package convert

import (
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
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
// The error is an *Unconverted for a network without convolutions of tokens and for a layer that has no counterpart.
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
			return e, &Unconverted{i + 1, "no attention layer is a " + b.Kind.Help}
		case b.Border == "replicate" && o.Alpha < Hard:
			return e, &Unconverted{i + 1, fmt.Sprintf("its convolution repeats the edge of the image, which only hard "+
				"heads do; want an α of %d or more, or a network trained with model.border zero", Hard)}
		}
		k := mixer(n, i, "conv.weight").Shape[2]
		fit, err := onTaps(k, o.Alpha)
		if err != nil {
			return e, err
		}
		fits[i] = &fit
		layers = append(layers, Layer{i + 1, k, k * k, fit.Condition})
		return o.block(b, e, k), nil
	})
	if err != nil {
		return nil, nil, err
	}
	if layers == nil {
		return nil, nil, &Unconverted{Reason: "it has no convolution of tokens"}
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
		return nil, nil, &Unconverted{Reason: fmt.Sprintf("a gate to content is for heads of tokens, not for a %s",
			n.Spec.Kind)}
	}
	if n.Spec.Convolution == ofHeads {
		return nil, nil, &Unconverted{Reason: "its convolutions are attention already"}
	}
	fit, err := onTaps(size, o.Alpha)
	if err != nil {
		return nil, nil, err
	}
	converted, err = remake(n, ofHeads, func(to, from *conv.Conv) {
		o.place(to.Taps.(*attention.Taps).Encoding, size)
		for i := 0; i < len(to.W.Data); i += size * size { // (out, in, heads)
			matrices(to.W.Data[i:][:size*size], from.W.Data[i:][:size*size], &fit)
		}
		layers = append(layers, Layer{len(layers) + 1, size, size * size, fit.Condition})
	})
	return converted, layers, err
}

// block returns the entry of a block of attention in the place of a k × k convolution.
func (o Options) block(b model.BlockSpec, e model.Block, k int) model.Block {
	e.Kind = ""
	for _, key := range []string{"border", "size", "conv_init"} {
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
	out, in, k := kernel.Shape[0], kernel.Shape[1], kernel.Shape[2]
	o.place(to.Attention()[i].Encoding.(posenc.Gaussian), k)
	w := make([]float32, k*k)
	for j := range out {
		for c := range in {
			matrices(w, kernel.Data[(j*in+c)*k*k:][:k*k], fit)
			for h, v := range w {
				value.Data[(j*k*k+h)*in+c] = v
			}
		}
	}
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
		heads.Put(h, posenc.Isotropic([2]float64{float64(h/k - pad), float64(h%k - pad)}, o.Alpha))
	}
}

// matrices sets one element of each head's matrix, W_h = Σ_t Φ[h,t]·W_t, from that of each tap's.
func matrices(heads, taps []float32, fit *theorem.Fit) {
	for h := range heads {
		var sum float64
		for t, w := range taps {
			sum += fit.Phi.At(h, t) * float64(w)
		}
		heads[h] = float32(sum)
	}
}

// onTaps returns the fit of the shifts of a k × k kernel by heads of one α with centers on them, which see only them.
func onTaps(k int, alpha float64) (theorem.Fit, error) {
	c := &theorem.Conv[float64]{Geometry: theorem.Geometry{Kernel: []int{k, k}}, In: 1, Out: 1,
		Weight: make([]float64, k*k)}
	var heads []theorem.Head[float64]
	for _, shift := range c.Shifts() {
		head := theorem.Gaussian[float64]{Center: []float64{float64(shift[0]), float64(shift[1])}, Alpha: alpha}
		heads = append(heads, theorem.Windowed[float64](head, c.Shifts()))
	}
	_, fit, err := theorem.FromConvWith(c, heads, []int{k, k})
	return fit, err
}
