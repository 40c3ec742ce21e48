package vision

import (
	"math"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// An attention is Σ_h P_h·x·V_h, before the map behind it. Its tokens are others first, then those of the grid.
type attention struct {
	grid         analyse.Grid // of the tokens that attend to one another
	all          analyse.Grid // of the image
	heads        int
	channels     int
	qkv          linear    // queries of all heads, then keys, then values: (3·channels, channels)
	qnorm, knorm *norm     // of the channels of a head; nil: none
	bias         []float32 // added to the scores, (heads, tokens, tokens); nil: none
	local        []float32 // ConViT's part by position, behind the softmax, (heads, tokens, tokens); nil: none
	gate         []float32 // σ of the weight of local, (heads)
	split        *windows  // nil: the whole grid
}

func (a *attention) width() int { return a.channels / a.heads }

// project returns queries, keys and values of tokens, (n, 3·channels), with queries and keys normed.
func (a *attention) project(x []float32) []float32 {
	y, d := a.qkv.apply(x), a.width()
	for i, n := range []*norm{a.qnorm, a.knorm} {
		if n == nil {
			continue
		}
		for at := i * a.channels; at < len(y); at += 3 * a.channels {
			copy(y[at:at+a.channels], n.apply(y[at:at+a.channels]))
		}
	}
	scale := float32(1 / math.Sqrt(float64(d)))
	for at := 0; at < len(y); at += 3 * a.channels {
		for i := range a.channels {
			y[at+i] *= scale
		}
	}
	return y
}

// weights returns P of each head, (heads, n, n), of projected tokens. hidden[i] differs for tokens that do not see one
// another; nil: all do.
func (a *attention) weights(qkv []float32, hidden []int) []float32 {
	n, d, step := len(qkv)/(3*a.channels), a.width(), 3*a.channels
	p := make([]float32, a.heads*n*n)
	threads.Parallel(a.heads, func(h int) {
		own := p[h*n*n : (h+1)*n*n]
		q, k := gemm.Strided(qkv[h*d:], n, d, step), gemm.Strided(qkv[a.channels+h*d:], n, d, step)
		gemm.Plan{Serial: true}.Mul(gemm.Matrix(own, n, n), q, k.T())
		for i := range n {
			row := own[i*n : (i+1)*n]
			if a.bias != nil {
				for j, b := range a.bias[(h*n+i)*n : (h*n+i+1)*n] {
					row[j] += b
				}
			}
			for j := range hidden {
				if hidden[j] != hidden[i] {
					row[j] -= 100 // as the source has it: not infinite
				}
			}
		}
		vec.SoftmaxDrop(own, n, vec.Dropout{}, 0)
		for i := range n {
			if a.local != nil {
				mixed(own[i*n:(i+1)*n], a.local[(h*n+i)*n:], a.gate[h])
			}
		}
	})
	return p
}

// mixed is (1 - g)·p + g·local, divided by its sum.
func mixed(p, local []float32, g float32) {
	sum := 0.0
	for j, v := range p {
		p[j] = (1-g)*v + g*local[j]
		sum += float64(p[j])
	}
	for j := range p {
		p[j] = float32(float64(p[j]) / sum)
	}
}

// mix returns Σ_k P_qk·v_k of each head, (n, channels), of values that are the last channels of rows of step.
func (a *attention) mix(p, values []float32, step int) []float32 {
	n, d := len(values)/step, a.width()
	y := make([]float32, n*a.channels)
	threads.Parallel(a.heads, func(h int) {
		v := gemm.Strided(values[step-a.channels+h*d:], n, d, step)
		gemm.Plan{Serial: true}.Mul(gemm.Strided(y[h*d:], n, d, a.channels), gemm.Matrix(p[h*n*n:(h+1)*n*n], n, n), v)
	})
	return y
}

// localOf returns the part of ConViT's heads by position, behind the softmax:
//
//	u·(δ₂, δ₁, ‖δ‖²) + b,  δ = k - q in rows and columns
//
// of weight (heads, 3) and bias (heads).
func localOf(g analyse.Grid, weight, bias []float32) []float32 {
	n := g.Tokens()
	p := make([]float32, len(bias)*n*n)
	for h, b := range bias {
		for q := range n {
			row := p[(h*n+q)*n:][:n]
			for k := range n {
				s := g.Shift(q, k)
				r, c := float32(s[0]), float32(s[1])
				row[k] = weight[3*h]*c + weight[3*h+1]*r + weight[3*h+2]*(r*r+c*c) + b
			}
		}
	}
	vec.SoftmaxRows(p, p, n)
	return p
}
