package op

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
	G "gorgonia.org/gorgonia"

	"github.com/attnconv/attnconv/internal/kernel"
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

// runLowered runs f in a graph of GoMLX's on inputs of the shapes, and returns the numbers of its results.
func runLowered(t *testing.T, b compute.Backend, in [][]float32, shape []Shape,
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
		numbers := make([]float32, at.Size())
		if err := r.ToFlatData(numbers); err != nil {
			t.Fatal(err)
		}
		out = append(out, numbers)
	}
	return out
}

// lowering is one for the step and the labels of TestGradients.
func lowering(g *graph.Graph) *Lowering {
	l := NewLowering(g)
	l.Step = graph.Const(g, []uint32{5, 0})
	l.Labels = graph.Const(g, []int32{2, 0, -1, 1})
	return l
}

// Every operation must give the same result and the same gradients in a graph of GoMLX's as here.
func TestLowered(t *testing.T) {
	b := backend(t)
	for _, tt := range gradientCases() {
		if !fused(tt.op) {
			t.Run(fmt.Sprintf("%s %v", tt.op, tt.in), func(t *testing.T) { checkLowered(t, b, tt) })
		}
	}
	for name, tt := range contentCases() {
		t.Run(name, func(t *testing.T) { checkLowered(t, b, tt) })
	}
}

// fused reports whether only rewrites make o, which are for the CPU alone.
func fused(o Op) bool {
	switch o.(type) {
	case GELULinearOp, ProductOp, WithOneOp, FoldInputOp, FoldKeyOp, MixFullOp, MixSeparableOp:
		return true
	}
	return false
}

func checkLowered(t *testing.T, b compute.Backend, tt gradientCase) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var in [][]float32
	for _, s := range tt.in {
		in = append(in, random(rng, s.TotalSize()))
	}
	checkLoweredOf(t, b, tt, in)
}

// checkLoweredOf is checkLowered of given inputs.
func checkLoweredOf(t *testing.T, b compute.Backend, tt gradientCase, in [][]float32) {
	t.Helper()
	k, shape := tt.kernel(t)
	if k.Lower == nil {
		t.Fatal("has no Lower: it cannot leave the CPU")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	var dIn [][]float32
	for _, s := range tt.in {
		dIn = append(dIn, make([]float32, s.TotalSize()))
	}
	y, dy := make([]float32, shape.TotalSize()), random(rng, shape.TotalSize())
	lay(k)
	k.Forward(y, in)
	k.Backward(dIn, slices.Clone(dy), y, in)
	out := runLowered(t, b, append(in, dy), append(slices.Clone(tt.in), shape), func(in []*graph.Node) []*graph.Node {
		last := len(in) - 1
		y := k.Lower(lowering(in[0].Graph()), in[:last])
		return append([]*graph.Node{y}, graph.Gradient(graph.ReduceAllSum(graph.Mul(y, in[last])), in[:last]...)...)
	})
	alikeTo(t, "y", out[0], y)
	for i := range in {
		alikeTo(t, fmt.Sprintf("gradient of input %d", i), out[1+i], dIn[i])
	}
}

// Norms of numbers that float32 can hardly tell apart are the same in a graph of GoMLX's, too.
func TestLoweredFarFromZero(t *testing.T) {
	b := backend(t)
	for _, tt := range []gradientCase{
		{ResidualNormOp{}, []Shape{{3, 40}, {3, 40}, {40}, {40}}},
		{BatchNormOp{Moments: &Moments{}}, []Shape{{40, 3}, {3}, {3}}},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		var in [][]float32
		for _, s := range tt.in {
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

// alikeTo compares to a hundred-thousandth of the numbers' length.
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

// The numbers that the loss leaves beside its result, and those of a norm.
func TestLoweredAside(t *testing.T) {
	b := backend(t)
	rng := rand.New(rand.NewPCG(1, 2))
	target := &Target{Labels: []int32{2, 0, -1, 1}}
	logits, y := random(rng, 12), make([]float32, 1)
	entropy := CrossEntropyOp{target}.Kernel(nil)
	entropy.Forward(y, [][]float32{logits})
	got := runLowered(t, b, [][]float32{logits}, []Shape{{4, 3}}, func(in []*graph.Node) []*graph.Node {
		l := lowering(in[0].Graph())
		entropy.Lower(l, in)
		return []*graph.Node{l.Correct}
	})
	if got[0][0] != float32(target.Correct) {
		t.Errorf("%v are right, want %d", got[0][0], target.Correct)
	}
	m := &Moments{}
	k, shape := BatchNormOp{false, true, m}.Kernel(nil), []Shape{{2, 3, 4, 5}, {5}, {5}}
	in := [][]float32{random(rng, 120), random(rng, 5), random(rng, 5)}
	k.Forward(make([]float32, 120), in)
	got = runLowered(t, b, in, shape, func(in []*graph.Node) []*graph.Node {
		l := lowering(in[0].Graph())
		k.Lower(l, in)
		lowered := l.Moments(m)
		if lowered.Rows != m.Rows {
			t.Errorf("%d rows, want %d", lowered.Rows, m.Rows)
		}
		return []*graph.Node{lowered.Mean, lowered.Variance}
	})
	alikeTo(t, "mean", got[0], m.Mean)
	alikeTo(t, "variance", got[1], m.Variance)
}

// The masks must be those of the CPU, bit by bit, on both sides of blocks and of 32 bits.
func TestLoweredMask(t *testing.T) {
	b := backend(t)
	d := Dropout{Rate: 0.3, Key: 0xfedcba9876543210}
	const step = 1<<40 + 3
	for _, cols := range []int{1, 31, 32, 100} {
		got := runLowered(t, b, [][]float32{{1}}, []Shape{{1}}, func(in []*graph.Node) []*graph.Node {
			l := &Lowering{Step: graph.Const(in[0].Graph(), []uint32{step & (1<<32 - 1), step >> 32})}
			return []*graph.Node{l.mask(d, in[0].Graph(), 3, cols)}
		})
		want := make([]float32, cols)
		for row := range 3 {
			kernel.Dropout{Key: d.Key, Step: step, Rate: d.Rate}.Row(want, uint32(row))
			if !slices.Equal(got[0][row*cols:(row+1)*cols], want) {
				t.Errorf("%d columns: row %d is %v, want %v", cols, row, got[0][row*cols:(row+1)*cols], want)
			}
		}
	}
}

// An operation that stays on the CPU is named.
func TestUnlowered(t *testing.T) {
	defer func() {
		if err, ok := recover().(*Unlowered); !ok || !strings.HasPrefix(err.Error(), "content-scores") {
			t.Errorf("panic %v, want an *Unlowered that names the operation", err)
		}
	}()
	e := NewGraph(G.NewGraph())
	q := e.Leaf("model.q", tensorOf(make([]float32, 24), 1, 6, 4))
	k := e.Leaf("model.k", tensorOf(make([]float32, 24), 1, 6, 4))
	g := graph.NewGraph(backend(t), "scores")
	l := NewLowering(g)
	for _, n := range []*Node{q, k} {
		l.Place(n, graph.Zeros(g, shapes.Make(dtypes.Float32, 1, 6, 4)))
	}
	l.Lower(ContentScores(Terms{Query: q, Key: k, Scale: 1}, Heads{1, 2, 3}))
}
