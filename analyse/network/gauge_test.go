package network

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
)

// gauged are kinds of networks with layer norms around their layers, of 36 tokens of 12 values and 18 channels.
var gauged = map[string]func(s *model.Spec){
	"quadratic":            func(*model.Spec) {},
	"learned":              func(s *model.Spec) { s.Encoding = "learned" },
	"content":              func(s *model.Spec) { s.Encoding, s.Value = "content-only", "factored" },
	"window":               func(s *model.Spec) { s.Window = model.Window{Size: 3, Border: "absent"} },
	"split values":         func(s *model.Spec) { s.Value = "factored" },
	"pre-norm":             func(s *model.Spec) { s.Norm = "pre" },
	"twin, edges":          func(s *model.Spec) { s.Kind, s.Border = "conv-twin", "replicate" },
	"twin, zeros":          func(s *model.Spec) { s.Kind, s.Border = "conv-twin", "zero" },
	"depth-wise":           func(s *model.Spec) { s.Layers = model.Layers{{Kind: "depthwise"}, {}} },
	"1 × 1":                func(s *model.Spec) { s.Layers = model.Layers{{Kind: "pointwise"}, {}} },
	"behind convmixer":     func(s *model.Spec) { s.Layers = model.Layers{{Kind: "convmixer"}, {}} },
	"stem with norm":       func(s *model.Spec) { s.Stem = "convmixer" },
	"stem of convolutions": func(s *model.Spec) { s.Stem, s.Pool = "conv", 2 },
	"pre-norm, then post-norm": func(s *model.Spec) {
		s.Layers = model.Layers{{Own: map[string]any{"norm": "pre"}}, {}}
	},
	"pre-norm, then mixer": func(s *model.Spec) {
		s.Norm, s.Layers = "pre", model.Layers{{}, {Kind: "mixer"}, {}}
	},
}

func gaugedSpec(change func(*model.Spec)) model.Spec {
	s := model.Default()
	s.Layers, s.Heads, s.Dim, s.FFN, s.Pool, s.Image = model.Equal(2), model.Ints{4}, 18, 10, 2, [3]int{12, 12, 3}
	change(&s)
	return s
}

// Twelve changes of the weights that leave the logits alone leave what is measured of every layer alone.
func TestGaugeTransformationsOfNetworks(t *testing.T) {
	for name, change := range gauged {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := gaugedSpec(change)
			net := roughened(t, spec)
			fresh := func(seed uint64) (*model.Network, error) { return model.New(spec, seed) }
			subject := Subject{Name: "x", Net: net, Held: noiseOn(120, 12), Train: noiseOn(40, 12), Fresh: fresh}
			o := Options{Attention: 20, Seeds: 3, Draws: 5}
			want, err := Measure(t.Context(), subject, o)
			if err != nil {
				t.Fatal(err)
			}
			before := logitsOf(t, net, subject)
			with := want
			subject.Fresh = nil // untrained networks are the same behind each change: one of them is measured with them
			if want, err = Measure(t.Context(), subject, o); err != nil {
				t.Fatal(err)
			}
			moved := 0.0
			for i := range uint64(12) {
				subject.Net = roughened(t, spec)
				changed := regauge(subject.Net, rand.New(rand.NewPCG(i, 8)))
				if i == 11 { // and on images
					o.Images, o.Kernel, o.Network = 40, 3, name == "quadratic"
					subject.Net, net = net, subject.Net
					if want, err = Measure(t.Context(), subject, o); err != nil {
						t.Fatal(err)
					}
					subject.Net = net
				}
				same := want
				if i == 0 {
					subject.Fresh, same = fresh, with
				}
				got, err := Measure(t.Context(), subject, o)
				if err != nil {
					t.Fatal(err)
				}
				subject.Fresh = nil
				if d := largestDifference(before, logitsOf(t, subject.Net, subject)); d > 3e-6 || changed == 0 {
					t.Fatalf("logits differ by %g after %d changes", d, changed)
				}
				for j, l := range got.Layers {
					sameNumbers(t, l, same.Layers[j])
					for k := range 5 {
						if l.Raw != nil {
							moved = max(moved, math.Abs(l.Raw.List()[k]-same.Layers[j].Raw.List()[k]))
						}
					}
				}
			}
			if moved < 0.004 {
				t.Errorf("the raw shares move by %g only: the transformations are too small", moved)
			}
		})
	}
}

// sameNumbers compares what two analyses say of a layer.
func sameNumbers(t *testing.T, got, want Layer) {
	t.Helper()
	near := func(what string, g, w float64) {
		if math.IsNaN(w) != math.IsNaN(g) || math.Abs(g-w) > 1e-4*max(1, math.Abs(w)) {
			t.Errorf("layer %d: %s is %.7g behind the transformation, %.7g before", got.Layer, what, g, w)
		}
	}
	near("size", float64(got.Size), float64(want.Size))
	if want.Spectrum != nil && want.Shares != nil { // a mixer reads the mean over channels in its regression

		near("R²(3 × 3)", float64(got.Spectrum.K3), float64(want.Spectrum.K3))
		near("R² of the mean attention", float64(got.Spectrum.Mean), float64(want.Spectrum.Mean))
	}
	if want.Symmetry != nil {
		near("defect", float64(got.Symmetry.Defect.Value), float64(want.Symmetry.Defect.Value))
		near("receptive field", float64(got.Symmetry.Radius50.Value), float64(want.Symmetry.Radius50.Value))
	}
	if want.Shares == nil {
		return
	}
	for i, v := range want.Shares.List() {
		near(fmt.Sprint("share ", i), got.Shares.List()[i], v)
	}
	if want.WithResidual != nil {
		near("share of I + L", got.WithResidual.Within(3), want.WithResidual.Within(3))
	}
	near("inside", float64(got.Interior.K3), float64(want.Interior.K3))
	near("rank", got.Rank.Effective, want.Rank.Effective)
	near("K90", float64(*got.K90), float64(*want.K90))
	for i, row := range want.Kernel {
		for j, v := range row {
			near("kernel", got.Kernel[i][j], v)
		}
	}
	for i, n := range append(slices.Clone(want.Nulls), nullOf(want)) {
		other := append(slices.Clone(got.Nulls), nullOf(got))[i]
		near("p of "+n.Name, float64(other.P), float64(n.P))
		if n.Within != nil {
			near("null of "+n.Name, float64(other.Within.Mean), float64(n.Within.Mean))
		}
	}
}

// roughened is a network with weights, norms and biases away from where they start.
func roughened(t *testing.T, spec model.Spec) *model.Network {
	t.Helper()
	net, err := model.New(spec, 3)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for _, p := range net.Params {
		for i := range p.Data {
			p.Data[i] += 0.1 * float32(rng.NormFloat64())
		}
		if strings.HasSuffix(p.Name, "LayerNorm.weight") {
			for i := range p.Data {
				p.Data[i] *= 0.5 + 1.5*float32(i)/float32(len(p.Data))
			}
		}
	}
	return net
}

// regauge changes weights so that the network remains the same function, by the names of its parameters, and returns
// how many matrices it changed.
func regauge(net *model.Network, rng *rand.Rand) (changed int) {
	params := map[string]*nn.Param{}
	for _, p := range net.Params {
		params[strings.TrimPrefix(p.Name, "model.")] = p
	}
	dim := net.Spec.Dim
	blocks := net.Spec.Blocks()
	pre := func(i int) bool { return blocks[i].Norm == "pre" && blocks[i].Kind.Name != "mixer" }
	for i, b := range blocks {
		at := func(name string) *nn.Param { return params[fmt.Sprintf("encoder.layer.%d.%s", i, name)] }
		dense, bias := at("attention.output.dense.weight"), at("attention.output.dense.bias")
		if dense == nil {
			continue // a block without the map
		}
		if !pre(i) || net.Spec.Norm == "pre" { // what follows reads the sum through a norm
			wide := dense.Shape[1]
			for m := range wide {
				a := float32(rng.NormFloat64() / 4)
				for o := range dim {
					dense.Data[o*wide+m] += a
				}
			}
			a := float32(rng.NormFloat64())
			for o := range dim {
				bias.Data[o] += a
			}
			changed++
		}
		// x·v is the constant c for every input x of the layer
		var v []float64
		c := 0.0
		norm := func(weight, bias *nn.Param) {
			for j, g := range weight.Data {
				v = append(v, 1/float64(g))
				c += float64(bias.Data[j]) / float64(g)
			}
		}
		up, upBias := params["features_upscale.weight"], params["features_upscale.bias"]
		switch {
		case pre(i):
			gamma, beta := at("attention.output.LayerNorm.weight"), at("attention.output.LayerNorm.bias")
			norm(gamma, beta)
			if i == 0 {
				v, c = hiddenBehind(up.Data, upBias.Data, dim, true, rng), 0
				for j := range v {
					v[j] /= float64(gamma.Data[j])
					c += v[j] * float64(beta.Data[j])
				}
			}
		case i == 0 && net.Spec.Stem == "patches":
			v = hiddenBehind(up.Data, upBias.Data, dim, false, rng)
			for j, u := range upBias.Data {
				c += v[j] * float64(u)
			}
		case i > 0 && !pre(i-1) && blocks[i-1].Kind.Name != "convmixer":
			last := func(name string) *nn.Param {
				return params[fmt.Sprintf("encoder.layer.%d.output.LayerNorm.%s", i-1, name)]
			}
			norm(last("weight"), last("bias"))
		default:
			continue
		}
		weight, vBias, maps := at("attention.self.value.weight"), at("attention.self.value.bias"), 1
		stride := 1 // from an input channel of a map to the next
		switch b.Kind.Name {
		case "attention":
			maps = weight.Shape[1] / dim
		case "pointwise":
			weight, vBias = at("attention.self.pointwise.weight"), at("attention.self.pointwise.bias")
		case "conv":
			if b.Border == "zero" {
				continue // at a border, the constant is not there
			}
			weight, vBias = at("attention.self.conv.weight"), at("attention.self.conv.bias")
			maps, stride = weight.Shape[2]*weight.Shape[3], weight.Shape[2]*weight.Shape[3]
		default:
			continue // a depth-wise kernel reads one channel
		}
		for m := range weight.Shape[0] {
			for h := range maps {
				by := rng.NormFloat64() / 8
				for j := range dim {
					to := (m*maps+h)*dim + j
					if stride > 1 {
						to = (m*dim+j)*stride + h
					}
					weight.Data[to] += float32(by * v[j])
				}
				vBias.Data[m] -= float32(by * c)
			}
		}
		changed++
	}
	return changed
}

// hiddenBehind returns a random vector v that no token p·U + u says anything of, or no normed one: it is orthogonal to
// every row of U and, normed, to u and 𝟏 as well.
func hiddenBehind(up, bias []float32, dim int, normed bool, rng *rand.Rand) []float64 {
	values := len(up) / dim
	var rows [][]float64
	for k := range values {
		row := make([]float64, dim)
		for j := range row {
			row[j] = float64(up[j*values+k])
		}
		rows = append(rows, row)
	}
	if normed {
		ones, u := make([]float64, dim), make([]float64, dim)
		for j := range ones {
			ones[j], u[j] = 1, float64(bias[j])
		}
		rows = append([][]float64{ones}, append(rows, u)...)
	}
	v := make([]float64, dim)
	for j := range v {
		v[j] = rng.NormFloat64()
	}
	rows = append(rows, v)
	for i, row := range rows { // Gram and Schmidt, twice for rounding
		for range 2 {
			for _, before := range rows[:i] {
				along, norm := 0.0, 0.0
				for j := range row {
					along, norm = along+row[j]*before[j], norm+before[j]*before[j]
				}
				for j := range row {
					row[j] -= along / norm * before[j]
				}
			}
		}
	}
	return v
}

func logitsOf(t *testing.T, net *model.Network, s Subject) (all []float32) {
	t.Helper()
	err := eachLogits(context.Background(), net, s.Held.Subset(upTo(0, 20)), func(y []float32, _ []int32) {
		all = append(all, y...)
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func largestDifference(a, b []float32) (d float64) {
	for i, v := range a {
		d = max(d, math.Abs(float64(v)-float64(b[i])))
	}
	return d
}

// The mean over channels of a layer's output counts where a later block reads the tokens without a norm: the residual
// of a post-norm block, and a convolution. A projection that removes too much would leave all gauges invariant.
func TestMeanCountsWhereItIsRead(t *testing.T) {
	norm := func(where string) model.Block { return model.Block{Own: map[string]any{"norm": where}} }
	for name, tt := range map[string]struct {
		layers model.Layers
		want   []bool
	}{
		"post":        {model.Layers{norm("post"), norm("post")}, []bool{true, true}},
		"pre":         {model.Layers{norm("pre"), norm("pre")}, []bool{true, true}},
		"pre, post":   {model.Layers{norm("pre"), norm("post")}, []bool{false, true}},
		"post, pre":   {model.Layers{norm("post"), norm("pre")}, []bool{true, true}},
		"pre, taps":   {model.Layers{norm("pre"), {Kind: "depthwise"}}, []bool{false, true}},
		"pre, mixer":  {model.Layers{norm("pre"), {Kind: "mixer"}, norm("pre")}, []bool{true, true, true}},
		"pre, mixer2": {model.Layers{norm("pre"), {Kind: "mixer"}, norm("post")}, []bool{false, false, true}},
	} {
		net := small(t, func(s *model.Spec) { s.Layers = tt.layers })
		for i, want := range tt.want {
			if net.Layer.(*attention.Stack).Block(i) == nil {
				continue
			}
			if got := gaugeOf(net.Layer.(*attention.Stack), i).Center; got != want {
				t.Errorf("%s: the mean of layer %d's output is removed: %t, want %t", name, i+1, got, want)
			}
		}
	}
}

// Positions are added to the tokens of the first layer, so that it depends on more of its maps than pixels do: a change
// that pixels hide changes the logits.
func TestPositionsShowTheFirstLayer(t *testing.T) {
	for _, positions := range []string{"none", "learned"} {
		spec := gaugedSpec(func(s *model.Spec) { s.Encoding, s.Absolute = "content-only", positions })
		net, err := model.New(spec, 1)
		if err != nil {
			t.Fatal(err)
		}
		if pixels := gaugeOf(net.Layer.(*attention.Stack), 0).Pixels; (pixels == nil) != (positions != "none") {
			t.Errorf("positions %q: %d numbers of pixels", positions, len(pixels))
		}
	}
}
