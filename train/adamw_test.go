package train

import (
	"math"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
)

// stepped has a solver of o move params, one step for each of gradients.
func stepped(t *testing.T, o Options, params []*nn.Param, gradients ...[][]float32) {
	t.Helper()
	solver, err := NewSolver(o, params)
	if err != nil {
		t.Fatal(err)
	}
	for _, all := range gradients {
		var with []G.ValueGrad
		for i, p := range params {
			with = append(with, pairOf(p, all[i]))
		}
		if err := solver.Step(with); err != nil {
			t.Fatal(err)
		}
	}
}

// With gradients of 0 only weight decay moves a parameter: w ← (1 - lr·decay)·w for each solver. It decays weights,
// with decay_all also biases and norms, and never the centers and spreads of heads.
func TestDecay(t *testing.T) {
	spec := model.Default()
	spec.Layers, spec.Heads, spec.Dim, spec.FFN, spec.Pool = model.Equal(1), model.Ints{2}, 8, 8, 8
	spec.Encoding, spec.Image = "quadratic-general", [3]int{16, 16, 1}
	for _, solver := range []string{"sgd", "adamw", "muon"} {
		for _, all := range []bool{false, true} {
			net, err := model.New(spec, 1)
			if err != nil {
				t.Fatal(err)
			}
			o := Default()
			o.Optimizer, o.LR, o.WeightDecay, o.DecayAll = solver, 0.1, 0.5, all
			zero, kinds := [][]float32(nil), map[string]int{}
			for _, p := range net.Params {
				zero = append(zero, make([]float32, len(p.Data)))
				for i := range p.Data {
					p.Data[i] = 2
				}
			}
			stepped(t, o, net.Params, zero)
			for _, p := range net.Params {
				kind, want := "weight", 2*(1-0.1*0.5)
				switch {
				case strings.Contains(p.Name, "center") || strings.Contains(p.Name, "spread"):
					kind, want = "position", 2
				case strings.HasSuffix(p.Name, ".bias") || strings.Contains(p.Name, "LayerNorm"):
					kind = "vector"
					if !all {
						want = 2
					}
				}
				kinds[kind]++
				for _, v := range p.Data {
					if math.Abs(float64(v)-want) > 1e-6 {
						t.Errorf("%s, decay_all %t: %s is %v, want %v", solver, all, p.Name, v, want)
						break
					}
				}
			}
			if kinds["weight"] < 4 || kinds["vector"] < 4 || kinds["position"] < 2 {
				t.Fatalf("the network has %v parameters: want some of each kind", kinds)
			}
		}
	}
}

// Two steps as torch.optim.AdamW takes them, in float64. Of a gradient as small as 1e-8, ε = 1e-8 is half of the
// denominator.
func TestAdamWByHand(t *testing.T) {
	const lr, decay, b1, b2, eps = 0.1, 0.5, 0.8, 0.99, 1e-8
	gradients := [][]float32{{1e-8, -3e-8, 0.5, 0, 2e-10}, {2e-8, 1e-8, -0.25, 0, 4e-10}}
	p := &nn.Param{Name: "w", Shape: []int{5}, Data: []float32{1, -2, 3, -4, 5}}
	var want []float64
	for i, v := range p.Data {
		w, m, s := float64(v), 0., 0.
		for n, of := range gradients {
			g, t := float64(of[i]), float64(n+1)
			w -= lr * decay * w
			m, s = b1*m+(1-b1)*g, b2*s+(1-b2)*g*g
			w -= lr * m / (1 - math.Pow(b1, t)) / (math.Sqrt(s/(1-math.Pow(b2, t))) + eps)
		}
		want = append(want, w)
	}
	o := Default()
	o.Optimizer, o.LR, o.WeightDecay, o.Betas = "adamw", lr, decay, [2]float64{b1, b2}
	stepped(t, o, []*nn.Param{p}, gradients[:1], gradients[1:])
	for i, w := range want {
		if math.Abs(float64(p.Data[i])-w) > 1e-6 {
			t.Errorf("element %d is %v, want %v", i, p.Data[i], w)
		}
	}
}
