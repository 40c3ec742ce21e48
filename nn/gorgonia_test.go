package nn_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

func dense(data []float32, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
}

// variable adds a leaf of the user's.
func variable(e *G.ExprGraph, name string, data []float32, shape ...int) *G.Node {
	return G.NodeFromAny(e, dense(data, shape...), G.WithName(name))
}

func waves(n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(math.Sin(float64(3*i+n))) / 2
	}
	return s
}

// mixture is a graph of the user's with a loss, and what that depends on.
type mixture struct {
	e      *G.ExprGraph
	g      *nn.Graph
	loss   *G.Node
	leaves G.Nodes
}

func newMixture() *mixture {
	e := G.NewGraph()
	return &mixture{e: e, g: nn.On(e, true)}
}

// add returns a variable that gradients are compared of.
func (m *mixture) add(name string, shape ...int) *G.Node {
	n := variable(m.e, name, waves(tensor.Shape(shape).TotalSize()), shape...)
	m.leaves = append(m.leaves, n)
	return n
}

// layer adds l, and its parameters to what is compared.
func (m *mixture) layer(l nn.Layer, x *G.Node, params ...*nn.Param) *G.Node {
	y := G.Must(m.g.Layer(l, x))
	for _, p := range params {
		m.leaves = append(m.leaves, m.g.Use(p).Emitted())
	}
	return y
}

// of adds an operation of this module on nodes of gorgonia's.
func (m *mixture) of(f func(in ...*nn.Node) *nn.Node, in ...*G.Node) *G.Node {
	var nodes []*nn.Node
	for _, n := range in {
		w, err := m.g.Wrap(n)
		if err != nil {
			panic(err)
		}
		nodes = append(nodes, w)
	}
	return G.Must(m.g.Emit(f(nodes...)))
}

// ends makes the loss of a result: Σ y³, so that no gradient is the same everywhere.
func (m *mixture) ends(y *G.Node) { m.loss = G.Must(G.Sum(G.Must(G.Cube(y)))) }

// check compares G.Grad with differences of the loss.
func (m *mixture) check(t *testing.T) {
	t.Helper()
	grads, err := G.Grad(m.loss, m.leaves...)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]G.Value, len(grads)+1)
	for i, n := range append(grads, m.loss) {
		G.Read(n, &values[i])
	}
	machine := G.NewTapeMachine(m.e)
	defer machine.Close()
	run := func() {
		t.Helper()
		if err := machine.RunAll(); err != nil {
			t.Fatal(err)
		}
		machine.Reset()
	}
	run()
	run()
	var got [][]float32
	for i := range grads {
		got = append(got, slices.Clone(values[i].Data().([]float32)))
	}
	for i, n := range m.leaves {
		data := n.Value().Data().([]float32)
		for j, w := range data {
			const h = 1. / 64
			sum := 0.
			for _, s := range [][2]float64{{-2, 1}, {-1, -8}, {1, 8}, {2, -1}} {
				data[j] = w + float32(s[0]*h)
				run()
				sum += s[1] * float64(values[len(grads)].Data().(float32))
			}
			data[j] = w
			if want := sum / (12 * h); math.Abs(float64(got[i][j])-want) > 1e-3*(1+math.Abs(want)) {
				t.Errorf("gradient of %v at %d: %v, differences say %v", n, j, got[i][j], want)
			}
		}
	}
}

// Mixtures that look harmless, and of which each once gave, or could give, a wrong gradient.
func TestMixturesHaveRightGradients(t *testing.T) {
	linear := func(seed uint64, name string) *nn.Linear { return nn.NewLinear(nn.NewScope(seed).In(name), 3, 3) }
	for name, build := range map[string]func(m *mixture){
		"layers whose parameters have the same names": func(m *mixture) {
			a, b := linear(1, "fc"), linear(2, "fc")
			m.ends(m.layer(b, m.layer(a, m.add("x", 2, 3), a.W, a.B), b.W, b.B))
		},
		"a variable of the user's with the name of a parameter, before": func(m *mixture) {
			a := linear(1, "fc")
			own := m.add("model.fc.weight", 3, 3)
			m.ends(G.Must(G.Mul(m.layer(a, m.add("x", 2, 3), a.W), own)))
		},
		"and behind": func(m *mixture) {
			a := linear(1, "fc")
			h := m.layer(a, m.add("x", 2, 3), a.W)
			m.ends(G.Must(G.Mul(h, m.add("model.fc.weight", 3, 3))))
		},
		"one node twice in an operation": func(m *mixture) {
			m.ends(m.of(func(in ...*nn.Node) *nn.Node { return op.Add(op.MatMul(in[0], in[0]), op.Add(in[0], in[0])) },
				m.add("x", 3, 3)))
		},
		"one node, wrapped twice": func(m *mixture) {
			x := m.add("x", 3, 3)
			m.ends(m.of(func(in ...*nn.Node) *nn.Node { return op.MatMul(in[0], in[1]) }, x, x))
		},
		"weights that nobody learns": func(m *mixture) {
			w := G.NewConstant(dense(waves(9), 3, 3))
			m.ends(m.of(func(in ...*nn.Node) *nn.Node { return op.MatMul(in[0], in[1]) }, m.add("x", 2, 3), w))
		},
		"a parameter that gorgonia reads, too": func(m *mixture) {
			a := linear(1, "fc")
			y := m.layer(a, m.add("x", 2, 3), a.W)
			w := m.g.Use(a.W).Emitted()
			m.ends(y)
			m.loss = G.Must(G.Add(m.loss, G.Must(G.Sum(G.Must(G.Square(w))))))
		},
		"a parameter in two graphs of nn on one of gorgonia's": func(m *mixture) {
			a := linear(1, "fc")
			h := m.layer(a, m.add("x", 2, 3), a.W)
			m.ends(G.Must(nn.On(m.e, true).Layer(a, G.Must(G.Tanh(h)))))
		},
		"several losses, added": func(m *mixture) {
			a := linear(1, "fc")
			h := m.layer(a, m.add("x", 2, 3), a.W)
			m.ends(h)
			m.loss = G.Must(G.Add(m.loss, G.Must(G.Mean(m.of(func(in ...*nn.Node) *nn.Node { return op.GELU(in[0]) },
				h)))))
		},
		"a result that both read, and gorgonia overwrites": func(m *mixture) {
			a := linear(1, "fc")
			h := m.layer(a, m.add("x", 2, 3), a.W)
			s := m.of(func(in ...*nn.Node) *nn.Node { return op.Softmax(in[0]) }, h)
			m.ends(G.Must(G.Add(G.Must(G.Tanh(h)), G.Must(G.Add(s, G.Must(G.Exp(s)))))))
		},
		"a result that gorgonia reshapes in place": func(m *mixture) {
			a := linear(1, "fc")
			h := m.of(func(in ...*nn.Node) *nn.Node { return op.Softmax(in[0]) }, m.layer(a, m.add("x", 2, 3), a.W))
			flat := G.Must(G.Tanh(G.Must(G.Reshape(h, tensor.Shape{6})))) // reads h last of gorgonia's operations
			back := m.of(func(in ...*nn.Node) *nn.Node { return op.Reshape(in[0], 2, 3) }, flat)
			m.ends(G.Must(G.Add(back, m.layer(a, h))))
		},
		"a result whose memory gorgonia reshapes and overwrites": func(m *mixture) {
			h := m.of(func(in ...*nn.Node) *nn.Node { return op.Softmax(in[0]) }, m.add("x", 2, 3))
			m.ends(G.Must(G.Mul(h, G.Must(G.Cube(G.Must(G.Reshape(h, tensor.Shape{3, 2})))))))
		},
		"a transposed result": func(m *mixture) {
			a := linear(1, "fc")
			h := m.layer(a, m.add("x", 3, 3), a.W)
			m.ends(m.layer(a, G.Must(G.Transpose(h, 1, 0)), a.B))
		},
		"a batch norm in training": func(m *mixture) {
			n := conv.NewNorm(nn.NewScope(1), 3)
			m.ends(m.layer(n, G.Must(G.Tanh(m.layer(n, m.add("x", 4, 3), n.Gamma)))))
		},
		"a layer that only looks": func(m *mixture) {
			a, b := linear(1, "a"), linear(1, "b")
			h := m.layer(a, m.add("x", 2, 3), a.W)
			m.layer(b, h)
			m.ends(m.layer(b, h, b.W))
		},
		"a scalar between": func(m *mixture) {
			a := linear(1, "fc")
			h := m.layer(a, m.add("x", 2, 3), a.W)
			s := m.of(func(in ...*nn.Node) *nn.Node {
				return op.CrossEntropy(in[0],
					&op.Target{Labels: []int32{0, 2}})
			}, h)
			m.ends(s)
		},
		"a variable of one element": func(m *mixture) {
			x := m.add("x", 1, 1)
			m.ends(m.of(func(in ...*nn.Node) *nn.Node { return op.GELU(op.MatMul(in[0], in[1])) }, m.add("y", 2, 1), x))
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMixture()
			build(m)
			m.check(t)
		})
	}
}

// runOnce runs a graph of the user's.
func runOnce(e *G.ExprGraph) error {
	machine := G.NewTapeMachine(e)
	defer machine.Close()
	return machine.RunAll()
}

// What cannot be right is an error, and leaves no number.
func TestMixturesRefused(t *testing.T) {
	l := nn.NewLinear(nn.NewScope(1).In("fc"), 3, 3)
	for want, f := range map[string]func(m *mixture) error{
		"want elements of float32": func(m *mixture) error {
			_, err := m.g.Layer(l, G.NewMatrix(m.e, G.Float64, G.WithShape(2, 3), G.WithName("x")))
			return err
		},
		"say its shape": func(m *mixture) error {
			_, err := m.g.Layer(l, G.NewMatrix(m.e, G.Float32, G.WithName("x")))
			return err
		},
		"another graph": func(m *mixture) error {
			_, err := m.g.Layer(l, variable(G.NewGraph(), "x", waves(6), 2, 3))
			return err
		},
		"nil node": func(m *mixture) error { _, err := m.g.Layer(l, nil); return err },
		"linear: want": func(m *mixture) error {
			_, err := m.g.Layer(l, m.add("x", 2, 4))
			if e := new(op.Error); !errors.As(err, &e) {
				return fmt.Errorf("not an *op.Error: %w", err)
			}
			return err
		},
		"gradients already": func(m *mixture) error { // by the same layers
			m.ends(m.layer(l, m.add("x", 2, 3), l.W))
			_, err := G.Grad(m.loss, m.leaves...)
			if err != nil {
				return fmt.Errorf("first: %w", err)
			}
			_, err = G.Grad(G.Must(G.Mean(m.loss)), m.leaves...)
			return orAlready(err)
		},
		"gradients already, of other layers": func(m *mixture) error {
			x := m.add("x", 2, 3)
			m.ends(m.layer(l, x))
			_, err := G.Grad(m.loss, x)
			if err != nil {
				return fmt.Errorf("first: %w", err)
			}
			m.ends(m.layer(nn.NewLinear(nn.NewScope(2), 3, 3), x))
			if _, err = G.Grad(m.loss, x); err != nil {
				err = fmt.Errorf("gradients already, of other layers: %w", err)
			}
			return err
		},
		"has shape (3, 2), and the graph was built for (2, 3)": func(m *mixture) error {
			x := m.add("x", 2, 3)
			m.ends(m.layer(l, x))
			if err := x.Value().(*tensor.Dense).Reshape(3, 2); err != nil {
				return err
			}
			return runOnce(m.e)
		},
		"in a LispMachine": func(m *mixture) error {
			m.ends(m.layer(l, m.add("x", 2, 3), l.W))
			machine := G.NewLispMachine(m.e)
			defer machine.Close()
			return machine.RunAll()
		},
		"nn.Graph.At": func(m *mixture) error {
			s := nn.NewScope(1)
			n := nn.NewResidualNorm(s, 3, 0.5)
			m.of(func(in ...*nn.Node) *nn.Node { return n.Forward(m.g, in[0], in[0]) }, m.add("x", 2, 3))
			return runOnce(m.e)
		},
		"no gradient: it is for graphs that do not train": func(m *mixture) error {
			m.g = nn.On(m.e, false)
			s := nn.NewScope(1)
			x := m.add("x", 1, 4, 4, 1)
			m.ends(m.layer(nn.Seq{conv.New(s.In("a"), 1, 1, 3, 1, false), conv.NewNorm(s.In("b"), 1)}, x))
			_, err := G.Grad(m.loss, x)
			return err
		},
	} {
		if err := f(newMixture()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}

// orAlready is err, which may be gorgonia's word for the same.
func orAlready(err error) error {
	if err != nil && strings.Contains(err.Error(), "unreachable") {
		return fmt.Errorf("gradients already: %w", err)
	}
	return err
}

// There are no second derivatives: whatever gorgonia does about it, no number comes out.
func TestNoSecondDerivatives(t *testing.T) {
	m := newMixture()
	m.ends(m.layer(nn.NewLinear(nn.NewScope(1), 3, 3), m.add("x", 2, 3)))
	first, err := G.Grad(m.loss, m.leaves...)
	if err != nil {
		t.Fatal(err)
	}
	m.ends(first[0])
	defer func() { _ = recover() }() // gorgonia's
	if second, err := G.Grad(m.loss, m.leaves...); err == nil {
		t.Errorf("second derivatives: %v", second)
	}
}
