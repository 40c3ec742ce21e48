package op

import (
	"math/rand/v2"
	"slices"
	"testing"

	G "gorgonia.org/gorgonia"
)

// Places that are taken at the same time must not overlap, and a layout that is empty again is one gap.
func TestLayout(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var l layout
	var taken []gap
	for range 5000 {
		if len(taken) > 0 && rng.IntN(2) == 0 {
			i := rng.IntN(len(taken))
			l.give(taken[i].at, taken[i].n)
			taken = slices.Delete(taken, i, i+1)
			continue
		}
		g := gap{n: rng.IntN(100)}
		g.at = l.take(g.n)
		for _, o := range taken {
			if g.n > 0 && o.n > 0 && g.at < o.at+o.n && o.at < g.at+g.n {
				t.Fatalf("[%d, +%d) overlaps [%d, +%d)", g.at, g.n, o.at, o.n)
			}
		}
		taken = append(taken, g)
	}
	for _, g := range taken {
		l.give(g.at, g.n)
	}
	if len(l.free) != 1 || l.free[0] != (gap{0, l.end}) {
		t.Errorf("everything given back: free %v, want one gap of %d", l.free, l.end)
	}
}

// A graph with an arena computes what it computes without one, in less memory.
func TestArenaChangesNothing(t *testing.T) {
	const layers, rows, d = 6, 50, 32
	run := func(planned bool) (loss float32, grads [][]float32, floats int) {
		rng := rand.New(rand.NewPCG(5, 6))
		g := G.NewGraph()
		param := func(name string, shape ...int) *Node {
			n := 1
			for _, s := range shape {
				n *= s
			}
			return G.NodeFromAny(g, tensorOf(random(rng, n), shape...), G.WithName("model."+name))
		}
		x := Data(g, "x", tensorOf(random(rng, rows*d), rows, d))
		var params []*Node
		for i := range layers {
			at := string(rune('a'+i)) + "."
			w, b := param(at+"weight", d, d), param(at+"bias", d)
			v, c := param(at+"out.weight", d, d), param(at+"out.bias", d)
			gamma, beta := param(at+"gamma", d), param(at+"beta", d)
			params = append(params, w, b, v, c, gamma, beta)
			y := GELULinear(MatMul(x, w), b, v, c)
			x = ResidualNorm(x, y, gamma, beta, Dropout{Rate: 0.1, Key: 3, Clock: &Clock{Step: 2}})
		}
		loss64 := CrossEntropy(x, &Target{Labels: make([]int32, rows)})
		nodes, err := Gradients(loss64, params)
		if err != nil {
			t.Fatal(err)
		}
		vm := G.NewTapeMachine(g)
		defer vm.Close()
		once := func() error {
			defer vm.Reset()
			return vm.RunAll()
		}
		if planned {
			a, err := Plan(g, nil, once)
			if err != nil {
				t.Fatal(err)
			}
			floats = a.floats
		}
		for range 2 { // the second run finds dirty memory
			if err := once(); err != nil {
				t.Fatal(err)
			}
		}
		for _, n := range nodes {
			grads = append(grads, slices.Clone(Value(n)))
		}
		return Value(loss64)[0], grads, floats
	}
	loss, grads, _ := run(false)
	plannedLoss, plannedGrads, floats := run(true)
	if loss != plannedLoss || !slices.EqualFunc(grads, plannedGrads, slices.Equal) {
		t.Errorf("loss %v and gradients, %v and others with an arena", loss, plannedLoss)
	}
	// Each layer has three results and as many gradients that are as large as the input.
	if all := layers * 6 * rows * d; floats > all*2/3 {
		t.Errorf("%d numbers in the arena; without one there are %d", floats, all)
	}
}
