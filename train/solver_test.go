package train_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/train"
)

// A solver moves the parameters of a graph of gorgonia's own, which adds gradients to what it finds: after each step
// that is zeros.
func TestSolverInGorgonia(t *testing.T) {
	for _, optimizer := range train.Solvers.Names() {
		g := G.NewGraph()
		w := tensor.New(tensor.WithShape(2), tensor.WithBacking([]float32{1, -2}))
		p := &nn.Param{Name: "w", Shape: []int{2}, Data: w.Data().([]float32)}
		x := G.NodeFromAny(g, w, G.WithName("w"))
		loss := G.Must(G.Sum(G.Must(G.Square(x)))) // its gradient is 2w
		if _, err := G.Grad(loss, x); err != nil {
			t.Fatal(err)
		}
		o := train.Default()
		o.Optimizer, o.LR, o.Momentum, o.WeightDecay = optimizer, 0.1, 0, 0
		s, err := train.NewSolver(o, []*nn.Param{p})
		if err != nil {
			t.Fatal(err)
		}
		s.SetRate(o.LR)
		vm := G.NewTapeMachine(g, G.BindDualValues(x))
		defer vm.Close()
		var want [][]float32
		now := []float64{1, -2}
		for range 3 {
			if err := vm.RunAll(); err != nil {
				t.Fatal(err)
			}
			vm.Reset()
			if err := s.Step(G.NodesToValueGrads(G.Nodes{x})); err != nil {
				t.Fatal(err)
			}
			for i := range now {
				now[i] -= 0.1 * 2 * now[i] // sgd's
			}
			want = append(want, []float32{float32(now[0]), float32(now[1])})
			grad, err := x.Grad()
			if err != nil || !slices.Equal(grad.Data().([]float32), []float32{0, 0}) {
				t.Errorf("%s: gradient %v after a step, want zeros (%v)", optimizer, grad, err)
			}
			if optimizer == "sgd" && math.Abs(float64(p.Data[0])-now[0]) > 1e-6 {
				t.Errorf("w = %v, want %v", p.Data, want[len(want)-1])
			}
		}
		if err := s.Step(nil); err == nil || !strings.Contains(err.Error(), "of 1 parameters cannot move 0") {
			t.Errorf("%s: Step of no parameters: %v", optimizer, err)
		}
	}
}
