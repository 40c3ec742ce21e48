package model

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/attnconv/attnconv/ckpt"
	"github.com/attnconv/attnconv/posenc"
)

// shapes are those of a file's weights, by their names without "model.".
type shapes map[string][]int

// at returns the size of a tensor along a dimension; 0 where it has none.
func (s shapes) at(name string, dim int) int {
	if shape := s[name]; dim < len(shape) {
		return shape[dim]
	}
	return 0
}

func (s shapes) has(name string) bool { return s[name] != nil }

// Infer returns the spec of the network that the weights, named as in a checkpoint, belong to, as far as their names
// and shapes tell; the rest is that of base. What they do not tell is the size of the image.
func Infer(weights []ckpt.Tensor, base Spec) (Spec, error) {
	s := shapes{}
	for _, t := range weights {
		s[t.Name[len("model."):]] = append([]int{}, t.Shape...)
	}
	switch {
	case s.has("features_upscale.weight"):
		return s.stack(base), nil
	case s.has("conv1.weight"):
		return s.resNet(base)
	}
	return base, errors.New("model: no weights of a known kind: " +
		"no tensor is called features_upscale.weight or conv1.weight")
}

// resNet infers width and depth of a residual network.
func (s shapes) resNet(spec Spec) (Spec, error) {
	var found [4]int
	for i := range found {
		for s.has(fmt.Sprintf("layer%d.%d.conv1.weight", i+1, found[i])) {
			found[i]++
		}
	}
	spec.Width, spec.Classes = s.at("conv1.weight", 0), s.at("fc.weight", 0)
	for kind, depth := range depths {
		if depth == found {
			spec.Kind = kind
			return spec, nil
		}
	}
	return spec, fmt.Errorf("model: no residual network here has stages of %v blocks", found)
}

// stack infers the sizes of a stack of attention, or of its twin with convolutions.
func (s shapes) stack(spec Spec) Spec {
	const layer = "encoder.layer.%d."
	self := fmt.Sprintf(layer, 0) + "attention.self."
	spec.Kind = "mhsa"
	spec.Dim = s.at("features_upscale.weight", 0)
	spec.Pool = int(math.Sqrt(float64(s.at("features_upscale.weight", 1) / max(1, spec.Image[2]))))
	spec.FFN = s.at(fmt.Sprintf(layer, 0)+"intermediate.dense.weight", 0)
	spec.Classes = s.at("classifier.weight", 0)
	if s.has("position_embeddings.weight") {
		spec.Absolute = "learned"
	}
	var heads Ints
	for at := self; s.has(at+"conv.weight") || s.has(at+"value.weight"); {
		heads = append(heads, s.heads(at, spec.Dim))
		at = fmt.Sprintf(layer, len(heads)) + "attention.self."
	}
	spec.Layers = len(heads)
	if s.has(self + "conv.weight") {
		spec.Kind, spec.Heads = "conv-twin", heads.short()
		return spec
	}
	if rows := s.at(self+"row_embeddings.weight", 0); rows > 0 {
		spec.MaxPosition = (rows + 1) / 2
	}
	spec = s.encoding(spec, self)
	if len(heads) > 0 && !slices.Contains(heads, 0) {
		spec.Heads = heads.short()
		return s.own(spec, self, heads[0])
	}
	return s.own(spec, self, 0)
}

// heads returns how many heads the layer whose weights are called at… has; 0 where nothing tells.
func (s shapes) heads(at string, dim int) int {
	table := s.at(at+"row_embeddings.weight", 1) + s.at(at+"col_embeddings.weight", 1)
	switch columns := s.at(at+"value.weight", 1); {
	case s.has(at + "conv.weight"):
		return s.at(at+"conv.weight", 2) * s.at(at+"conv.weight", 3)
	case s.has(at + "attention_centers"):
		return s.at(at+"attention_centers", 0)
	case s.has(at + "head_keys_row.weight"):
		return s.at(at+"head_keys_row.weight", 0)
	case s.has(at+"query.bias") && table > 0: // content: half a table's vector for each half of a query
		return s.at(at+"query.weight", 0) / table
	case columns > dim: // combined values: a map of dim channels for each head
		return columns / max(1, dim)
	}
	return 0
}

// encoding infers the encoding from the first layer, whose weights are called self…
func (s shapes) encoding(spec Spec, self string) Spec {
	query, key, shifts := s.has(self+"query.weight"), s.has(self+"key.weight"), s.has(self+"row_key.weight")
	own, ownShift := s.has(self+"key_bias"), s.has(self+"shift_bias")
	switch {
	case shifts || own || query && !s.has(self+"query.bias"):
		if spec.Encoding != "relative" { // else its terms were said, and several make the same weights
			spec.Encoding, spec.Terms = "relative", nil
			for i, has := range []bool{query && key, query && shifts, own, ownShift} {
				if has {
					spec.Terms = append(spec.Terms, posenc.TermNames()[i])
				}
			}
		}
	case query && !s.has(self+"row_embeddings.weight"):
		spec.Encoding = "content-only"
	case query:
		spec.Encoding = "content"
	case s.has(self + "row_embeddings.weight"):
		spec.Encoding = "learned"
	case len(s[self+"attention_spreads"]) == 3:
		spec.Encoding = "quadratic-general"
	default:
		spec.Encoding = "quadratic"
	}
	return spec
}

// own infers whether the heads of the first layer have values of their own, and how many numbers a head has. Where
// nothing tells how many heads there are, it is 0 of them.
func (s shapes) own(spec Spec, self string, heads int) Spec {
	wide, columns := s.at(self+"value.weight", 0), s.at(self+"value.weight", 1)
	factored := columns == spec.Dim && (heads != 1 || wide != spec.Dim)
	if factored != spec.factored() {
		spec.Value = "combined"
		if factored {
			spec.Value = "factored"
		}
	}
	if heads == 0 {
		return spec
	}
	if !factored {
		wide = max(s.at(self+"query.weight", 0), s.at(self+"key.weight", 0))
	}
	if d := wide / heads; wide > 0 && d != spec.headDim(heads) {
		spec.HeadDim = d
	}
	return spec
}

// short makes a list of equal numbers one number.
func (v Ints) short() Ints {
	for _, n := range v {
		if n != v[0] {
			return v
		}
	}
	return v[:min(1, len(v))]
}
