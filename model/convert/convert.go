// Package convert turns the convolutions of a network into attention that computes the same, and attention by position
// into the convolutions that it is.
//
// ToAttention is Theorem 1 for a whole trained network, and its generalization to heads with a living gradient.
//
// Stable: ToAttention and ToConvolution. The package is new, and other names may change.
package convert

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/null"
)

// A Layer describes a converted layer.
type Layer struct {
	Layer int `json:"layer"` // from 1
	Size  int `json:"size"`  // of the kernel, along a side
	Heads int `json:"heads"` // number
	// Condition is the condition number of the heads' weights as a matrix, (heads, shifts): how much larger the
	// relative rounding error of the converted layer may be. It is 1 for hard heads.
	Condition float64 `json:"condition"`

	// Of the convolution nearest to attention:
	Border string      `json:"border,omitempty"` // around the image: zero or replicate
	Exact  bool        `json:"exact,omitempty"`  // the attention is that convolution
	R2     *null.Float `json:"r2,omitempty"`     // R² of its outputs on validation images; null: not measured
}

// LayerError is the error for a layer that cannot be converted.
type LayerError struct {
	Layer  int // from 1; 0: the network
	Reason string
}

func (e *LayerError) Error() string {
	if e.Layer == 0 {
		return e.Reason
	}
	return fmt.Sprintf("layer %d: %s", e.Layer, e.Reason)
}

// rewrite returns the network with other blocks, whose parameters are n's where name and shape are equal. Function each
// returns the entry of layer i (from 0) in the new list of blocks, given what the old one says.
func rewrite(n *model.Network, seed uint64, each func(i int, b model.BlockSpec, e model.Block) (model.Block, error)) (
	*model.Network, error) {
	spec, blocks := n.Spec, n.Spec.Blocks()
	spec.Kind, spec.Layers = "mhsa", nil
	own := model.Kinds.Find(n.Spec.Kind).Block
	i := 0
	for _, entry := range n.Spec.Layers {
		for range max(1, entry.Repeat) {
			e := model.Block{Kind: entry.Kind, Repeat: 1, Own: maps.Clone(entry.Own)}
			if e.Kind == "" && own != "attention" {
				e.Kind = own
			}
			if e.Own == nil {
				e.Own = map[string]any{}
			}
			e, err := each(i, blocks[i], e)
			if err != nil {
				return nil, err
			}
			spec.Layers = spec.Layers.Plus(e)
			i++
		}
	}
	if !slices.ContainsFunc(spec.Layers, func(e model.Block) bool { return e.Kind != "conv" }) {
		spec.Kind = "conv-twin"
		for i := range spec.Layers {
			spec.Layers[i].Kind = ""
		}
	}
	if !slices.ContainsFunc(spec.Blocks(), model.BlockSpec.Gaussian) {
		spec.HeadsInit = "random" // no heads have centers
	}
	return build(n, spec, seed)
}

// build returns the network of spec. Its parameters are n's where name and shape are equal.
func build(n *model.Network, spec model.Spec, seed uint64) (*model.Network, error) {
	converted, err := model.New(spec, seed)
	if err != nil {
		return nil, err
	}
	old := map[string]*nn.Param{}
	for _, p := range n.Params {
		old[p.Name] = p
	}
	for _, p := range converted.Params {
		if from := old[p.Name]; from != nil && slices.Equal(from.Shape, p.Shape) {
			copy(p.Data, from.Data)
		}
	}
	return converted, nil
}

// mixer returns a parameter of what mixes the tokens of layer i (from 0).
func mixer(n *model.Network, i int, name string) *nn.Param { return blockParam(n, i, "self."+name) }

// blockParam returns a parameter of the attention of layer i (from 0), or of what is in its place.
func blockParam(n *model.Network, i int, name string) *nn.Param {
	name = "encoder.layer." + strconv.Itoa(i) + ".attention." + name
	at := slices.IndexFunc(n.Params, func(p *nn.Param) bool { return strings.TrimPrefix(p.Name, "model.") == name })
	if at < 0 {
		panic("convert: no parameter is called " + name)
	}
	return n.Params[at]
}

func check(n *model.Network) error {
	if n == nil || n.Layer == nil {
		return errors.New("the network is nil or empty: want one of model.New or model.Load")
	}
	if n.Spec.Blocks() == nil && !n.Spec.Uses("convolution") {
		return &LayerError{Reason: fmt.Sprintf("a %s has neither blocks of tokens nor convolutions that are known here",
			n.Spec.Kind)}
	}
	return nil
}

// remake returns the network with convolutions of another kind, a name in model.Convolutions. Function each sets the
// weights of a convolution.
func remake(n *model.Network, convolution string, each func(to, from *conv.Conv)) (*model.Network, error) {
	spec := n.Spec
	spec.Convolution, spec.HeadsInit, spec.ConvInit = convolution, "random", "random"
	converted, err := build(n, spec, 0)
	if err != nil {
		return nil, err
	}
	for i, to := range converted.Convolutions() {
		each(to, n.Convolutions()[i])
	}
	return converted, nil
}
