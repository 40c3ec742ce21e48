package model

import (
	"math"

	"github.com/attnconv/attnconv/internal/plain"
)

// A plainMixer is a block that mixes tokens without attention, from its definition: float64, a loop for each index. A
// batch is tokens of all images, one behind the other.
//
// It has the names and shapes of the program's parameters, and shares nothing else with it.
type plainMixer struct {
	Rows, Cols, Dim int // of the tokens of an image
	Size            int // of a filter
	Outside         plain.Outside
	Params          map[string][]float64
}

// Conv is ConvMixer's block (Trockman, Kolter 2022):
//
//	h = x + Norm₁(gelu(depthwise(x))),  y = Norm₂(gelu(pointwise(h)))
//
// Norms are of the batch in training, and else of the running statistics.
func (m *plainMixer) Conv(x []float64, train bool) []float64 {
	h := sum(x, m.batchNorm("norm1", geluOf(m.depthwise("depth", x)), train))
	var y []float64
	for t := 0; t < len(h); t += m.Dim {
		y = append(y, m.linear("point", h[t:t+m.Dim])...)
	}
	return m.batchNorm("norm2", geluOf(y), train)
}

// NeXt is ConvNeXt's block (Liu et al. 2022):
//
//	y = x + γ·(W₂·gelu(W₁·LN(depthwise(x)) + b₁) + b₂)
func (m *plainMixer) NeXt(x []float64) (y []float64) {
	normed := m.layerNorm("norm", m.depthwise("dwconv", x))
	for t := 0; t < len(x); t += m.Dim {
		for c, v := range m.linear("pwconv2", geluOf(m.linear("pwconv1", normed[t:t+m.Dim]))) {
			y = append(y, x[t+c]+m.Params["gamma"][c]*v)
		}
	}
	return y
}

// MLP is MLP-Mixer's block (Tolstikhin et al. 2021):
//
//	h = x + W₂·gelu(W₁·LN(x)),    a map of the tokens, the same for each channel
//	y = h + V₂·gelu(V₁·LN(h)),    a map of the channels, the same for each token
func (m *plainMixer) MLP(x []float64) (y []float64) {
	tokens := m.Rows * m.Cols
	for b := 0; b < len(x); b += tokens * m.Dim {
		h := x[b : b+tokens*m.Dim]
		normed, mixed := m.layerNorm("token_norm", h), make([]float64, len(h))
		for c := range m.Dim {
			column := make([]float64, tokens)
			for t := range column {
				column[t] = normed[t*m.Dim+c]
			}
			for t, v := range m.linear("token_down", geluOf(m.linear("token_up", column))) {
				mixed[t*m.Dim+c] = v
			}
		}
		h = sum(h, mixed)
		normed = m.layerNorm("channel_norm", h)
		for t := 0; t < len(h); t += m.Dim {
			f := m.linear("channel_down", geluOf(m.linear("channel_up", normed[t:t+m.Dim])))
			y = append(y, sum(h[t:t+m.Dim], f)...)
		}
	}
	return y
}

// geluOf is x·Φ(x), element by element.
func geluOf(x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v / 2 * (1 + math.Erf(v/math.Sqrt2))
	}
	return y
}

func sum(a, b []float64) []float64 {
	y := make([]float64, len(a))
	for i := range y {
		y[i] = a[i] + b[i]
	}
	return y
}

// depthwise is a convolution of each channel by a filter of its own.
func (m *plainMixer) depthwise(name string, x []float64) (y []float64) {
	depth := plain.Conv{Kernel: []int{m.Size, m.Size}, Same: true, Outside: m.Outside, In: m.Dim, Out: m.Dim,
		Groups: m.Dim, Weight: m.Params[name+".weight"], Bias: m.Params[name+".bias"]}
	for image := m.Rows * m.Cols * m.Dim; len(y) < len(x); {
		y = append(y, depth.Forward([]int{m.Rows, m.Cols}, x[len(y):len(y)+image])...)
	}
	return y
}

// linear is W·x + b.
func (m *plainMixer) linear(name string, x []float64) []float64 {
	y := make([]float64, len(m.Params[name+".bias"]))
	for o := range y {
		y[o] = plain.Dot(x, m.Params[name+".weight"][o*len(x):]) + m.Params[name+".bias"][o]
	}
	return y
}

// batchNorm is γ·(x - μ)/√(σ² + 1e-5) + β of each channel.
func (m *plainMixer) batchNorm(name string, x []float64, train bool) []float64 {
	y := make([]float64, len(x))
	for c := range m.Dim {
		var column []float64
		for i := c; i < len(x); i += m.Dim {
			column = append(column, x[i])
		}
		mean, variance := momentsOf(column)
		if !train {
			mean, variance = m.Params[name+".running_mean"][c], m.Params[name+".running_var"][c]
		}
		for i := c; i < len(x); i += m.Dim {
			y[i] = m.Params[name+".weight"][c]*(x[i]-mean)/math.Sqrt(variance+1e-5) + m.Params[name+".bias"][c]
		}
	}
	return y
}

// layerNorm is γ·(x - μ)/√(σ² + 1e-12) + β of each token.
func (m *plainMixer) layerNorm(name string, x []float64) (y []float64) {
	for t := 0; t < len(x); t += m.Dim {
		mean, variance := momentsOf(x[t : t+m.Dim])
		for c, v := range x[t : t+m.Dim] {
			y = append(y, m.Params[name+".weight"][c]*(v-mean)/math.Sqrt(variance+1e-12)+m.Params[name+".bias"][c])
		}
	}
	return y
}

// momentsOf are the mean of x, and the mean of the squares of what differs from it.
func momentsOf(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	return mean, variance
}

// Stem is what follows ConvMixer's map of patches: Norm(gelu(x)).
func (m *plainMixer) Stem(x []float64, train bool) []float64 {
	return m.batchNorm("norm", geluOf(x), train)
}
