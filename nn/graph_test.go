package nn

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"

	"github.com/attnconv/attnconv/nn/op"
)

// Parameters come in the order in which their scope made them, however layers use them.
func TestParametersComeAsMade(t *testing.T) {
	s := NewScope(0)
	first, second := NewLinear(s.In("first"), 4, 4), NewLinear(s.In("second"), 4, 4)
	g, err := Build(true, func(g *Graph) {
		x := g.Input("x", make([]float32, 8), 2, 4)
		first.Forward(g, second.Forward(g, x))
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := g.Used(); !slices.Equal(got, s.Params()) {
		t.Errorf("%s comes first", got[0].Name)
	}
}

// A graph runs what is asked for and nothing else; a tap is asked for only if somebody wants it, and is there although
// a rewrite would make it disappear.
func TestTaps(t *testing.T) {
	s := NewScope(0)
	up, down, aside := NewLinear(s.In("up"), 2, 3), NewLinear(s.In("down"), 3, 2), NewLinear(s.In("aside"), 2, 2)
	for _, wanted := range []bool{false, true} {
		var y *Node
		g, err := Build(false, func(g *Graph) {
			g.Want(func(name string) bool { return wanted && name == "hidden" })
			x := g.Input("x", []float32{1, 2}, 1, 2)
			h := g.Tap("hidden", up.Forward(g, x))
			y = down.Forward(g, h)
			g.Tap("other", aside.Forward(g, x))
		})
		if err != nil {
			t.Fatal(err)
		}
		f, err := Compile(g, nil, y)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var ran []string
		f.Watch(func(op string) { ran = append(ran, op) })
		if err := f.Run(0); err != nil {
			t.Fatal(err)
		}
		all := strings.Join(ran, ", ")
		if strings.Contains(all, "aside") || strings.Contains(all, "product") == wanted {
			t.Errorf("wanted %t: %s ran", wanted, all)
		}
		if !wanted {
			if len(g.Taps()) > 0 {
				t.Errorf("%d taps, and nobody wants any", len(g.Taps()))
			}
			continue
		}
		for i, got := range Value(g.Taps()[0].Node) {
			want := up.W.Data[2*i] + 2*up.W.Data[2*i+1] + up.B.Data[i]
			if math.Abs(float64(got-want)) > 1e-6 {
				t.Errorf("hidden[%d] = %v, want %v", i, got, want)
			}
		}
	}
}

// What is emitted before other layers read it is what they read: it keeps its value and its gradient, although the
// first reader had it folded away.
func TestEmittedBitByBit(t *testing.T) {
	s := NewScope(1)
	up, down := NewLinear(s.In("up"), 2, 3), NewLinear(s.In("down"), 3, 2)
	x := []float32{1, 2, -1, 0.5, 0.25, -2, 3, 1}
	loss := func(emits bool) (float32, [][]float32) {
		var end *Node
		g, err := Build(true, func(g *Graph) {
			h := up.Forward(g, g.Input("x", x, 4, 2))
			y := down.Forward(g, h)
			if emits {
				for _, n := range []*Node{y, h} { // y alone folds h away, and h is emitted behind it
					if _, err := g.Emit(n); err != nil {
						t.Fatal(err)
					}
				}
			}
			end = op.CrossEntropy(op.Add(y, down.Forward(g, op.GELU(h))), &op.Target{Labels: []int32{0, 1, 0, 1}})
		})
		if err != nil {
			t.Fatal(err)
		}
		f, err := Compile(g, end)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := f.Run(0); err != nil {
			t.Fatal(err)
		}
		_, nodes := f.Gradients()
		var grads [][]float32
		for _, n := range nodes {
			grads = append(grads, slices.Clone(Value(n)))
		}
		return Value(end)[0], grads
	}
	want, wantGrads := loss(false)
	got, grads := loss(true)
	if math.Abs(float64(got-want)) > 1e-6 || len(grads) != 4 {
		t.Fatalf("loss %v with %d gradients, want %v with 4", got, len(grads), want)
	}
	for i := range grads {
		for j := range grads[i] {
			if d := math.Abs(float64(grads[i][j] - wantGrads[i][j])); d > 1e-6 {
				t.Errorf("gradient %d differs by %.2g at %d", i, d, j)
			}
		}
	}
}

// Nodes of two graphs in one operation, a node of gorgonia's from elsewhere, what gorgonia's operation refuses, and a
// root of another graph are errors.
func TestWrongMixtures(t *testing.T) {
	l := NewLinear(NewScope(0).In("fc"), 2, 2)
	data := []float32{1, 2}
	input := func(g *Graph) *Node { return g.Input("x", data, 1, 2) }
	other := On(G.NewGraph(), false)
	there := input(other)
	for want, f := range map[string]func(g *Graph) *Node{
		"two graphs":                func(g *Graph) *Node { return op.Add(input(g), there) },
		"linear: inputs from two":   func(g *Graph) *Node { return l.Forward(g, there) },
		"stands in another graph":   func(g *Graph) *Node { return g.Unary(elsewhere, input(g)) },
		"of another graph than the": func(g *Graph) *Node { return g.Unary(G.Tanh, there) },
		"shape": func(g *Graph) *Node {
			return g.Binary(G.Add, input(g),
				g.Input("y", []float32{1, 2, 3}, 1, 3))
		},
	} {
		var y *Node
		if _, err := Build(false, func(g *Graph) { y = f(g) }); err == nil ||
			!strings.Contains(strings.ToLower(err.Error()), want) {
			t.Errorf("%q: %v, %v", want, y, err)
		}
	}
	g, err := Build(false, func(g *Graph) { l.Forward(g, input(g)) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compile(g, nil, there); err == nil || !strings.Contains(err.Error(), "another graph") {
		t.Errorf("a root of another graph: %v", err)
	}
}

func elsewhere(*G.Node) (*G.Node, error) { return G.NewScalar(G.NewGraph(), G.Float32), nil }

// A parameter whose Data does not have the elements of its Shape is an error of Build.
func TestDataOfAnotherLength(t *testing.T) {
	for _, shape := range [][]int{{2, 3}, {5}, {0}, {-1, -4}} {
		p := &Param{Name: "w", Shape: shape, Data: make([]float32, 4)}
		_, err := Build(false, func(g *Graph) { g.Use(p) })
		wrong := (*op.Error)(nil)
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "parameter w: 4 elements") {
			t.Errorf("%v: %v", shape, err)
		}
	}
}
