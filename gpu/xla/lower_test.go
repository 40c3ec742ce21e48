package xla

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/attnconv/attnconv/internal/kernel/vec"
	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
)

// backend runs GoMLX's graphs in plain Go.
func backend(t *testing.T) compute.Backend {
	t.Helper()
	b, err := gobackend.New("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Finalize)
	return b
}

// runLowered runs f in a graph of GoMLX's on inputs of the shapes, and returns the elements of its results.
func runLowered(t *testing.T, b compute.Backend, in [][]float32, shape []op.Shape,
	f func(in []*graph.Node) []*graph.Node,
) (out [][]float32) {
	t.Helper()
	g := graph.NewGraph(b, t.Name())
	defer g.Finalize()
	var nodes []*graph.Node
	var buffers []compute.Buffer
	for i, s := range shape {
		at := shapes.Make(dtypes.Float32, s...)
		nodes = append(nodes, graph.Parameter(g, fmt.Sprint(i), at))
		buffer, err := b.BufferFromFlatData(0, in[i], at)
		if err != nil {
			t.Fatal(err)
		}
		buffers = append(buffers, buffer)
	}
	if err := g.Compile(f(nodes)...); err != nil {
		t.Fatal(err)
	}
	results, err := g.Executable().Execute(buffers, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		at, err := r.Shape()
		if err != nil {
			t.Fatal(err)
		}
		values := make([]float32, at.Size())
		if err := r.ToFlatData(values); err != nil {
			t.Fatal(err)
		}
		out = append(out, values)
	}
	return out
}

// loweringOf returns a lowering for the step and the labels of op.Cases.
func loweringOf(g *graph.Graph) *lowering {
	l := newLowering(g)
	l.step = graph.Const(g, []uint32{5, 0})
	l.labels = graph.Const(g, []int32{2, 0, -1, 1})
	return l
}

// Each operation that layers record has an equation here, with the result and the gradients of the CPU's kernel.
func TestLowered(t *testing.T) {
	b := backend(t)
	for _, c := range op.Cases() {
		if !onlyCPU(c.Op) {
			t.Run(fmt.Sprintf("%s %v", c.Op, c.In), func(t *testing.T) { checkLowered(t, b, c) })
		}
	}
}

// onlyCPU reports whether only the CPU's rewrites make o, or only the CPU has it.
func onlyCPU(o op.Op) bool {
	switch o := o.(type) {
	case op.MixContentOp:
		return o.Shift || !o.Heads.Window.All()
	case op.ResidualOp, op.WithTokenOp, op.FirstTokenOp, op.WeightTokensOp, op.GaussianShiftsOp, op.AxisShiftsOp,
		op.NearShiftsOp,
		op.ShiftMapOp, op.HeadScaleOp, op.HeadBlendOp:
		return true
	case op.BatchNormOp:
		return o.Add || o.ReLU
	case op.GELULinearOp, op.ProductOp, op.WithOneOp, op.FoldInputOp, op.FoldKeyOp, op.MixFullOp, op.MixSeparableOp:
		return true
	}
	return false
}

func checkLowered(t *testing.T, b compute.Backend, c op.Case) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var in [][]float32
	for _, s := range c.In {
		in = append(in, random(rng, s.TotalSize()))
	}
	checkLoweredOf(t, b, c, in)
}

// checkLoweredOf is checkLowered of given inputs.
func checkLoweredOf(t *testing.T, b compute.Backend, c op.Case, in [][]float32) {
	t.Helper()
	shape, err := c.Op.Shape(c.In)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	var dIn [][]float32
	for _, s := range c.In {
		dIn = append(dIn, make([]float32, s.TotalSize()))
	}
	y, dy := make([]float32, shape.TotalSize()), random(rng, shape.TotalSize())
	k := kernelOf(c.Op, c.In)
	k.Forward(y, in)
	k.Backward(dIn, slices.Clone(dy), y, in)
	out := runLowered(t, b, append(in, dy), append(slices.Clone(c.In), shape), func(in []*graph.Node) []*graph.Node {
		last := len(in) - 1
		y := loweringOf(in[0].Graph()).equation(c.Op, in[:last])
		if y == nil {
			t.Fatal("equation has no case for it")
		}
		return append([]*graph.Node{y}, graph.Gradient(graph.ReduceAllSum(graph.Mul(y, in[last])), in[:last]...)...)
	})
	alikeTo(t, "y", out[0], y)
	for i := range in {
		alikeTo(t, fmt.Sprintf("gradient of input %d", i), out[1+i], dIn[i])
	}
}

// kernelOf returns the CPU's kernel of o, with its scratch memory.
func kernelOf(o op.Op, in []op.Shape) op.Kernel {
	k := o.Kernel(in)
	for _, s := range slices.Concat(k.Scratch, k.BackScratch) {
		*s.At = make([]float32, s.Floats)
	}
	return k
}

// random returns n elements in 0.1..1: of larger ranges softmaxes would lose small gradients.
func random(rng *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = 0.1 + 0.9*rng.Float32()
	}
	return s
}

// Norms of inputs far from zero, whose differences are a few units in the last place, are those of the CPU.
func TestLoweredFarFromZero(t *testing.T) {
	b := backend(t)
	for _, tt := range []op.Case{
		{Op: op.ResidualNormOp{}, In: []op.Shape{{3, 40}, {3, 40}, {40}, {40}}},
		{Op: op.BatchNormOp{Moments: &op.Moments{}}, In: []op.Shape{{40, 3}, {3}, {3}}},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		var in [][]float32
		for _, s := range tt.In {
			in = append(in, random(rng, s.TotalSize()))
		}
		for i := range in[0] {
			in[0][i] = 1000 + float32(i%7)/16384
		}
		if len(in) > 3 {
			clear(in[1]) // nothing is added
		}
		checkLoweredOf(t, b, tt, in)
	}
}

// alikeTo requires ‖got - want‖ ≤ 1e-5·‖want‖.
func alikeTo(t *testing.T, name string, got, want []float32) {
	t.Helper()
	var difference, size float64
	for i, w := range want {
		size += float64(w) * float64(w)
		difference += float64(got[i]-w) * float64(got[i]-w)
	}
	relative := math.Sqrt(difference / max(size, 1e-12))
	if t.Logf("%s: %.1e", name, relative); !(relative <= 1e-5) {
		t.Errorf("%s is off by %.2g of its length", name, relative)
	}
}

// The second results of operations: how many images the loss found right, and the moments of a norm.
func TestLoweredAside(t *testing.T) {
	b := backend(t)
	rng := rand.New(rand.NewPCG(1, 2))
	target := &op.Target{Labels: []int32{2, 0, -1, 1}}
	logits, y := random(rng, 12), make([]float32, 1)
	entropy, shape := op.CrossEntropyOp{Target: target}, []op.Shape{{4, 3}}
	kernelOf(entropy, shape).Forward(y, [][]float32{logits})
	got := runLowered(t, b, [][]float32{logits}, shape, func(in []*graph.Node) []*graph.Node {
		l := loweringOf(in[0].Graph())
		l.equation(entropy, in)
		return []*graph.Node{l.correct}
	})
	if got[0][0] != float32(target.Correct) {
		t.Errorf("%v are right, want %d", got[0][0], target.Correct)
	}
	m := &op.Moments{}
	norm, shape := op.BatchNormOp{Moments: m}, []op.Shape{{2, 3, 4, 5}, {5}, {5}}
	in := [][]float32{random(rng, 120), random(rng, 5), random(rng, 5)}
	kernelOf(norm, shape).Forward(make([]float32, 120), in)
	got = runLowered(t, b, in, shape, func(in []*graph.Node) []*graph.Node {
		l := loweringOf(in[0].Graph())
		l.equation(norm, in)
		if rows := l.moments[m].rows; rows != m.Rows {
			t.Errorf("%d rows, want %d", rows, m.Rows)
		}
		return []*graph.Node{l.moments[m].mean, l.moments[m].variance}
	})
	alikeTo(t, "mean", got[0], m.Mean)
	alikeTo(t, "variance", got[1], m.Variance)
}

// The masks must be those of the CPU, bit by bit, on both sides of blocks and of 32 bits.
func TestLoweredMask(t *testing.T) {
	b := backend(t)
	d := op.Dropout{Rate: 0.3, Key: 0xfedcba9876543210}
	const step = 1<<40 + 3
	for _, cols := range []int{1, 31, 32, 100} {
		got := runLowered(t, b, [][]float32{{1}}, []op.Shape{{1}}, func(in []*graph.Node) []*graph.Node {
			l := newLowering(in[0].Graph())
			l.step = graph.Const(l.graph, []uint32{step & (1<<32 - 1), step >> 32})
			return []*graph.Node{l.mask(d, 3, cols)}
		})
		want := make([]float32, cols)
		for row := range 3 {
			vec.Dropout{Key: d.Key, Step: step, Rate: d.Rate}.Row(want, uint32(row))
			if !slices.Equal(got[0][row*cols:(row+1)*cols], want) {
				t.Errorf("%d columns: row %d is %v, want %v", cols, row, got[0][row*cols:(row+1)*cols], want)
			}
		}
	}
}

// An operation without an equation is named.
func TestUnlowered(t *testing.T) {
	defer func() {
		if err, ok := recover().(*Unlowered); !ok || !strings.HasPrefix(err.Error(), "content-scores") {
			t.Errorf("panic %v, want an *Unlowered that names the operation", err)
		}
	}()
	_, err := nn.Build(false, func(g *nn.Graph) {
		q, k := g.Input("q", make([]float32, 24), 1, 6, 4), g.Input("k", make([]float32, 24), 1, 6, 4)
		n := op.Apply(op.ContentScoresOp{Heads: op.Heads{Count: 1, Rows: 2, Cols: 3}, Scale: 1}, q, k)
		newLowering(graph.NewGraph(backend(t), "scores")).of(n)
	})
	t.Errorf("no panic, and %v", err)
}
