package nn

import (
	"math"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/nn/op"
)

// A tap in a graph that trains is there after the backward pass, whose results take the places of those that nobody
// wants, and changes no gradient beyond rounding.
func TestTapsWhileTraining(t *testing.T) {
	s := NewScope(2)
	up, down := NewLinear(s.In("up"), 3, 5), NewLinear(s.In("down"), 5, 2)
	x := []float32{1, 2, -1, 0.5, 0.25, -2, 3, 1, 0, -1, 2, 1}
	gradients := func(wanted bool) (grads [][]float32) {
		var loss *Node
		g, err := Build(true, func(g *Graph) {
			g.Want(func(string) bool { return wanted })
			h := g.Tap("hidden", up.Forward(g, g.Input("x", x, 4, 3)))
			loss = op.CrossEntropy(down.Forward(g, op.GELU(h)), &op.Target{Labels: []int32{0, 1, 0, 1}})
		})
		if err != nil {
			t.Fatal(err)
		}
		f, err := Compile(g, loss)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for range 2 {
			if err := f.Run(0); err != nil {
				t.Fatal(err)
			}
		}
		_, nodes := f.Gradients()
		for _, n := range nodes {
			grads = append(grads, slices.Clone(Value(n)))
		}
		if !wanted {
			return grads
		}
		for i, got := range Value(g.Taps()[0].Node) {
			want := up.B.Data[i%5]
			for c := range 3 {
				want += up.W.Data[i%5*3+c] * x[i/5*3+c]
			}
			if math.Abs(float64(got-want)) > 1e-6 {
				t.Errorf("hidden[%d] = %v, want %v", i, got, want)
			}
		}
		return grads
	}
	without, with := gradients(false), gradients(true)
	if len(with) != 4 || len(without) != 4 {
		t.Fatalf("gradients of %d and %d parameters, want 4", len(with), len(without))
	}
	for p := range with {
		for i := range with[p] {
			if math.Abs(float64(with[p][i]-without[p][i])) > 1e-6 {
				t.Errorf("gradient %d of parameter %d: %v with a tap, %v without", i, p, with[p][i], without[p][i])
			}
		}
	}
}
