package rewrite

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/attnconv/attnconv/internal/op"
)

// A recording is a graph with random leaves, the same in the same order.
type recording struct {
	*op.Graph
	rng    *rand.Rand
	params []*op.Node
	data   []*op.Node
	clock  op.Clock
}

func newRecording() *recording {
	return &recording{Graph: op.NewGraph(G.NewGraph()), rng: rand.New(rand.NewPCG(1, 2)), clock: op.Clock{Step: 3}}
}

func (r *recording) values(shape ...int) *tensor.Dense {
	data := make([]float32, op.Shape(shape).TotalSize())
	for i := range data {
		data[i] = 2*r.rng.Float32() - 1
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
}

func (r *recording) param(name string, shape ...int) *op.Node {
	v := r.values(shape...)
	if strings.HasSuffix(name, "variance") {
		for i, x := range v.Float32s() {
			v.Float32s()[i] = 0.5 + x*x
		}
	}
	n := r.Leaf("model."+name+".weight", v)
	r.params = append(r.params, n)
	return n
}

func (r *recording) images(shape ...int) *op.Node {
	n := r.Data("x", r.values(shape...))
	r.data = append(r.data, n)
	return n
}

// linear is a layer of its own parameters.
func (r *recording) linear(x *op.Node, name string, out int) *op.Node {
	in := x.Shape()[x.Shape().Dims()-1]
	return op.Apply(op.LinearOp{}, x, r.param(name, out, in), r.param(name+".bias", out))
}

func (r *recording) drop(rate float32, perImage bool) op.Dropout {
	return op.Dropout{Rate: rate, Key: 7, Clock: &r.clock, PerImage: perImage}
}

// A ruleCase is a graph of a few operations, and what rules should make of it: how often each operation is there, of
// those that are named. Others may be there any number of times.
type ruleCase struct {
	name  string
	build func(r *recording) []*op.Node // roots, the first of which is differentiated
	o     Options
	want  map[string]int
}

// name returns an operation's, without attributes.
func name(n *op.Node) string {
	s, _, _ := strings.Cut(n.Op().String(), "{")
	return s
}

func counts(roots []*op.Node) map[string]int {
	all := map[string]int{}
	for _, n := range op.Order(roots) {
		if n.Op() != nil {
			all[name(n)]++
		}
	}
	return all
}

// Every rule must apply where its case says, nowhere else, and leave values and gradients as they were, up to rounding.
func TestRules(t *testing.T) {
	for _, tt := range slices.Concat(mapCases, mixCases, contentCases, convCases) {
		t.Run(tt.name, func(t *testing.T) {
			plain, rewritten := newRecording(), newRecording()
			before, recorded := tt.build(plain), tt.build(rewritten)
			was := counts(recorded)
			after := Graph(recorded, tt.o).Of(recorded)
			if now := counts(recorded); !maps.Equal(now, was) {
				t.Errorf("what was recorded has changed: %v, was %v", now, was)
			}
			got := counts(after)
			for op, n := range tt.want {
				if got[op] != n {
					t.Errorf("%d × %s, want %d: %v", got[op], op, n, got)
				}
			}
			want, wantGrads := run(t, plain, before, tt.o.Grad)
			have, grads := run(t, rewritten, after, tt.o.Grad)
			for i := range want {
				near(t, fmt.Sprint("root ", i), have[i], want[i])
			}
			for i := range wantGrads {
				near(t, "gradient of "+plain.params[i].Name(), grads[i], wantGrads[i])
			}
		})
	}
}

// run returns the values of roots, and the gradients of the parameters by Σ w·roots[0] for some w.
func run(t *testing.T, r *recording, roots []*op.Node, grad bool) (values, grads [][]float32) {
	t.Helper()
	if err := r.Emit(roots...); err != nil {
		t.Fatal(err)
	}
	var nodes []*op.Node
	if grad {
		at := roots[0].Emitted()
		w := newRecording().values(at.Shape()...)
		sum := G.Must(G.Sum(G.Must(G.HadamardProd(at, G.NewConstant(w)))))
		loss, err := r.Wrap(sum)
		if err == nil {
			nodes, err = r.Gradients(loss, r.params, r.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	vm := G.NewTapeMachine(r.Expr())
	defer vm.Close()
	if err := vm.RunAll(); err != nil {
		t.Fatal(err)
	}
	for _, n := range roots {
		values = append(values, slices.Clone(op.Value(n)))
	}
	for _, n := range nodes {
		grads = append(grads, slices.Clone(op.Value(n)))
	}
	return values, grads
}

// near compares to a hundred-thousandth of the largest value.
func near(t *testing.T, name string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s has %d elements, want %d", name, len(got), len(want))
	}
	var size, worst float64
	for i := range want {
		size = max(size, math.Abs(float64(want[i])))
		worst = max(worst, math.Abs(float64(got[i]-want[i])))
	}
	if !(worst <= 1e-5*size) {
		t.Errorf("%s is off by %.2g of %.2g", name, worst, size)
	}
}
