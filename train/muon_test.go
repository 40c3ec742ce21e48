package train

import (
	"math"
	"math/rand/v2"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/attnconv/attnconv/nn"
)

// pair is a parameter with its gradient.
type pair struct{ w, g *tensor.Dense }

func (p pair) Value() G.Value         { return p.w }
func (p pair) Grad() (G.Value, error) { return p.g, nil }

func pairOf(p *nn.Param, g []float32) pair {
	of := func(x []float32) *tensor.Dense {
		return tensor.New(tensor.WithShape(p.Shape...), tensor.WithBacking(x))
	}
	return pair{of(p.Data), of(g)}
}

// A forecast of memory counts the scratch: the step and its iterate, as long as the largest matrix, and two squares.
func TestMuonMemory(t *testing.T) {
	withoutSlots := func(optimizer string) int {
		o := Default()
		o.Optimizer = optimizer
		w := &nn.Param{Name: "w", Shape: []int{2, 3}, Data: make([]float32, 6)}
		b := &nn.Param{Name: "b", Shape: []int{2}, Data: make([]float32, 2), Group: nn.Vector}
		s, err := NewStep(linear{w, b}, Shape{2, 1, 1, 3}, o)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		return s.Memory() - s.SlotBytes()
	}
	if got, want := withoutSlots("muon")-withoutSlots("sgd"), 4*(2*2*3+2*2*2); got != want {
		t.Errorf("Muon needs %d bytes, want %d", got, want)
	}
}

// For a matrix with only the singular value σ the step has the singular value that the polynomial makes of 1: the norm
// is divided out. The direction stays.
func TestMuonOfOneSingularValue(t *testing.T) {
	s := 1.0
	for range 5 {
		s = 3.4445*s - 4.7750*s*s*s + 2.0315*s*s*s*s*s
	}
	for _, shape := range [][]int{{3, 4}, {4, 3}, {3, 2, 2}} {
		p := &nn.Param{Name: "w", Shape: shape, Data: make([]float32, 12)}
		rows, cols := shape[0], 12/shape[0]
		g, want := make([]float32, 12), make([]float32, 12)
		for i := range rows {
			for j := range cols { // 5·u·vᵀ with u along (1, 2, …) and v along (1, -1, …)
				g[i*cols+j] = float32(5 * float64(i+1) * math.Pow(-1, float64(j)))
			}
		}
		norm := 0.0
		for _, v := range g {
			norm += float64(v) * float64(v)
		}
		for i, v := range g {
			p.Data[i] = 1
			want[i] = float32(1*(1-0.1*0.5) - 0.1*0.2*math.Sqrt(float64(max(rows, cols)))*s*float64(v)/math.Sqrt(norm))
		}
		o := Default()
		o.Optimizer, o.LR, o.WeightDecay, o.Momentum = "muon", 0.1, 0.5, 0.9
		solver, err := NewSolver(o, []*nn.Param{p})
		if err != nil {
			t.Fatal(err)
		}
		if err := solver.Step([]G.ValueGrad{pairOf(p, g)}); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if math.Abs(float64(p.Data[i]-want[i])) > 1e-5 {
				t.Fatalf("%v: element %d is %v, want %v", shape, i, p.Data[i], want[i])
			}
		}
	}
}

// The second step is along g + μ·m with m = μ·g₁ + g: Nesterov's momentum. For diagonal gradients the iterations work
// on each element of the diagonal by itself, once the norm of all is divided out.
func TestMuonIsNesterovs(t *testing.T) {
	const lr, mu = 0.1, 0.9
	first, second := [2]float64{1, 0.2}, [2]float64{0.1, 0.7}
	var m, want [2]float64
	for _, g := range [][2]float64{first, second} {
		var x [2]float64
		for i := range x {
			m[i] = mu*m[i] + g[i]
			x[i] = g[i] + mu*m[i]
		}
		norm := math.Hypot(x[0], x[1])
		for i, v := range x {
			v /= norm
			for range 5 {
				v = 3.4445*v - 4.7750*math.Pow(v, 3) + 2.0315*math.Pow(v, 5)
			}
			want[i] -= lr * 0.2 * math.Sqrt2 * v
		}
	}
	p := &nn.Param{Name: "w", Shape: []int{2, 2}, Data: make([]float32, 4)}
	o := Default()
	o.Optimizer, o.LR, o.WeightDecay, o.Momentum = "muon", lr, 0, mu
	of := func(g [2]float64) [][]float32 { return [][]float32{{float32(g[0]), 0, 0, float32(g[1])}} }
	stepped(t, o, []*nn.Param{p}, of(first), of(second))
	for i, w := range []float64{want[0], 0, 0, want[1]} {
		if math.Abs(float64(p.Data[i])-w) > 1e-5 {
			t.Errorf("element %d is %v, want %v", i, p.Data[i], w)
		}
	}
}

// The step of a random gradient is near to orthogonal, along its shorter side.
func TestMuonIsNearlyOrthogonal(t *testing.T) {
	for _, d := range [][2]int{{20, 30}, {40, 12}, {64, 576}} {
		p := &nn.Param{Name: "w", Shape: d[:], Data: make([]float32, d[0]*d[1])}
		o := Default()
		o.Optimizer, o.LR, o.WeightDecay = "muon", 1, 0
		solver, err := NewSolver(o, []*nn.Param{p})
		if err != nil {
			t.Fatal(err)
		}
		r, g := rand.New(rand.NewPCG(1, 2)), make([]float32, len(p.Data))
		for i := range g {
			g[i] = float32(r.NormFloat64())
		}
		if err := solver.Step([]G.ValueGrad{pairOf(p, g)}); err != nil {
			t.Fatal(err)
		}
		scale := 0.2 * math.Sqrt(float64(max(d[0], d[1])))
		n, other := min(d[0], d[1]), max(d[0], d[1])
		at := func(i, j int) float64 {
			if d[0] > d[1] {
				i, j = j, i
			}
			return float64(p.Data[i*d[1]+j]) / scale
		}
		for i := range n { // Gershgorin: X·Xᵀ is near to a multiple of I, so singular values are near 1
			self := 0.0
			for k := range other {
				self += at(i, k) * at(i, k)
			}
			if self < 0.4 || self > 1.5 {
				t.Errorf("%v: row %d has the squared norm %v", d, i, self)
			}
		}
	}
}

// Vectors, positions and weights with frozen rows move as AdamW moves them, and keep its slots; matrices keep none.
func TestMuonLeavesTheRestToAdamW(t *testing.T) {
	params := func() []*nn.Param {
		all := []*nn.Param{
			{Name: "bias", Shape: []int{6}, Group: nn.Vector},
			{Name: "centers", Shape: []int{3, 2}, Group: nn.Position},
			{Name: "part", Shape: []int{3, 2}},
			{Name: "matrix", Shape: []int{3, 2}},
		}
		for _, p := range all {
			p.Data = []float32{1, 2, 3, 4, 5, 6}
		}
		all[2].Freeze(1)
		return all
	}
	var got [2][]*nn.Param
	for i, name := range []string{"adamw", "muon"} {
		got[i] = params()
		o := Default()
		o.Optimizer, o.LR, o.WeightDecay = name, 0.1, 0.1
		solver, err := NewSolver(o, got[i])
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			var model []G.ValueGrad
			for _, p := range got[i] {
				model = append(model, pairOf(p, []float32{1, -2, 3, -1, 2, -3}))
			}
			if err := solver.Step(model); err != nil {
				t.Fatal(err)
			}
		}
		if name == "muon" {
			slots := solver.Slots()
			for j, p := range got[i] {
				whole := p.Name == "matrix"
				if (len(slots["momentum"][j]) > 0) != whole || (len(slots["mean"][j]) > 0) == whole {
					t.Errorf("%s: slots of %d, %d elements", p.Name, len(slots["momentum"][j]), len(slots["mean"][j]))
				}
			}
		}
	}
	for j, p := range got[0] {
		same := true
		for k := range p.Data {
			same = same && p.Data[k] == got[1][j].Data[k]
		}
		if same != (p.Name != "matrix") {
			t.Errorf("%s: moved as AdamW moves it: %t", p.Name, same)
		}
	}
}
