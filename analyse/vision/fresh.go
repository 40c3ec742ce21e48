package vision

import (
	"math"
	"math/rand/v2"
	"strings"

	"github.com/attnconv/attnconv/internal/stream"
	"github.com/attnconv/attnconv/model/ckpt"
)

// A drawing is how the elements of a tensor are drawn before training. The zero value is zeros.
type drawing struct {
	constant  float64
	deviation float64             // of a normal distribution, cut at two units; 0: none
	uniform   float64             // bound of a uniform distribution; 0: none
	each      func(i int) float64 // of element i; nil: as above
}

// Fresh returns the network before training, drawn as its authors draw it.
func (n *Network) Fresh(seed uint64) (*Network, error) {
	var drawn []ckpt.Tensor
	for _, t := range n.weights.all {
		d, ok := drawing{}, false
		if n.family.draw != nil {
			d, ok = n.family.draw(t.Name, t.Shape)
		}
		if !ok {
			d = usual(t.Name, t.Shape)
		}
		data, r := make([]float32, len(t.Data)), stream.Rand(seed, "vision."+t.Name)
		for j := range data {
			data[j] = float32(d.draw(r, j))
		}
		drawn = append(drawn, ckpt.Tensor{Name: t.Name, Shape: t.Shape, Data: data})
	}
	return n.family.build(n.family, newWeights(drawn), n.settings)
}

func (d drawing) draw(r *rand.Rand, i int) float64 {
	switch {
	case d.each != nil:
		return d.each(i)
	case d.uniform > 0:
		return d.uniform * (2*r.Float64() - 1)
	case d.deviation > 0:
		for {
			if v := r.NormFloat64(); math.Abs(v) <= 2 {
				return d.deviation * v
			}
		}
	}
	return d.constant
}

// usual is how timm draws a tensor, and most others.
func usual(name string, shape []int) drawing {
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case strings.HasPrefix(name, "stem.") && len(shape) == 4, name == "stem.0.bias":
		fan := 1.0 // PyTorch's default for convolutions
		for _, n := range shape[1:] {
			fan *= float64(n)
		}
		return drawing{uniform: 1 / math.Sqrt(fan)}
	case name == "cls", name == "dist", name == "reg", name == "registers":
		return drawing{deviation: 1e-6}
	case last == "ls1", last == "ls2":
		return drawing{constant: 1e-5}
	case last == "bias":
		return drawing{}
	case len(shape) == 1:
		return drawing{constant: 1}
	}
	return drawing{deviation: 0.02}
}
