package vision

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/vec"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/model/ckpt"
)

// Names of weights, for B a block and S a stage. D is channels, H heads, N tokens of the grid, M hidden channels.
//
//	stem.K.weight (D, 3, P, P), stem.K.bias (D)      from pixels to tokens
//	stem.norm.weight, stem.norm.bias (D)
//	cls, dist (1, 1, D), reg (1, R, D)               tokens that are not on the grid
//	pos (1, N or more, D)                            positions
//	pre.weight, pre.bias (D)                         a norm in front of the first block: refused
//	B.norm1.*, B.norm2.* (D)                         norms of the two branches
//	B.qkv.weight (3·D, D), B.qkv.bias                or q, k, v, or qk and v
//	B.qnorm.*, B.knorm.* (D/H)
//	B.proj.weight (D, D), B.proj.bias
//	B.ls1, B.ls2 (D)                                 LayerScale
//	B.fc1.*, B.fc2.* (M, D), (D, M)
//	B.local.weight (H, 3), B.local.bias, B.gate (H)  of ConViT
//	B.table ((2·w-1)², H)                            of Swin
//	merge.S.norm.*, merge.S.reduction.weight         in front of stage S of Swin
//	norm.*, fcnorm.*, logits.*, head.*, headdist.*   behind the last block
//	pool.weight (1, D), pool.bias                    of CCT

// weights are tensors by name. What was taken is known, so that nothing is left unread.
type weights struct {
	all   map[string]ckpt.Tensor
	files map[string]string // what the file calls tensors
	taken map[string]bool
	err   error // of the first tensor that is missing or has another shape
}

func newWeights(tensors []ckpt.Tensor) *weights {
	w := &weights{all: map[string]ckpt.Tensor{}, files: map[string]string{}, taken: map[string]bool{}}
	for _, t := range tensors {
		w.all[t.Name] = t
	}
	return w
}

func (w *weights) has(name string) bool {
	_, ok := w.all[name]
	return ok
}

// called is what the file calls a tensor.
func (w *weights) called(name string) string { return visible.Word(cmp.Or(w.files[name], name)) }

// missing is what the file would call a tensor that it lacks, as far as another one shows it: 3.fc1.weight for an
// 0.fc1.weight that is there, or weight for a bias.
func (w *weights) missing(name string) string {
	block, rest, _ := strings.Cut(name, ".")
	for there, file := range w.files {
		other, end, _ := strings.Cut(there, ".")
		if end == rest && other != block && strings.Contains(file, other+".") {
			return visible.Word(strings.Replace(file, other+".", block+".", 1))
		}
	}
	return name
}

// shape returns the shape of a tensor, nil if there is none.
func (w *weights) shape(name string) []int { return w.all[name].Shape }

// side returns dimension i of the shape of a tensor; 0: it has none.
func (w *weights) side(name string, i int) int {
	if s := w.shape(name); i < len(s) {
		return s[i]
	}
	return 0
}

// take returns the elements of a tensor of this shape; -1 stands for any number.
func (w *weights) take(name string, shape ...int) []float32 {
	t, ok := w.all[name]
	fits := ok && len(t.Shape) == len(shape)
	for i := range shape {
		fits = fits && (shape[i] < 0 || t.Shape[i] == shape[i])
	}
	if !fits && w.err == nil {
		w.err = fmt.Errorf("%s %v: want shape %v", w.called(name), t.Shape, shape)
		if !ok {
			w.err = fmt.Errorf("%s is missing: want shape %v", w.missing(name), shape)
		}
	}
	if !fits {
		return nil
	}
	w.taken[name] = true
	for i, v := range t.Data {
		if v-v != 0 && w.err == nil {
			w.err = fmt.Errorf("%s: element %d is %v", w.called(name), i, v)
		}
	}
	return t.Data
}

// maybe is take for a tensor that may be missing.
func (w *weights) maybe(name string, shape ...int) []float32 {
	if !w.has(name) {
		return nil
	}
	return w.take(name, shape...)
}

// check returns the first error, or one for tensors that were not taken.
func (w *weights) check() error {
	if w.err != nil {
		return w.err
	}
	for _, name := range slices.Sorted(maps.Keys(w.all)) {
		if !w.taken[name] {
			return unread("%s %v belongs to no part of such a network", w.called(name), w.shape(name))
		}
	}
	return nil
}

// A linear is y = x·Wᵀ + b.
type linear struct {
	weight  []float32 // (out, in)
	bias    []float32 // (out); nil: none
	out, in int
}

// linear takes NAME.weight and, if there is one, NAME.bias.
func (w *weights) linear(name string, out, in int) linear {
	return linear{w.take(name+".weight", out, in), w.maybe(name+".bias", out), out, in}
}

// apply returns rows of x, (n, in), mapped: (n, out).
func (l linear) apply(x []float32) []float32 {
	n := len(x) / l.in
	y := make([]float32, n*l.out)
	gemm.Mul(gemm.Matrix(y, n, l.out), gemm.Matrix(x, n, l.in), gemm.Matrix(l.weight, l.out, l.in).T())
	if l.bias != nil {
		vec.AddRow(y, y, l.bias)
	}
	return y
}

// A norm is a layer norm, n̂·γ + β.
type norm struct {
	gamma, beta []float32
	eps         float64
}

func (w *weights) norm(name string, channels int, eps float64) *norm {
	return &norm{w.take(name+".weight", channels), w.take(name+".bias", channels), eps}
}

func (w *weights) maybeNorm(name string, channels int, eps float64) *norm {
	if !w.has(name + ".weight") {
		return nil
	}
	return w.norm(name, channels, eps)
}

// apply returns rows of x normed; x itself if there is no norm.
func (n *norm) apply(x []float32) []float32 {
	if n == nil {
		return x
	}
	y := n.hat(x)
	for i := range y {
		c := i % len(n.gamma)
		y[i] = y[i]*n.gamma[c] + n.beta[c]
	}
	return y
}

// hat returns n̂ = (x - mean)/√(variance + ε) of each row.
func (n *norm) hat(x []float32) []float32 {
	d := len(n.gamma)
	y := make([]float32, len(x))
	for at := 0; at < len(x); at += d {
		row, mean, variance := x[at:at+d], 0.0, 0.0
		for _, v := range row {
			mean += float64(v)
		}
		mean /= float64(d)
		for _, v := range row {
			variance += (float64(v) - mean) * (float64(v) - mean)
		}
		scale := 1 / math.Sqrt(variance/float64(d)+n.eps)
		for i, v := range row {
			y[at+i] = float32((float64(v) - mean) * scale)
		}
	}
	return y
}
