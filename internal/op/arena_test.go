package op

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Intervals of the same time must not overlap, and together they take little more than the most that is needed at once.
func TestLayOut(t *testing.T) {
	const turns = 300
	rng := rand.New(rand.NewPCG(1, 1))
	var lives []*interval
	atOnce := make([]int, turns)
	for range 1000 {
		first := rng.IntN(turns)
		s := &interval{first: first, last: min(turns-1, first+rng.IntN(20)), floats: rng.IntN(5) * rng.IntN(1000)}
		for i := s.first; i <= s.last; i++ {
			atOnce[i] += wholeLines(s.floats)
		}
		lives = append(lives, s)
	}
	end := layOut(lives)
	for i, s := range lives {
		if s.at%16 != 0 || s.at+s.floats > end {
			t.Errorf("a place of %d numbers at %d, and the end at %d", s.floats, s.at, end)
		}
		for _, o := range lives[:i] {
			together := s.first <= o.last && o.first <= s.last && s.floats > 0 && o.floats > 0
			if together && s.at < o.at+o.floats && o.at < s.at+s.floats {
				t.Fatalf("%+v overlaps %+v", *s, *o)
			}
		}
	}
	if least := slices.Max(atOnce); end > least*6/5 {
		t.Errorf("%d numbers, where %d are needed at once", end, least)
	}
}

// A graph with an arena computes what it computes without one, in less memory.
func TestArenaChangesNothing(t *testing.T) {
	const layers, rows, d = 6, 50, 32
	run := func(planned bool) (loss float32, grads [][]float32, floats int) {
		rng := rand.New(rand.NewPCG(5, 6))
		g := NewGraph(G.NewGraph())
		param := func(name string, shape ...int) *Node {
			n := 1
			for _, s := range shape {
				n *= s
			}
			return g.Leaf("model."+name, tensorOf(random(rng, n), shape...))
		}
		x := g.Leaf("x", tensorOf(random(rng, rows*d), rows, d))
		inputs := []*Node{x}
		var params []*Node
		for i := range layers {
			at := string(rune('a'+i)) + "."
			w, b := param(at+"weight", d, d), param(at+"bias", d)
			v, c := param(at+"out.weight", d, d), param(at+"out.bias", d)
			gamma, beta := param(at+"gamma", d), param(at+"beta", d)
			params = append(params, w, b, v, c, gamma, beta)
			y := Apply(GELULinearOp{}, Apply(LinearOp{}, x, w), b, v, c)
			x = Apply(ResidualNormOp{Dropout{Rate: 0.1, Key: 3, Clock: &Clock{Step: 2}}}, x, y, gamma, beta)
		}
		loss64 := Apply(CrossEntropyOp{&Target{Labels: make([]int32, rows)}}, x)
		nodes, err := g.Gradients(loss64, params, inputs)
		if err != nil {
			t.Fatal(err)
		}
		vm := G.NewTapeMachine(g.Expr())
		defer vm.Close()
		once := func() error {
			defer vm.Reset()
			return vm.RunAll()
		}
		if planned {
			a, err := g.Plan(params, nil, once)
			if err == nil {
				err = a.Open()
			}
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

// savedOp is an operation whose result lives.
type savedOp struct{ Op }

func (o savedOp) Kernel(in []Shape) Kernel {
	k := o.Op.Kernel(in)
	k.Recompute = nil
	return k
}

// Gradients do not depend on whether a result lives for them or is recomputed, and memory does: a norm's result is read
// by two convolutions and by another norm.
func TestResultsRecomputed(t *testing.T) {
	const layers, batch, side, d = 4, 2, 8, 16
	run := func(again bool) (grads [][]float32, floats int) {
		rng := rand.New(rand.NewPCG(5, 6))
		g := NewGraph(G.NewGraph())
		var params []*Node
		param := func(name string, shape ...int) *Node {
			n := g.Leaf("model."+name, tensorOf(random(rng, Shape(shape).TotalSize()), shape...))
			params = append(params, n)
			return n
		}
		norm := func(x *Node, name string, relu bool) *Node {
			o := Op(BatchNormOp{ReLU: relu, Moments: &Moments{}})
			if !again {
				o = savedOp{o}
			}
			return Apply(o, x, param(name+".gamma", d), param(name+".beta", d))
		}
		x := g.Leaf("x", tensorOf(random(rng, batch*side*side*d), batch, side, side, d))
		inputs := []*Node{x}
		for i := range layers {
			at := string(rune('a' + i))
			y := norm(Apply(ConvOp{ConvShape{Stride: 1}}, x, param(at+".conv.weight", d, d, 3, 3)), at+".n", true)
			z := Apply(ConvOp{ConvShape{Stride: 1}}, y, param(at+".left.weight", d, d, 3, 3))
			w := Apply(ConvOp{ConvShape{Stride: 1}}, y, param(at+".right.weight", d, d, 1, 1))
			gamma, beta := param(at+".m.gamma", d), param(at+".m.beta", d)
			x = Apply(BatchNormOp{Add: true, ReLU: true, Moments: &Moments{}}, z, gamma, beta,
				norm(norm(w, at+".o", true), at+".p", false))
		}
		loss := Apply(CrossEntropyOp{&Target{Labels: make([]int32, batch)}}, Apply(MeanTokensOp{}, x))
		nodes, err := g.Gradients(loss, params, inputs)
		if err != nil {
			t.Fatal(err)
		}
		vm := G.NewTapeMachine(g.Expr())
		defer vm.Close()
		once := func() error {
			defer vm.Reset()
			return vm.RunAll()
		}
		a, err := g.Plan(params, nil, once)
		if err == nil {
			err = a.Open()
		}
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second run finds dirty memory
			if err := once(); err != nil {
				t.Fatal(err)
			}
		}
		for _, n := range nodes {
			grads = append(grads, slices.Clone(Value(n)))
		}
		return grads, a.floats
	}
	want, all := run(false)
	got, fewer := run(true)
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Error("other gradients where results are recomputed")
	}
	// Two of the seven results of a layer that backwards read need not stay.
	if result := batch * side * side * d; all-fewer < (layers-1)*2*result {
		t.Errorf("%d numbers in the arena where results stay, %d where they are recomputed", all, fewer)
	}
}

// In a mixed graph nobody knows the order, so no result shares memory with another, or with scratch; what gorgonia
// overwrites is not taken for what was computed before; and leaves may be cut out of other tensors.
func TestMixedPlan(t *testing.T) {
	g := NewGraph(G.NewGraph())
	rng := rand.New(rand.NewPCG(1, 2))
	whole := tensorOf(random(rng, 16), 4, 4)
	if err := whole.T(); err != nil {
		t.Fatal(err)
	}
	part, err := whole.Slice(nil, G.S(1, 3))
	if err != nil {
		t.Fatal(err)
	}
	x, w, v := g.Leaf("x", part.(*tensor.Dense)), g.Leaf("w", tensorOf(random(rng, 8), 4, 2)),
		g.Leaf("v", tensorOf(random(rng, 4), 2, 2))
	pixels, filter := tensorOf(random(rng, 4*4*4*2), 4, 4, 4, 2), tensorOf(random(rng, 3*2*9), 3, 2, 3, 3)
	plus := func(in ...*G.Node) *G.Node { return G.Must(G.Add(in[0], in[1])) }
	c := Apply(ConvOp{ConvShape{Stride: 1}}, g.Leaf("pixels", pixels), g.Leaf("filter", filter)) // has scratch
	of := Apply(LinearOp{}, w, v)                                                                // only parameters
	y := between(t, g, plus, of, x)                                                              // overwrites it
	z := Apply(LinearOp{}, between(t, g, plus, Apply(LinearOp{}, x, v), y), v)
	if err := g.Emit(c, z); err != nil {
		t.Fatal(err)
	}
	vm := G.NewTapeMachine(g.Expr())
	defer vm.Close()
	run := func() error { defer vm.Reset(); return vm.RunAll() }
	a, err := g.Plan([]*Node{w, v}, nil, run)
	if err == nil {
		err = errors.Join(a.Open(), run(), run())
	}
	if err != nil {
		t.Fatal(err)
	}
	product := func(a, b []float32) (c []float32) { // (4, 2)·(2, 2)ᵀ
		for i := range 8 {
			c = append(c, a[i/2*2]*b[i%2*2]+a[i/2*2+1]*b[i%2*2+1])
		}
		return c
	}
	var px []float32
	for i := range 8 {
		px = append(px, whole.Data().([]float32)[(1+i%2)*4+i/2])
	}
	sum := product(Value(w), Value(v))
	for i, v := range product(px, Value(v)) {
		sum[i] += px[i] + v
	}
	near(t, "z", Value(z), product(sum, Value(v)))
	for i, w := range a.order {
		for k := range w.fills[0].buf {
			w.fills[0].buf[k] = float32(i)
		}
	}
	for _, w := range a.order {
		for _, scratch := range w.scratch {
			clear(scratch)
		}
	}
	for i, w := range a.order {
		if slices.ContainsFunc(w.fills[0].buf, func(v float32) bool { return v != float32(i) }) {
			t.Errorf("the result of %s shares memory", w.fills[0].label)
		}
	}
}
