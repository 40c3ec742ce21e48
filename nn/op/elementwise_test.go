package op_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// Results are those of the equations, with broadcasting, at 0, at infinity and of NaN.
func TestAlgebra(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	type result struct {
		name  string
		y     *op.Node
		shape op.Shape
		want  []float32
	}
	var all []result
	g, err := nn.Build(false, func(g *nn.Graph) {
		row := func(values ...float32) *op.Node { return g.Constant(values) }
		table, heads := g.Constant([]float32{1, -2, 3, 4, 0, -6}, 2, 3), g.Constant([]float32{2, 0.5}, 2, 1)
		both := op.Shape{2, 3}
		all = []result{
			{"add", op.Add(table, heads), both, []float32{3, 0, 5, 4.5, 0.5, -5.5}},
			{"sub", op.Sub(heads, table), both, []float32{1, 4, -1, -3.5, 0.5, 6.5}},
			{"mul", op.Mul(heads, table), both, []float32{2, -4, 6, 2, 0, -3}},
			{"outer", op.Mul(heads, row(1, 2)), op.Shape{2, 2}, []float32{2, 4, 0.5, 1}},
			{"div", op.Div(table, row(2, 0, 0)), both, []float32{0.5, -inf, inf, 2, nan, -inf}},
			{"max", op.Max(table, row(0, nan, 3)), both, []float32{1, nan, 3, 4, nan, 3}},
			{"max of NaN", op.Max(row(nan, -inf), row(0)), op.Shape{2}, []float32{nan, 0}},
			{"exp", op.Exp(row(0, 1, -inf, 1000, nan)), op.Shape{5}, []float32{1, math.E, 0, inf, nan}},
			{"log", op.Log(row(1, math.E, 0, -1, inf)), op.Shape{5}, []float32{0, 1, -inf, nan, inf}},
			{"sqrt", op.Sqrt(row(4, 0, -1, inf)), op.Shape{4}, []float32{2, 0, nan, inf}},
			{"rows", op.Sum(table, 1), op.Shape{2}, []float32{2, -2}},
			{"columns", op.Sum(table, 0), op.Shape{3}, []float32{5, -2, -3}},
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	var nodes []*op.Node
	for _, r := range all {
		nodes = append(nodes, r.y)
	}
	run, err := nn.Compile(g, nil, nodes...)
	if err == nil {
		err = run.Run(0)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	for _, r := range all {
		same := func(a, b float32) bool { return a == b || a != a && b != b || math.Abs(float64(a-b)) < 1e-6 }
		if got := nn.Value(r.y); !slices.EqualFunc(got, r.want, same) || !r.y.Shape().Eq(r.shape) {
			t.Errorf("%s: %v of shape %v, want %v of %v", r.name, got, r.y.Shape(), r.want, r.shape)
		}
	}
}

// A score that is a formula has its gradients: of elements that are far from the edges of the functions.
func TestAlgebraGradients(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func() float32 { return 0.6 + rng.Float32() }
	err := op.CheckGradients(func(in ...*op.Node) *op.Node {
		table, factor, column := in[0], op.Reshape(in[1], 2, 1, 1), in[2]
		square := op.Mul(op.Sub(table, factor), op.Sub(table, factor))
		largest := op.Max(column, op.Max(op.Scale(factor, 0.3), op.Scale(column, 0.2)))
		y := op.Sum(op.Log(op.Add(op.Div(square, largest), op.Exp(factor))), 2)
		return op.Add(op.Sqrt(op.Max(y, op.Scale(y, 0.5))), op.Sum(op.Mul(table, table), 1))
	}, draw, op.Shape{2, 3, 3}, op.Shape{2}, op.Shape{3})
	if err != nil {
		t.Error(err)
	}
}
