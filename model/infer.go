package model

import (
	"errors"
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

// Infer returns the spec of the network that the weights, named as in a checkpoint, belong to, as far as their names
// and shapes tell; the rest is that of base. What they do not tell is the size of the picture.
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
	heads := spec.Heads
	spec.Heads, spec.Layers = nil, 0
	for {
		at := fmt.Sprintf(layer, spec.Layers) + "attention.self."
		if taps := s[at+"conv.weight"]; len(taps) == 4 {
			spec.Heads = append(spec.Heads, taps[2]*taps[3])
		} else if s.has(at + "value.weight") {
			spec.Heads = append(spec.Heads, s.at(at+"value.weight", 1)/max(1, spec.Dim))
		} else {
			break
		}
		spec.Layers++
	}
	spec.Heads = spec.Heads.short()
	switch {
	case s.has(self + "conv.weight"):
		spec.Kind = "conv-twin"
	case s.has(self+"query.weight") && !s.has(self+"row_embeddings.weight"):
		spec.Encoding, spec.Heads = "content-only", heads // values are the heads' own: their number shows nowhere
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
