package attention_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// ownGraph is attention, convolution, attention in somebody's own graph, with residuals by gorgonia.Add, tanh between,
// and a variable of the user's that gorgonia multiplies with.
type ownGraph struct {
	expr    *G.ExprGraph
	graph   *nn.Graph
	x       *G.Node // (batch, tokens, dim)
	loss, y *G.Node
	params  []*nn.Param
	leaves  G.Nodes     // of params, x and the user's variable
	data    [][]float32 // theirs
	weights []float32   // loss = Σ weights·y
}

const ownBatch, ownRows, ownCols, ownDim = 2, 3, 4, 4

const ownTokens = ownRows * ownCols

func newOwnGraph(kind posenc.Kind, rate float64) *ownGraph {
	o := &ownGraph{expr: G.NewGraph()}
	rng := rand.New(rand.NewPCG(5, 6))
	noise := func(n int, size float64) []float32 {
		s := make([]float32, n)
		for i := range s {
			s[i] = float32(size * rng.NormFloat64())
		}
		return s
	}
	leaf := func(name string, data []float32, shape ...int) *G.Node {
		return G.NodeFromAny(o.expr, tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data)), G.WithName(name))
	}
	s, grid := nn.NewScope(7), posenc.Grid{Rows: ownRows, Cols: ownCols}
	attend := func(s nn.Scope) nn.Layer {
		enc := kind.New(s, posenc.Options{Heads: 2, Dim: ownDim, HeadDim: 3, MaxSide: 4, Terms: posenc.TermNames()})
		return attention.New(s, enc, grid, 2, ownDim, ownDim, rate)
	}
	first, second := attend(s.In("first")), attend(s.In("second"))
	between := nn.Seq{nn.AsGrid{Rows: ownRows, Cols: ownCols}, conv.New(s.In("conv"), ownDim, ownDim, 3, 1, true),
		nn.AsTokens{}}
	o.params = s.Params()

	x, scale := noise(ownBatch*ownTokens*ownDim, 1), noise(ownBatch*ownTokens*ownDim, 1)
	o.x = leaf("x", x, ownBatch, ownTokens, ownDim)
	own := leaf("scale", scale, ownBatch, ownTokens, ownDim)
	o.graph = nn.On(o.expr, true)
	o.graph.At(3)
	h := G.Must(o.graph.Layer(first, o.x))
	h = G.Must(G.Add(o.x, h)) // a residual
	h = G.Must(G.Add(h, G.Must(o.graph.Layer(between, G.Must(G.Tanh(h))))))
	h = G.Must(G.HadamardProd(h, own))
	o.y = G.Must(G.Add(h, G.Must(o.graph.Layer(second, h))))
	o.weights = noise(len(x), 0.1)
	o.loss = G.Must(G.Sum(G.Must(G.HadamardProd(o.y, leaf("weights", o.weights, ownBatch, ownTokens, ownDim)))))

	o.leaves, o.data = G.Nodes{o.x, own}, [][]float32{x, scale}
	for _, p := range o.params {
		// a bias that the softmax cancels is not in the graph
		if node := o.graph.Use(p).Emitted(); reaches(o.loss, node) {
			for i := range p.Data {
				p.Data[i] += float32(0.2 * rng.NormFloat64())
			}
			o.leaves, o.data = append(o.leaves, node), append(o.data, p.Data)
		}
	}
	return o
}

// Every gradient in somebody's own graph equals differences of the loss: of all parameters, of what the user feeds, and
// of the user's variable; by reads and by dual values; in repeated runs; with dropout.
func TestOwnGraph(t *testing.T) {
	for _, kind := range posenc.Kinds {
		for _, rate := range []float64{0, 0.3} {
			for _, dual := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/dropout %v/dual %t", kind.Name, rate, dual), func(t *testing.T) {
					newOwnGraph(kind, rate).check(t, dual)
				})
			}
		}
	}
}

func (o *ownGraph) check(t *testing.T, dual bool) {
	grads, err := G.Grad(o.loss, o.leaves...)
	if err != nil {
		t.Fatal(err)
	}
	var y G.Value
	G.Read(o.y, &y)
	read := make([]G.Value, len(grads))
	machine := G.NewTapeMachine(o.expr, G.BindDualValues(o.leaves...))
	if !dual {
		for i, n := range grads {
			G.Read(n, &read[i])
		}
		machine = G.NewTapeMachine(o.expr)
	}
	defer machine.Close()
	run := func() {
		t.Helper()
		if err := machine.RunAll(); err != nil {
			t.Fatal(err)
		}
		machine.Reset()
	}
	gradient := func(i int) []float32 {
		if !dual {
			return slices.Clone(read[i].Data().([]float32))
		}
		v, err := o.leaves[i].Grad()
		if err != nil {
			t.Fatal(err)
		}
		g := slices.Clone(v.Data().([]float32))
		v.(*tensor.Dense).Zero() // as solvers do: gorgonia adds the next run's
		return g
	}
	var first, second [][]float32
	run()
	for i := range o.leaves {
		first = append(first, gradient(i))
	}
	run()
	for i := range o.leaves {
		second = append(second, gradient(i))
		if !slices.Equal(first[i], second[i]) {
			t.Errorf("the gradient of %v differs in the second run", o.leaves[i])
		}
	}
	loss := func(w *float32, at float32) (l float64) {
		old := *w
		*w = at
		run()
		*w = old
		for i, v := range y.Data().([]float32) {
			l += float64(v) * float64(o.weights[i])
		}
		return l
	}
	const d = 0.02
	for i, data := range o.data {
		for j := 0; j < len(data); j += 1 + len(data)/3 {
			w := data[j]
			want := (8*(loss(&data[j], w+d)-loss(&data[j], w-d)) - loss(&data[j], w+2*d) +
				loss(&data[j], w-2*d)) / (12 * d)
			if math.Abs(float64(first[i][j])-want) > 1e-4*(1+math.Abs(want)) {
				t.Errorf("gradient of %v at %d: %v, differences say %v", o.leaves[i], j, first[i][j], want)
			}
		}
	}
}
