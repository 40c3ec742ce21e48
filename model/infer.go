package model

import (
	"fmt"
	"math"

	"github.com/attnconv/attnconv/ckpt"
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

// Infer returns the spec of the network that the weights, named as in a checkpoint, belong to, as far as their names and
// shapes tell; the rest is that of base. What they do not tell is the size of the picture.
func Infer(weights []ckpt.Tensor, base Spec) (Spec, error) {
	s := shapes{}
	for _, t := range weights {
		s[t.Name[len("model."):]] = append([]int{}, t.Shape...)
	}
	if !s.has("features_upscale.weight") {
		return base, fmt.Errorf("model: no weights of a known kind: no tensor is called features_upscale.weight")
	}
	return s.stack(base), nil
}

// stack infers the sizes of a stack of attention.
func (s shapes) stack(spec Spec) Spec {
	const layer = "encoder.layer.%d."
	self := fmt.Sprintf(layer, 0) + "attention.self."
	spec.Kind = "mhsa"
	spec.Dim = s.at("features_upscale.weight", 0)
	spec.Pool = int(math.Sqrt(float64(s.at("features_upscale.weight", 1) / max(1, spec.Image[2]))))
	spec.FFN = s.at(fmt.Sprintf(layer, 0)+"intermediate.dense.weight", 0)
	spec.Classes = s.at("classifier.weight", 0)
	spec.Heads, spec.Layers = nil, 0
	for s.has(fmt.Sprintf(layer, spec.Layers) + "attention.self.value.weight") {
		value := fmt.Sprintf(layer, spec.Layers) + "attention.self.value.weight"
		spec.Heads = append(spec.Heads, s.at(value, 1)/max(1, spec.Dim))
		spec.Layers++
	}
	spec.Heads = spec.Heads.short()
	switch {
	case s.has(self + "query.weight"):
		spec.Encoding = "content"
	case s.has(self + "row_embeddings.weight"):
		spec.Encoding = "learned"
	case len(s[self+"attention_spreads"]) == 3:
		spec.Encoding = "quadratic-general"
	default:
		spec.Encoding = "quadratic"
	}
	if rows := s.at(self+"row_embeddings.weight", 0); rows > 0 {
		spec.MaxPosition = (rows + 1) / 2
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
