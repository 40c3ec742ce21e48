package claims

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/attnconv/attnconv/internal/stream"
	"github.com/attnconv/attnconv/theorem"
)

// Interior is the border of an unpadded convolution, which has outputs only where the whole kernel is inside.
const Interior = "interior"

// Types names the floating-point types.
var Types = []string{"float32", "float64"}

// An Experiment compares random convolutions with the attention layers that FromConv makes of them.
type Experiment struct {
	Axes, Kernel, Size int    // kernel and image have the same size along every axis
	Stride, Dilation   int    // along every axis
	Border             string // one of Borders, or Interior
	Type               string // one of Types
	In, Out            int    // channels
	Heads              int    // 0: one for each entry of the kernel; fewer: those of the largest matrices
	HeadDim            int    // D_h, W_h = W_val·W_out; 0: as large as W_h needs
	Elliptic           bool   // the heads are Gaussians of random shapes instead of isotropic ones
	Alpha              float64
	Trials             int // random kernels, each on its own image
	Seed               uint64
}

// A Deviation is the result of an Experiment: maxima over its trials.
type Deviation struct {
	Max  float64 // |attention - convolution|, the latter with compensated sums
	Rel  float64 // Max divided by the largest |convolution|
	Bits bool    // attention is equal, bit for bit, to the convolution summed in the same order in the same type
	Leak float64 // largest weight of a pixel other than the head's
	Lost float64 // fraction of a kernel's norm that too few heads, or too small ones, lose
}

// Span returns the number of pixels from the first to the last that the kernel reads along an axis.
func (e *Experiment) Span() int { return (e.Kernel-1)*e.Dilation + 1 }

// runAll runs the experiments in parallel. The result does not depend on the number of threads.
func runAll(ctx context.Context, all []Experiment) ([]Deviation, error) {
	found, failed := make([]Deviation, len(all)), make([]error, len(all))
	if err := each(ctx, len(all), func(i int) { found[i], failed[i] = all[i].Run() }); err != nil {
		return nil, err
	}
	return found, first(failed)
}

// mostElements is how many elements an experiment's kernel or image may have.
const mostElements = 1 << 28

// Validate returns the first reason why the experiment cannot run.
func (e *Experiment) Validate() error {
	for _, n := range []struct {
		name       string
		got, least int
	}{
		{"axes", e.Axes, 1}, {"kernel", e.Kernel, 1}, {"size", e.Size, 1}, {"stride", e.Stride, 1},
		{"dilation", e.Dilation, 1},
		{"input channels", e.In, 1}, {"output channels", e.Out, 1}, {"trials", e.Trials, 1}, {"heads", e.Heads, 0},
		{"head dimension", e.HeadDim, 0},
	} {
		if n.got < n.least {
			return fmt.Errorf("experiment: %s: want %d or more, got %d", n.name, n.least, n.got)
		}
	}
	if e.Border != Interior && !slices.Contains(theorem.Borders, e.Border) {
		return fmt.Errorf("experiment: border: want %s or one of %v, got %q", Interior, theorem.Borders, e.Border)
	}
	if !slices.Contains(Types, e.Type) {
		return fmt.Errorf("experiment: type: want one of %v, got %q", Types, e.Type)
	}
	if e.Border == Interior && e.Span() > e.Size {
		return fmt.Errorf("experiment: a kernel that reads %d pixels is nowhere inside of %d", e.Span(), e.Size)
	}
	kernel, image := float64(e.In)*float64(e.Out), float64(e.In)
	for range e.Axes {
		kernel, image = kernel*float64(e.Kernel), image*float64(e.Size)
		if max(kernel, image) > mostElements {
			return fmt.Errorf("experiment: want kernels and images of at most %d elements, got %d axes of %d and %d",
				mostElements, e.Axes, e.Kernel, e.Size)
		}
	}
	return nil
}

// Run runs the experiment in its type. The error is Validate's, or FromConv's.
func (e *Experiment) Run() (Deviation, error) {
	if err := e.Validate(); err != nil {
		return Deviation{}, err
	}
	if e.Type == Types[0] {
		return measure[float32](e)
	}
	return measure[float64](e)
}

// geometry returns the experiment's geometry, padded to keep the image's size unless the border is Interior.
func (e *Experiment) geometry() theorem.Geometry {
	same := func(n int) []int { return slices.Repeat([]int{n}, e.Axes) }
	g := theorem.Geometry{Kernel: same(e.Kernel), Stride: same(e.Stride), Dilation: same(e.Dilation)}
	if e.Border != Interior {
		g.Before, g.After = theorem.Same(g.Kernel, g.Dilation)
		g.Border = theorem.Border(slices.Index(theorem.Borders, e.Border))
	}
	return g
}

// measure computes the attention once for all trials: it does not depend on their kernels.
func measure[F theorem.Float](e *Experiment) (d Deviation, err error) {
	size := slices.Repeat([]int{e.Size}, e.Axes)
	convs, images := make([]*theorem.Conv[F], e.Trials), make([][]F, e.Trials)
	weights := make([][][]F, e.Trials) // trial, head
	ys := make([][]F, e.Trials)
	for n := range convs {
		rng := stream.Rand(e.Seed, fmt.Sprintf("prove/%d/%d/%d", e.Axes, e.Kernel, n))
		c := &theorem.Conv[F]{Geometry: e.geometry(), In: e.In, Out: e.Out}
		randomize(c, rng)
		convs[n], images[n] = c, normal[F](rng, theorem.Volume(size)*e.In, 1)
		var lost float64
		weights[n], lost = matrices(c, e.HeadCount(), e.HeadDim)
		d.Lost = max(d.Lost, lost)
		ys[n] = theorem.Repeated(c.Bias, theorem.Volume(c.OutSize(size)), e.Out)
	}
	l, err := theorem.FromConv(convs[0], theorem.FromOptions{Alpha: e.Alpha})
	if err != nil {
		return d, err
	}
	if e.Elliptic {
		deform(l, stream.Rand(e.Seed, "prove/shapes"))
	}
	z := make([]F, e.In)
	l.Attend(size, func(h, q int, keys []int, p []F) {
		d.Leak = max(d.Leak, second(p))
		for n, x := range images {
			if w := weights[n][h]; w != nil {
				theorem.Mix(z, x, keys, p)
				theorem.AddProduct(ys[n][q*e.Out:(q+1)*e.Out], z, w)
			}
		}
	})
	d.Bits = true
	for n, c := range convs {
		want := definition(c)
		want.Same = e.Border != Interior
		abs, top := distance(ys[n], want.Forward(size, widened(images[n])))
		d.Max, d.Rel = max(d.Max, abs), max(d.Rel, abs/top)
		d.Bits = d.Bits && slices.Equal(ys[n], c.Forward(size, images[n])[0])
	}
	return d, nil
}

// matrices returns W_h for each entry of the kernel, nil for entries without a head, and the fraction of the kernel's
// norm that is lost.
func matrices[F theorem.Float](c *theorem.Conv[F], heads, dim int) (w [][]F, lost float64) {
	w = make([][]F, c.Entries())
	entries, left := largest(c, heads)
	left *= left
	var all, cut float64
	for t := range w {
		m := c.Matrix(t)
		if dim == 0 {
			dim = c.Out
		}
		value, outer, off, norm := theorem.Factor(m, c.In, c.Out, dim)
		all += norm
		if slices.Contains(entries, t) {
			w[t] = theorem.Product(value, outer, c.In, c.Out, dim)
			cut += off
		}
	}
	return w, math.Sqrt(left + cut/max(all, math.SmallestNonzeroFloat64))
}

// entries returns the number of entries of the kernel.
func (e *Experiment) entries() int { return theorem.Volume(slices.Repeat([]int{e.Kernel}, e.Axes)) }

// HeadCount returns the number of heads.
func (e *Experiment) HeadCount() int {
	if e.Heads == 0 {
		return e.entries()
	}
	return min(e.Heads, e.entries())
}

// deform replaces every head by a Gaussian of a random shape that is at least as narrow, Σ⁻¹ = 2α·(I + R·Rᵀ).
func deform[F theorem.Float](l *theorem.Layer[F], rng *rand.Rand) {
	for h, head := range l.Heads {
		g := head.(theorem.Gaussian[F])
		n := len(g.Center)
		e := theorem.Elliptic[F]{Center: g.Center}
		root := make([][]float64, n)
		for a := range root {
			for range n {
				root[a] = append(root[a], rng.NormFloat64()/2)
			}
		}
		for a := range n { // 2α·(I + R·Rᵀ)
			row := make([]F, n)
			for b := range n {
				var sum float64
				for k := range n {
					sum += root[a][k] * root[b][k]
				}
				if a == b {
					sum++
				}
				row[b] = F(2 * float64(g.Alpha) * sum)
			}
			e.Precision = append(e.Precision, row)
		}
		l.Heads[h] = e
	}
}

// distance returns the largest |a - b| and the largest |b|. NaN counts as infinite, and so does another length.
func distance[F, G theorem.Float](a []F, b []G) (abs, top float64) {
	if len(a) != len(b) {
		return math.Inf(1), 1
	}
	for i := range a {
		d := math.Abs(float64(a[i]) - float64(b[i]))
		if math.IsNaN(d) {
			d = math.Inf(1)
		}
		abs, top = max(abs, d), max(top, math.Abs(float64(b[i])))
	}
	return abs, top
}
