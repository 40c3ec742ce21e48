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

// A LispMachine computes forward what a TapeMachine does, and inputs change by Let: also to what lies otherwise in
// memory.
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
	columns, err := dense([]float32{9, 1, 2, 3, 9, 9, 4, 5, 6, 9}, 2, 5).Slice(nil, G.S(1, 4))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := dense([]float32{9, 9, 9, 1, 2, 3, 4, 5, 6}, 3, 3).Slice(G.S(1, 3))
	if err != nil {
		t.Fatal(err)
	}
	transposed := dense([]float32{1, 4, 2, 5, 3, 6}, 3, 2)
	if err := transposed.T(); err != nil {
		t.Fatal(err)
	}
	byColumn := tensor.New(tensor.WithShape(2, 3), tensor.AsFortran([]float32{1, 2, 3, 4, 5, 6}))
	for i, v := range []tensor.Tensor{dense(waves(6), 2, 3), dense([]float32{1, 2, 3, 4, 5, 6}, 2, 3), columns, rows,
		transposed, byColumn} {
		data := []float32{1, 2, 3, 4, 5, 6}
		if i == 0 {
			data = waves(6)
		}
		if err := G.Let(x, v); err != nil {
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

// What nn.Value returns of a graph that gorgonia's machine ran is what was computed, although gorgonia overwrote what
// it got; nothing is returned of what has not run.
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
	m.g.UpdateStats() // nothing is measured yet
	if norm.Mean.Data[0] != 0 || norm.Variance.Data[0] != 1 {
		t.Error("running statistics moved before a run")
	}
	a, b, again := at(1), at(2), at(1)
	if !slices.Equal(a, again) || slices.Equal(a, b) {
		t.Errorf("steps 1, 2 and 1 draw %v, %v, %v", a, b, again)
	}
	m.g.UpdateStats()
	once := slices.Concat(norm.Mean.Data, norm.Variance.Data)
	if norm.Mean.Data[0] == 0 {
		t.Error("running statistics stand still")
	}
	if m.g.UpdateStats(); !slices.Equal(once, slices.Concat(norm.Mean.Data, norm.Variance.Data)) {
		t.Error("one batch was taken in twice")
	}
}

// A solver of gorgonia's trains a mixture as differences of the same steps by hand would: the parameters are the
// layers' own.
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
