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
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// mixed is a small network of layers of ours, for graphs that join them by gorgonia's own operations.
type mixed struct {
	up, over, looked *nn.Linear
	attend           [2]*attention.SelfAttention
	params           []*nn.Param
}

const (
	mixedBatch, mixedRows, mixedCols, mixedIn, mixedDim = 2, 2, 3, 3, 4

	mixedTokens = mixedRows * mixedCols
)

func newMixed(kind posenc.Kind) (m mixed) {
	s := nn.NewScope(3)
	m.up, m.over = nn.NewLinear(s.In("up"), mixedIn, mixedDim), nn.NewLinear(s.In("over"), mixedTokens, mixedTokens)
	m.looked = nn.NewLinear(s.In("looked"), mixedDim, 2)
	for i := range m.attend {
		s, o := s.In(fmt.Sprint("attend", i)), posenc.Options{Heads: 2, Dim: mixedDim, HeadDim: 3, MaxSide: 3,
			Terms: posenc.TermNames()}
		grid := posenc.Grid{Rows: mixedRows, Cols: mixedCols}
		m.attend[i] = attention.New(s, kind.New(s, o), grid, 2, mixedDim, mixedDim, 0)
	}
	m.params = s.Params()
	return m
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func swap(n *G.Node) (*G.Node, error) { return G.Transpose(n, 0, 2, 1) }

// mixedForms are graphs of h = up(x) in which gorgonia's operations stand between ours.
var mixedForms = map[string]func(m mixed, g *nn.Graph, h *nn.Node) *nn.Node{
	"a residual": func(m mixed, g *nn.Graph, h *nn.Node) *nn.Node {
		return g.Binary(G.Add, h, m.attend[0].Forward(g, h))
	},
	"a residual of tanh": func(m mixed, g *nn.Graph, h *nn.Node) *nn.Node {
		h = g.Unary(G.Tanh, h)
		return g.Binary(G.Add, h, m.attend[0].Forward(g, h))
	},
	"two residuals": func(m mixed, g *nn.Graph, h *nn.Node) *nn.Node {
		h = g.Binary(G.Add, h, m.attend[0].Forward(g, h))
		return g.Binary(G.Add, h, m.attend[1].Forward(g, h))
	},
	"tanh between": func(m mixed, g *nn.Graph, h *nn.Node) *nn.Node {
		return m.attend[1].Forward(g, g.Unary(G.Tanh, m.attend[0].Forward(g, h)))
	},
	"a reader that is only looked at": func(m mixed, g *nn.Graph, h *nn.Node) *nn.Node {
		y := g.Binary(G.Add, h, m.attend[0].Forward(g, h))
		must(g.Emit(m.looked.Forward(g, h)))
		return y
	},
	"ours alone, and a reader that is only looked at": func(m mixed, g *nn.Graph, h *nn.Node) *nn.Node {
		y := m.attend[1].Forward(g, m.attend[0].Forward(g, h))
		must(g.Emit(m.looked.Forward(g, h)))
		must(g.Emit(m.looked.Forward(g, y)))
		return y
	},
	"a reader whose gradient ends": func(m mixed, g *nn.Graph, h *nn.Node) *nn.Node {
		little := G.NewConstant(float32(-1000))
		gt := func(n *G.Node) (*G.Node, error) { return G.Gt(n, little, true) } // has no gradient
		above := g.Unary(gt, m.attend[1].Forward(g, h))
		y := g.Binary(func(a, b *G.Node) (*G.Node, error) { return G.HadamardProd(a, b) }, m.attend[0].Forward(g, h),
			above)
		return g.Binary(G.Add, h, y)
	},
	"transposed": func(m mixed, g *nn.Graph, h *nn.Node) *nn.Node {
		across := m.over.Forward(g, g.Unary(swap, m.attend[0].Forward(g, h)))
		return m.attend[1].Forward(g, g.Unary(swap, across))
	},
}

// Gradients through gorgonia's operations and ours equal differences of the loss, whether nn or the user asks for them.
func TestMixedGradients(t *testing.T) {
	for _, kind := range posenc.Kinds {
		for name, form := range mixedForms {
			for _, own := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/G.Grad=%t", kind.Name, name, own), func(t *testing.T) {
					checkMixed(t, newMixed(kind), form, own)
				})
			}
		}
	}
}

func checkMixed(t *testing.T, m mixed, form func(mixed, *nn.Graph, *nn.Node) *nn.Node, own bool) {
	rng := rand.New(rand.NewPCG(8, 9))
	for _, p := range m.params { // far enough from where many gradients are zero
		for i := range p.Data {
			p.Data[i] += 0.2 * float32(rng.NormFloat64())
		}
	}
	noise := func(n int) []float32 {
		s := make([]float32, n)
		for i := range s {
			s[i] = float32(rng.NormFloat64())
		}
		return s
	}
	x, c := noise(mixedBatch*mixedTokens*mixedIn), noise(mixedBatch*mixedTokens*mixedDim)
	for i := range c {
		c[i] *= 0.3 // gradients of about 1
	}
	var y, loss *nn.Node
	g, err := nn.Build(true, func(g *nn.Graph) {
		h := m.up.Forward(g, g.Input("data.x", x, mixedBatch, mixedTokens, mixedIn))
		y = form(m, g, h)
		by := G.NewConstant(tensor.New(tensor.WithShape(y.Shape()...), tensor.WithBacking(c)))
		loss = g.Unary(func(y *G.Node) (*G.Node, error) { return G.Sum(G.Must(G.HadamardProd(y, by))) }, y)
	})
	if err != nil {
		t.Fatal(err)
	}
	// Parameters that the loss does not depend on have no gradient.
	var params []*nn.Param
	var nodes []*nn.Node
	for _, p := range g.Used() {
		if at := g.Use(p).Emitted(); at != nil && reaches(must(g.Emit(loss)), at) {
			params, nodes = append(params, p), append(nodes, g.Use(p))
		}
	}
	run, value, grads := mixedRun(t, g, loss, y, nodes, own)
	for range 2 { // the second run finds dirty memory
		run()
	}
	var got [][]float32
	for _, n := range grads {
		got = append(got, slices.Clone(value(n)))
	}
	at := func(w *float32, v float32) (l float64) {
		*w = v
		run()
		for i, v := range value(y) {
			l += float64(v) * float64(c[i])
		}
		return l
	}
	const d = 0.02
	for i, p := range params {
		for j := 0; j < len(p.Data); j += 1 + len(p.Data)/2 {
			w := p.Data[j]
			want := (8*(at(&p.Data[j], w+d)-at(&p.Data[j], w-d)) - at(&p.Data[j], w+2*d) +
				at(&p.Data[j], w-2*d)) / (12 * d)
			p.Data[j] = w
			if math.Abs(float64(got[i][j])-want) > 1e-4*(1+math.Abs(want)) {
				t.Errorf("d %s[%d] = %v, differences say %v", p.Name, j, got[i][j], want)
			}
		}
	}
}

// mixedRun returns what runs the graph and reads it: nn's, or gorgonia's by hand.
func mixedRun(t *testing.T, g *nn.Graph, loss, y *nn.Node, nodes []*nn.Node, own bool) (
	run func(), value func(*nn.Node) []float32, grads []*nn.Node,
) {
	if own {
		var leaves []*G.Node
		for _, n := range nodes {
			leaves = append(leaves, n.Emitted())
		}
		at := must(G.Grad(loss.Emitted(), leaves...))
		kept := map[*nn.Node]*G.Value{y: new(G.Value)}
		G.Read(y.Emitted(), kept[y])
		for _, n := range at {
			d := must(g.Wrap(n))
			kept[d], grads = new(G.Value), append(grads, d)
			G.Read(n, kept[d])
		}
		machine := G.NewTapeMachine(loss.Emitted().Graph())
		t.Cleanup(func() { machine.Close() })
		return func() {
			if err := machine.RunAll(); err != nil {
				t.Fatal(err)
			}
			machine.Reset()
		}, func(n *nn.Node) []float32 { return (*kept[n]).Data().([]float32) }, grads
	}
	f, err := nn.Compile(g, loss, y)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	params, all := f.Gradients()
	found := map[*nn.Node]*nn.Node{}
	for i, p := range params {
		found[g.Use(p)] = all[i]
	}
	for _, n := range nodes {
		grads = append(grads, found[n])
	}
	return func() {
		if err := f.Run(0); err != nil {
			t.Fatal(err)
		}
	}, nn.Value, grads
}

// reaches reports whether n is made of leaf by what can be differentiated.
func reaches(n, leaf *G.Node) bool {
	o, ok := n.Op().(G.SDOp)
	if !ok {
		return n == leaf
	}
	var from []*G.Node
	for c := n.Graph().From(n.ID()); c.Next(); {
		from = append(from, c.Node().(*G.Node))
	}
	wrt := o.DiffWRT(len(from))
	for i, c := range from {
		if i < len(wrt) && wrt[i] && reaches(c, leaf) {
			return true
		}
	}
	return false
}

// nn.Compile plans no memory that gorgonia's operations would find overwritten, and Value returns what a layer computed
// although such an operation has overwritten what it read last.
func TestMixedForward(t *testing.T) {
	for _, kind := range posenc.Kinds {
		t.Run(kind.Name, func(t *testing.T) {
			m := newMixed(kind)
			x := make([]float32, mixedBatch*mixedTokens*mixedDim)
			for i := range x {
				x[i] = float32(math.Sin(float64(i)))
			}
			shape := []int{mixedBatch, mixedTokens, mixedDim}
			var alone, first, sum *nn.Node
			run := func(build func(g *nn.Graph), keep func() []*nn.Node) {
				g, err := nn.Build(false, build)
				if err != nil {
					t.Fatal(err)
				}
				f := must(nn.Compile(g, nil, keep()...))
				t.Cleanup(func() { f.Close() })
				for range 2 {
					if err := f.RunAgain(0); err != nil {
						t.Fatal(err)
					}
				}
			}
			run(func(g *nn.Graph) { alone = m.attend[0].Forward(g, g.Input("x", x, shape...)) },
				func() []*nn.Node { return []*nn.Node{alone} })
			run(func(g *nn.Graph) {
				x := g.Input("x", x, shape...)
				first = m.attend[0].Forward(g, x)
				y := g.Binary(G.Add, first, x) // reads first last, and overwrites it
				for range 3 {
					y = m.attend[1].Forward(g, y) // would take the place of first
				}
				sum = g.Binary(G.Add, g.Unary(G.Tanh, x), y)
			}, func() []*nn.Node { return []*nn.Node{first} })
			if want, got := nn.Value(alone), nn.Value(first); !slices.Equal(got, want) {
				t.Errorf("the layer's result is %v, alone %v", got, want)
			}
			y := slices.Clone(nn.Value(alone))
			for i := range y {
				y[i] += x[i]
			}
			for range 3 {
				var z *nn.Node
				run(func(g *nn.Graph) { z = m.attend[1].Forward(g, g.Input("x", y, shape...)) },
					func() []*nn.Node { return []*nn.Node{z} })
				y = slices.Clone(nn.Value(z))
			}
			for i, got := range nn.Value(sum) {
				if want := math.Tanh(float64(x[i])) + float64(y[i]); math.Abs(float64(got)-want) > 1e-5 {
					t.Errorf("element %d of the sum is %v, want %v", i, got, want)
				}
			}
		})
	}
}

// A block of no layers keeps its tokens, and has no attention.
func TestStackOfAnEmptyBlock(t *testing.T) {
	s := attention.Stack{Blocks: []nn.Layer{nn.Seq{}}}
	if all := s.Attention(); len(all) != 1 || all[0] != nil {
		t.Errorf("%v, want one nil", all)
	}
}
