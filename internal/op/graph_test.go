package op

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

func tensorOf(data []float32, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
}

// A node that three operations read must get the sum of their gradients, without an addition of gorgonia's.
func TestFanIn(t *testing.T) {
	g := NewGraph(G.NewGraph())
	data := []float32{0.3, -0.2, 0.5, 0.9, -0.7, 0.1}
	x := g.Leaf("model.a.x", tensorOf(data, 3, 2))
	w := g.Leaf("model.b.weight", tensorOf([]float32{0.5, -1, 0.25, 2}, 2, 2))
	b := g.Leaf("model.b.bias", tensorOf([]float32{0.1, 0.2}, 2))
	gamma := g.Leaf("model.n.weight", tensorOf([]float32{1, 1}, 2))
	beta := g.Leaf("model.n.bias", tensorOf([]float32{0, 0}, 2))
	c := g.Leaf("model.c.bias", tensorOf([]float32{0.4, -0.3}, 2))
	u := Apply(GELULinearOp{}, x, b, w, c)                   // reads x
	v := Apply(LinearOp{}, x, w, b)                          // reads x, b and w again
	y := Apply(ResidualNormOp{Dropout{}}, x, u, gamma, beta) // and x a third time
	z := Apply(ResidualNormOp{Dropout{}}, y, v, gamma, beta)
	target := &Target{Labels: []int32{0, 1, 0}}
	loss := Apply(CrossEntropyOp{target}, z)
	params := []*Node{x, w, b, c, gamma, beta}
	grads, err := g.Gradients(loss, params, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range g.Expr().AllNodes() {
		if n.Op() != nil && strings.Contains(n.Op().String(), "+") {
			t.Errorf("gorgonia adds gradients up itself: %v", n.Op())
		}
	}
	vm := G.NewTapeMachine(g.Expr())
	defer vm.Close()
	run := func() float64 {
		if err := vm.RunAll(); err != nil {
			t.Fatal(err)
		}
		vm.Reset()
		return float64(Value(loss)[0])
	}
	for range 2 { // the second run finds dirty buffers
		run()
	}
	for i, p := range params {
		got := append([]float32{}, Value(grads[i])...)
		numbers := Value(p)
		for j := range numbers {
			const h = 1e-2
			at := numbers[j]
			numbers[j] = at + h
			up := run()
			numbers[j] = at - h
			want := (up - run()) / (2 * h)
			numbers[j] = at
			if math.Abs(float64(got[j])-want) > 2e-3*(1+math.Abs(want)) {
				t.Errorf("d %s [%d] = %v, central difference %v", p.Name(), j, got[j], want)
			}
		}
		run()
	}
}

// timesOp multiplies x by a scalar.
type timesOp struct{}

func (timesOp) String() string { return "times" }

func (o timesOp) Shape(in []Shape) (Shape, error) {
	return fits(o, in, in[1].IsScalar(), in[0], "x and a scalar")
}

func (timesOp) Cost(*Node) Cost { return Cost{} }

func (timesOp) Kernel([]Shape) Kernel {
	return Kernel{
		Forward: func(y []float32, in [][]float32) {
			for i, v := range in[0] {
				y[i] = v * in[1][0]
			}
		},
		Backward: func(d [][]float32, dy, _ []float32, in [][]float32) {
			d[1][0] = 0
			for i, v := range in[0] {
				d[0][i] = dy[i] * in[1][0]
				d[1][0] += dy[i] * v
			}
		},
	}
}

// A gradient passes through scalars, ours and gorgonia's, planned and not, and a parameter may have any name.
func TestScalarGradient(t *testing.T) {
	for _, stock := range []bool{false, true} {
		for _, planned := range []bool{false, true} {
			g := NewGraph(G.NewGraph())
			x := g.Leaf("data.x", tensorOf([]float32{0.3, -0.2, 0.5, 0.9}, 2, 2))
			w := g.Leaf("model.w", tensorOf([]float32{0.5, -1, 0.25, 2}, 2, 2))
			s := Apply(CrossEntropyOp{&Target{Labels: []int32{0, 1}}}, Apply(LinearOp{}, x, w)) // 0.70036
			if stock {
				s = between(t, g, func(in ...*G.Node) *G.Node { return G.Must(G.Square(G.Must(G.Sqrt(in[0])))) }, s)
			}
			y := Apply(CrossEntropyOp{&Target{Labels: []int32{1, 0}}}, Apply(timesOp{}, x, s))
			params := []*Node{x, w}
			grads, err := g.Gradients(y, params, nil)
			if err != nil {
				t.Fatal(err)
			}
			vm := G.NewTapeMachine(g.Expr())
			defer vm.Close()
			run := func() error { defer vm.Reset(); return vm.RunAll() }
			if planned {
				a, err := g.Plan(params, append(grads, y), run)
				if err == nil {
					err = a.Open()
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(run(), run()); err != nil {
				t.Fatal(err)
			}
			var found [2][]float32
			for i := range params {
				found[i] = slices.Clone(Value(grads[i]))
			}
			for i, p := range params {
				got, numbers := found[i], Value(p)
				for j, at := range numbers {
					const h = 1e-2
					var ends [2]float64
					for e, by := range []float32{-h, h} {
						numbers[j] = at + by
						if err := run(); err != nil {
							t.Fatal(err)
						}
						ends[e] = float64(Value(y)[0])
					}
					numbers[j] = at
					if want := (ends[1] - ends[0]) / (2 * h); math.Abs(float64(got[j])-want) > 1e-4 {
						t.Errorf("stock %t, planned %t: d %s[%d] = %v, central difference %v", stock, planned, p.Name(),
							j, got[j], want)
					}
				}
			}
		}
	}
}

// between puts an operation of gorgonia's own behind nodes of ours.
func between(t *testing.T, g *Graph, f func(in ...*G.Node) *G.Node, in ...*Node) *Node {
	t.Helper()
	if err := g.Emit(in...); err != nil {
		t.Fatal(err)
	}
	var at []*G.Node
	for _, n := range in {
		at = append(at, n.Emitted())
	}
	n, err := g.Wrap(f(at...))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// What cannot be done with gradients is an error, not a number.
func TestGradientsRefused(t *testing.T) {
	for want, build := range map[string]func(g *Graph, x, w, b *Node) *Node{
		"fold-norm has no gradient": func(g *Graph, x, w, b *Node) *Node {
			return Apply(LinearOp{}, Apply(FoldNormOp{}, b, b, b, b), w, b)
		},
		"the graph has them already": func(g *Graph, x, w, b *Node) *Node {
			y := Apply(LinearOp{}, x, w, b)
			if _, err := g.Gradients(Apply(CrossEntropyOp{&Target{Labels: []int32{0, 1}}}, y), []*Node{w},
				[]*Node{x}); err != nil {
				t.Error(err)
			}
			return y
		},
	} {
		g := NewGraph(G.NewGraph())
		x, w := g.Leaf("x", tensorOf([]float32{1, 2, 3, 4}, 2, 2)), g.Leaf("w", tensorOf([]float32{1, 2, 3, 4}, 2, 2))
		b := g.Leaf("b", tensorOf([]float32{1, 2}, 2))
		loss := Apply(CrossEntropyOp{&Target{Labels: []int32{0, 1}}}, build(g, x, w, b))
		_, err := g.Gradients(loss, []*Node{x, w, b}, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}

// badOp panics when it runs.
type badOp struct{}

func (badOp) String() string                  { return "bad" }
func (badOp) Shape(in []Shape) (Shape, error) { return in[0], nil }
func (badOp) Cost(*Node) Cost                 { return Cost{} }
func (badOp) Kernel([]Shape) Kernel {
	return Kernel{Forward: func([]float32, [][]float32) { panic("out of order") }}
}

// A panic in a kernel must come back as an error that names the operation.
func TestPanicBecomesError(t *testing.T) {
	g := NewGraph(G.NewGraph())
	x := g.Leaf("model.x.weight", tensorOf([]float32{1, 2}, 1, 2))
	if err := g.Emit(Apply(badOp{}, x)); err != nil {
		t.Fatal(err)
	}
	vm := G.NewTapeMachine(g.Expr())
	defer vm.Close()
	if err := vm.RunAll(); err == nil || !strings.Contains(err.Error(), "bad of x: out of order") {
		t.Errorf("RunAll: %v, want an error that names the operation", err)
	}
}

func TestShapesRefused(t *testing.T) {
	defer func() {
		if err, ok := recover().(*Error); !ok || !strings.Contains(err.Error(), "linear: want x (…, in)") {
			t.Errorf("panic %v, want an *Error that says what linear takes", err)
		}
	}()
	g := NewGraph(G.NewGraph())
	x := g.Leaf("model.x", tensorOf(make([]float32, 15), 3, 5))
	w := g.Leaf("model.w", tensorOf(make([]float32, 8), 2, 4))
	Apply(LinearOp{}, x, w)
}
