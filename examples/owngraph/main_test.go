package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// The gradient of every parameter equals differences of the loss.
func TestGradients(t *testing.T) {
	n, err := build()
	if err != nil {
		t.Fatal(err)
	}
	if err := n.feed(rand.New(rand.NewPCG(3, 4))); err != nil {
		t.Fatal(err)
	}
	machine := gorgonia.NewTapeMachine(n.expr, gorgonia.BindDualValues(n.leaves...))
	defer machine.Close()
	run := func() float64 {
		if err := machine.RunAll(); err != nil {
			t.Fatal(err)
		}
		machine.Reset()
		return float64(n.loss.Value().Data().(float32))
	}
	run()
	var grads [][]float32
	for _, leaf := range n.leaves {
		g, err := leaf.Grad()
		if err != nil {
			t.Fatal(err)
		}
		grads = append(grads, slices.Clone(g.(*tensor.Dense).Float32s()))
	}
	for i, p := range n.params {
		for j := 0; j < len(p.Data); j += 1 + len(p.Data)/5 {
			const h = 1. / 32
			w, sum := p.Data[j], 0.
			for _, s := range [][2]float64{{-2, 1}, {-1, -8}, {1, 8}, {2, -1}} {
				p.Data[j] = w + float32(s[0]*h)
				sum += s[1] * run()
			}
			p.Data[j] = w
			if want := sum / (12 * h); math.Abs(float64(grads[i][j])-want) > 1e-4*(1+math.Abs(want)) {
				t.Errorf("%s[%d]: gradient %v, differences say %v", p.Name, j, grads[i][j], want)
			}
		}
	}
}

func TestTrain(t *testing.T) {
	n, err := build()
	if err != nil {
		t.Fatal(err)
	}
	if first, last, err := n.train(300); err != nil || !(last < first/4) {
		t.Errorf("mean square error %v, then %v (%v)", first, last, err)
	}
}
