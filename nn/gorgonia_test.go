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
	"github.com/attnconv/attnconv/op"
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
			m.ends(m.of(func(in ...*nn.Node) *nn.Node { return op.Add(op.MatMul(in[0], in[0]), op.Add(in[0], in[0])) }, m.add("x", 3, 3)))
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
			m.loss = G.Must(G.Add(m.loss, G.Must(G.Mean(m.of(func(in ...*nn.Node) *nn.Node { return op.GELU(in[0]) }, h)))))
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
			s := m.of(func(in ...*nn.Node) *nn.Node { return op.CrossEntropy(in[0], &op.Target{Labels: []int32{0, 2}}) }, h)
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

// A LispMachine computes forward what a TapeMachine does, and inputs change by Let.
func TestMachinesAgree(t *testing.T) {
	l := nn.NewLinear(nn.NewScope(1).In("fc"), 3, 2)
	m := newMixture()
	x := m.add("x", 2, 3)
	y := G.Must(G.Tanh(m.layer(l, x)))
	want := func(x []float32) (y []float32) {
		for i := range 4 {
			s := float64(l.B.Data[i%2])
			for c := range 3 {
				s += float64(l.W.Data[i%2*3+c]) * float64(x[i/2*3+c])
			}
			y = append(y, float32(math.Tanh(s)))
		}
		return y
	}
	machines := []G.VM{G.NewTapeMachine(m.e), G.NewLispMachine(m.e, G.ExecuteFwdOnly())}
	for i, data := range [][]float32{waves(6), {1, 2, 3, 4, 5, 6}} {
		if err := G.Let(x, dense(data, 2, 3)); err != nil {
			t.Fatal(err)
		}
		for k, machine := range machines {
			if err := machine.RunAll(); err != nil {
				t.Fatal(err)
			}
			near(t, fmt.Sprintf("machine %d, input %d", k, i), y.Value().Data().([]float32), want(data), 1e-6)
			machine.Reset()
		}
	}
}

func near(t *testing.T, what string, got, want []float32, by float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(got), len(want))
	}
	for i := range want {
		if !(math.Abs(float64(got[i]-want[i])) <= by*(1+math.Abs(float64(want[i])))) {
			t.Errorf("%s: element %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// What nn.Value returns of a graph that gorgonia's machine ran is what was computed, although gorgonia overwrote what it
// got; nothing is returned of what has not run.
func TestValuesOfOwnGraphs(t *testing.T) {
	l := nn.NewLinear(nn.NewScope(1).In("fc"), 3, 3)
	m := newMixture()
	x, err := m.g.Wrap(m.add("x", 2, 3))
	if err != nil {
		t.Fatal(err)
	}
	y := l.Forward(m.g, x)
	h := G.Must(m.g.Emit(y))
	for range 4 {
		h = G.Must(G.Exp(G.Must(G.Tanh(G.Must(G.Neg(h)))))) // in place
		h = G.Must(m.g.Layer(l, h))
	}
	if msg := refused(func() { nn.Value(y) }); !strings.Contains(msg, "has not run") {
		t.Errorf("before the run: %q", msg)
	}
	if err := runOnce(m.e); err != nil {
		t.Fatal(err)
	}
	alone, err := nn.Build(true, func(g *nn.Graph) { x = l.Forward(g, g.Input("x", waves(6), 2, 3)) })
	if err != nil {
		t.Fatal(err)
	}
	f, err := nn.Compile(alone, nil, x)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if msg := refused(func() { nn.Value(x) }); !strings.Contains(msg, "has not run") {
		t.Errorf("before the run: %q", msg)
	}
	if err := f.Run(0); err != nil {
		t.Fatal(err)
	}
	near(t, "y", nn.Value(y), nn.Value(x), 1e-6)
	late := l.Forward(m.g, y)
	if msg := refused(func() { nn.Value(late) }); !strings.Contains(msg, "not kept") {
		t.Errorf("never emitted: %q", msg)
	}
	G.Must(m.g.Emit(late))
	if msg := refused(func() { nn.Value(late) }); !strings.Contains(msg, "has not run") {
		t.Errorf("emitted behind the run: %q", msg)
	}
}

// refused returns the *op.Error that f panics with.
func refused(f func()) (msg string) {
	defer func() {
		if e, ok := recover().(*op.Error); ok {
			msg = e.Error()
		}
	}()
	f()
	return ""
}

// A graph is compiled once, and nothing is added to it afterwards; and what a user holds of it is what was computed.
func TestCompiledGraphs(t *testing.T) {
	l := nn.NewLinear(nn.NewScope(1).In("fc"), 3, 3)
	var y, z *nn.Node
	var held *G.Node
	g, err := nn.Build(true, func(g *nn.Graph) {
		y = l.Forward(g, g.Input("x", waves(6), 2, 3))
		held = G.Must(g.Emit(y))
		z = op.GELU(l.Forward(g, op.GELU(l.Forward(g, op.GELU(y)))))
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := nn.Compile(g, nil, z)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Run(0); err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(nn.Value(y)) // kept, for it was emitted
	near(t, "gorgonia's value", held.Value().Data().([]float32), want, 0)
	_, emitted := g.Emit(op.GELU(z))
	_, compiled := nn.Compile(g, nil, y)
	_, layer := g.Layer(l, held)
	for _, err := range []error{emitted, compiled, layer} {
		if err == nil || !strings.Contains(err.Error(), "is compiled") {
			t.Errorf("behind Compile: %v", err)
		}
	}
	if msg := refused(func() { g.Unary(G.Tanh, z) }); !strings.Contains(msg, "is compiled") {
		t.Errorf("behind Compile: %q", msg)
	}
	l.W.Data = slices.Clone(l.W.Data)
	if err := f.Run(0); err == nil || !strings.Contains(err.Error(), "Data of model.fc.weight is another slice") {
		t.Errorf("replaced data: %v", err)
	}
}

// Inputs that share a name are two, and an input has as many elements as its shape says.
func TestInputs(t *testing.T) {
	var y *nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) {
		y = op.Add(g.Input("x", []float32{1, 2}, 1, 2), g.Input("x", []float32{10, 20}, 1, 2))
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := nn.Compile(g, nil, y)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Run(0); err != nil {
		t.Fatal(err)
	}
	near(t, "sum", nn.Value(y), []float32{11, 22}, 0)
	for _, shape := range [][]int{{2, 2}, {1, 1}, {-1, -2}, {}} {
		_, err := nn.Build(false, func(g *nn.Graph) { g.Input("x", []float32{1, 2}, shape...) })
		if e := new(op.Error); !errors.As(err, &e) {
			t.Errorf("2 elements of shape %v: %v", shape, err)
		}
	}
}

// Dropout in a graph of the user's draws by the step that At says, the same for the same step; Stepped takes a batch's
// moments in once.
func TestStateOfOwnGraphs(t *testing.T) {
	m := newMixture()
	norm, drop := conv.NewNorm(nn.NewScope(1), 3), nn.NewResidualNorm(nn.NewScope(2), 3, 0.5)
	x := m.add("x", 4, 3)
	y := m.layer(norm, x)
	z := m.of(func(in ...*nn.Node) *nn.Node { return drop.Forward(m.g, in[0], in[1]) }, x, G.Must(G.Tanh(y)))
	machine := G.NewTapeMachine(m.e)
	defer machine.Close()
	at := func(step uint64) []float32 {
		m.g.At(step)
		if err := machine.RunAll(); err != nil {
			t.Fatal(err)
		}
		defer machine.Reset()
		return slices.Clone(z.Value().Data().([]float32))
	}
	m.g.Stepped() // nothing is measured yet
	if norm.Mean.Data[0] != 0 || norm.Variance.Data[0] != 1 {
		t.Error("running statistics moved before a run")
	}
	a, b, again := at(1), at(2), at(1)
	if !slices.Equal(a, again) || slices.Equal(a, b) {
		t.Errorf("steps 1, 2 and 1 draw %v, %v, %v", a, b, again)
	}
	m.g.Stepped()
	once := slices.Concat(norm.Mean.Data, norm.Variance.Data)
	if norm.Mean.Data[0] == 0 {
		t.Error("running statistics stand still")
	}
	if m.g.Stepped(); !slices.Equal(once, slices.Concat(norm.Mean.Data, norm.Variance.Data)) {
		t.Error("one batch was taken in twice")
	}
}

// A solver of gorgonia's trains a mixture as differences of the same steps by hand would: the parameters are the layers' own.
func TestSolverOfGorgonia(t *testing.T) {
	l := nn.NewLinear(nn.NewScope(1).In("fc"), 3, 3)
	m := newMixture()
	y := m.layer(l, G.Must(G.Tanh(m.layer(l, variable(m.e, "x", waves(6), 2, 3)))))
	m.leaves = G.Nodes{m.g.Use(l.W).Emitted(), m.g.Use(l.B).Emitted()}
	m.ends(y)
	grads, err := G.Grad(m.loss, m.leaves...)
	if err != nil {
		t.Fatal(err)
	}
	read := make([]G.Value, 2)
	for i, n := range grads {
		G.Read(n, &read[i])
	}
	machine := G.NewTapeMachine(m.e, G.BindDualValues(m.leaves...))
	defer machine.Close()
	solver := G.NewVanillaSolver(G.WithLearnRate(0.1))
	for range 3 {
		before := [][]float32{slices.Clone(l.W.Data), slices.Clone(l.B.Data)}
		if err := machine.RunAll(); err != nil {
			t.Fatal(err)
		}
		for i, w := range before {
			for j, g := range read[i].Data().([]float32) {
				w[j] -= 0.1 * g
			}
		}
		if err := solver.Step(G.NodesToValueGrads(m.leaves)); err != nil {
			t.Fatal(err)
		}
		machine.Reset()
		near(t, "weights", l.W.Data, before[0], 1e-6)
		near(t, "bias", l.B.Data, before[1], 1e-6)
	}
}
