package op

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// WeightedOp is Σ_i C_i·x_i, in float64: a loss by which gradients are checked.
type WeightedOp struct{ By *Weights }

// Weights are the C of a WeightedOp, and the sum that the last run found.
type Weights struct {
	C   []float64
	Sum float64
}

// Weighted returns a loss of x with weights of about 1/√n, so that it and its gradients are of about 1.  x (…) -> a
// scalar
func Weighted(x *Node) (*Node, *Weights) {
	n := x.shape.TotalSize()
	rng, w := rand.New(rand.NewPCG(3, 4)), &Weights{C: make([]float64, n)}
	for i := range w.C {
		w.C[i] = float64(float32(rng.NormFloat64() / math.Sqrt(float64(max(1, n)))))
	}
	return Apply(WeightedOp{w}, x), w
}

func (WeightedOp) String() string { return "weighted-sum" }

func (WeightedOp) Shape([]Shape) (Shape, error) { return Shape{}, nil }

func (WeightedOp) Cost(*Node) Cost { return Cost{} }

func (o WeightedOp) Kernel([]Shape) Kernel {
	return Kernel{
		NotSaved: []int{0, Output},
		Forward: func(y []float32, in [][]float32) {
			o.By.Sum = 0
			for i, v := range in[0] {
				o.By.Sum += o.By.C[i] * float64(v)
			}
			y[0] = float32(o.By.Sum)
		},
		Backward: func(d [][]float32, dy, _ []float32, _ [][]float32) {
			for i, c := range o.By.C {
				d[0][i] = float32(c) * dy[0]
			}
		},
	}
}

// A Variable is something that a loss depends on: its elements, and the gradient that a run leaves.
type Variable struct {
	Name string
	Data []float32
	Grad func() []float32
}

// checked is how many elements of a variable Differences looks at.
const checked = 64

// Differences compares the gradients of a loss that run computes with differences of the loss, elements of each
// variable one by one, or 64 of more. It returns the first that differs by more than 1e-4, relative where the
// difference is above 1.
func Differences(vars []Variable, run func() (loss float64, err error)) error {
	for range 2 { // the second run finds memory as the first has left it
		if _, err := run(); err != nil {
			return err
		}
	}
	grads := make([][]float32, len(vars))
	for i, v := range vars {
		grads[i] = slices.Clone(v.Grad())
	}
	for i, v := range vars {
		for j := 0; j < len(v.Data); j += (len(v.Data) + checked - 1) / checked {
			want, err := slope(&v.Data[j], run)
			if err != nil {
				return err
			}
			if got := float64(grads[i][j]); !(math.Abs(got-want) <= 1e-4*(1+math.Abs(want))) {
				return fmt.Errorf("the gradient of %s at element %d is %.6g; differences of the forward pass say %.6g",
					v.Name, j, got, want)
			}
		}
	}
	return nil
}

// slope is the derivative of the loss at w, from four values around it.
func slope(w *float32, run func() (float64, error)) (float64, error) {
	const h = 1. / 64
	at := *w
	defer func() { *w = at }()
	sum, step := 0., 0.
	for _, s := range []struct{ steps, weight float64 }{{-2, 1}, {-1, -8}, {1, 8}, {2, -1}} {
		*w = at + float32(s.steps*h)
		step = max(step, math.Abs(float64(*w)-float64(at))/math.Abs(s.steps))
		l, err := run()
		if err != nil {
			return 0, err
		}
		sum += s.weight * l
	}
	return sum / (12 * step), nil
}

// CheckGradients compares the gradients of f, with respect to its inputs, of the given shapes, with differences of its
// result: of all inputs together, and of each while nobody asks for the others'. draw returns elements of inputs.
func CheckGradients(f func(in ...*Node) *Node, draw func() float32, shapes ...Shape) error {
	for only := -1; only < len(shapes); only++ {
		if err := checkGradients(f, draw, shapes, only); err != nil {
			return err
		}
	}
	return nil
}

// checkGradients checks those of input only, or of all if it is negative.
func checkGradients(f func(in ...*Node) *Node, draw func() float32, shapes []Shape, only int) (err error) {
	defer func() {
		if e, ok := recover().(*Error); ok {
			err = e
		}
	}()
	g := NewGraph(G.NewGraph())
	var leaves, vars, data []*Node
	for i, s := range shapes {
		x := make([]float32, s.TotalSize())
		for j := range x {
			x[j] = draw()
		}
		name, v := fmt.Sprintf("input %d", i), tensor.New(tensor.WithShape(s...), tensor.WithBacking(x))
		if only < 0 || i == only {
			leaves = append(leaves, g.Leaf(name, v))
			vars = append(vars, leaves[i])
		} else {
			leaves = append(leaves, g.Data(name, v))
			data = append(data, leaves[i])
		}
	}
	loss, sum := Weighted(f(leaves...))
	grads, err := g.Gradients(loss, vars, data)
	if err != nil {
		return err
	}
	vm := G.NewTapeMachine(g.Expr())
	defer vm.Close()
	run := func() error { defer vm.Reset(); return vm.RunAll() }
	kept := []*Node{loss}
	for _, n := range grads {
		if n != nil {
			kept = append(kept, n)
		}
	}
	a, err := g.Plan(vars, kept, run)
	if err == nil {
		err = a.Open()
	}
	if err != nil {
		return err
	}
	var all []Variable
	for i, n := range vars {
		if grads[i] == nil {
			return fmt.Errorf("%s has no gradient: the result does not depend on it", n.name)
		}
		all = append(all, Variable{n.name, n.Elements(), func() []float32 { return Value(grads[i]) }})
	}
	return Differences(all, func() (float64, error) { err := run(); return sum.Sum, err })
}
