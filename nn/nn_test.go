package nn

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/nn/op"
)

func TestScope(t *testing.T) {
	s := NewScope(3)
	l := NewLinear(s.In("encoder").In("dense"), 16, 4)
	if l.W.Name != "model.encoder.dense.weight" || !slices.Equal(l.W.Shape, []int{4, 16}) || l.B.Group != Vector {
		t.Errorf("weight %s %v, bias in group %d", l.W.Name, l.W.Shape, l.B.Group)
	}
	for _, p := range s.Params() {
		for _, v := range p.Data {
			if math.Abs(float64(v)) > 0.25 { // 1/√16
				t.Fatalf("%s holds %v, want U(±1/√in)", p.Name, v)
			}
		}
	}
	other := NewScope(3)
	NewLinear(other.In("first"), 5, 5) // another layer before it
	if again := NewLinear(other.In("encoder").In("dense"), 16, 4); !slices.Equal(again.W.Data, l.W.Data) {
		t.Error("a layer more changed the initial values of another")
	}
	defer func() {
		if r, ok := recover().(string); !ok || !strings.Contains(r, "model.encoder.dense.weight") {
			t.Errorf("a repeated name gave %v, want a panic that names it", r)
		}
	}()
	NewLinear(s.In("encoder").In("dense"), 16, 4)
}

// What a programmer gets wrong comes back as an error that says which operation wanted what.
func TestBuildReturnsShapeErrors(t *testing.T) {
	l := NewLinear(NewScope(0).In("fc"), 4, 2)
	_, err := Build(false, func(g *Graph) { l.Forward(g, g.Input("x", make([]float32, 15), 3, 5)) })
	if err == nil || !strings.Contains(err.Error(), "linear: want x (…, in), W (out, in) and b (out), got [(3, 5)") {
		t.Errorf("Build: %v", err)
	}
}

// Two graphs share one set of weights, and a graph runs as often as one likes.
func TestGraphsBorrowWeights(t *testing.T) {
	l := NewLinear(NewScope(0).In("fc"), 1, 1)
	x := []float32{2}
	var funcs [2]*Func
	var outs [2]*Node
	for i := range funcs {
		g, err := Build(i == 0, func(g *Graph) { outs[i] = l.Forward(g, g.Input("x", x, 1, 1)) })
		if err != nil {
			t.Fatal(err)
		}
		if funcs[i], err = Compile(g, nil, outs[i]); err != nil {
			t.Fatal(err)
		}
		defer funcs[i].Close()
	}
	for _, w := range []float32{3, 5} {
		l.W.Data[0], l.B.Data[0] = w, 1
		for i, f := range funcs {
			if err := f.Run(0); err != nil {
				t.Fatal(err)
			}
			if got := Value(outs[i])[0]; got != 2*w+1 {
				t.Errorf("graph %d: %v·2 + 1 = %v", i, w, got)
			}
		}
	}
}

// What does not fit into memory is a *TooLarge: a parameter, and the results of a graph.
func TestTooLarge(t *testing.T) {
	func() {
		defer func() {
			if _, ok := recover().(*TooLarge); !ok {
				t.Error("a parameter of 2⁵⁶ elements")
			}
		}()
		NewScope(0).Param("w", Const(0), 1<<28, 1<<28)
	}()
	var y *Node
	g, err := Build(false, func(g *Graph) {
		v := g.Input("v", make([]float32, 1<<10), 1<<10)
		y = op.Repeat(v, 1<<20, 1<<20)
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := Compile(g, nil, y)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if e := new(TooLarge); !errors.As(f.Run(0), &e) {
		t.Errorf("a result of 2⁵⁰ elements: %v", e)
	}
}

// A pre-norm branch has the gradients of its equation, and a layer norm's rows have mean β and deviation γ.
func TestLayerNorm(t *testing.T) {
	s := NewScope(4)
	x, norm, l := s.Param("x", Normal(1, 2), 3, 5), NewLayerNorm(s.In("norm"), 5), NewLinear(s.In("fc"), 5, 5)
	if err := CheckGradients(true, func(g *Graph) *Node {
		h := g.Use(x)
		return op.Add(h, l.Forward(g, norm.Forward(g, h)))
	}); err != nil {
		t.Error(err)
	}
	copy(norm.Gamma.Data, []float32{2, 2, 2, 2, 2})
	copy(norm.Beta.Data, []float32{1, 1, 1, 1, 1})
	var y *Node
	g, err := Build(false, func(g *Graph) { y = norm.Forward(g, g.Use(x)) })
	if err != nil {
		t.Fatal(err)
	}
	f, err := Compile(g, nil, y)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Run(0); err != nil {
		t.Fatal(err)
	}
	for row := range slices.Chunk(Value(y), 5) {
		var sum, squares float64
		for _, v := range row {
			sum, squares = sum+float64(v), squares+float64(v-1)*float64(v-1)
		}
		if math.Abs(sum/5-1) > 1e-5 || math.Abs(squares/5-4) > 1e-4 {
			t.Errorf("a row of mean %v and variance %v, want 1 and 4", sum/5, squares/5)
		}
	}
}
