package model

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/theorem/plain"
)

// An oracle is the reference's network in float64, written from its formulas with loops and nothing else. Its attention is
// plain.Layer, which has nothing in common with the layers that it checks. It takes one image of rows × cols × channels.
type oracle struct {
	spec Spec
	w    map[string][]float32
}

// oracleOf is the reference with a network's weights.
func oracleOf(net *Network) oracle {
	p := oracle{net.Spec, map[string][]float32{}}
	for _, q := range net.Params {
		p.w[q.Name[len("model."):]] = slices.Clone(q.Data)
	}
	return p
}

func (p oracle) logits(x []float64) []float64 { return p.classified(p.tokens(x)) }

// classified is the logits of what the first layer takes.
func (p oracle) classified(tokens [][]float64) []float64 {
	s := p.spec
	for l, b := range s.Blocks() {
		at := fmt.Sprintf("encoder.layer.%d.", l)
		mixed := oracle{b.Spec, p.w}.mix(at+"attention.self.", b.Heads, tokens)
		for i, t := range tokens {
			h := p.norm(at+"attention.output.LayerNorm", add(t, p.linear(at+"attention.output.dense", mixed[i])))
			f := p.linear(at+"intermediate.dense", h)
			for j, u := range f {
				f[j] = u / 2 * (1 + math.Erf(u/math.Sqrt2))
			}
			tokens[i] = p.norm(at+"output.LayerNorm", add(h, p.linear(at+"output.dense", f)))
		}
	}
	mean := make([]float64, s.Dim)
	for _, t := range tokens {
		for j, v := range t {
			mean[j] += v / float64(len(tokens))
		}
	}
	return p.linear("classifier", mean)
}

// mix is what attention makes of the tokens, or a convolution with zeros around them, whichever has parameters with names
// that begin with at.
func (p oracle) mix(at string, heads int, tokens [][]float64) [][]float64 {
	s := p.spec
	if w := p.w[at+"conv.weight"]; w != nil {
		grid := slices.Collect(slices.Chunk(tokens, s.Image[1]/s.Pool))
		mixed := slices.Concat(convolve(batch{grid}, w, s.Dim, 1)[0]...)
		for i := range mixed {
			mixed[i] = add(mixed[i], float64s(p.w[at+"conv.bias"]))
		}
		return mixed
	}
	flat := p.attention(at, heads).Forward(slices.Concat(tokens...))
	return slices.Collect(slices.Chunk(flat, len(flat)/len(tokens)))
}

// tokens are what the first layer takes.
func (p oracle) tokens(x []float64) [][]float64 {
	s := p.spec
	cols := s.Image[1] / s.Pool
	first := p.attention("", s.Heads[0])
	first.Absolute = s.Absolute
	tokens := first.Places()
	for i := range tokens {
		var pixels []float64
		for dh := range s.Pool {
			for dw := range s.Pool {
				for c := range s.Image[2] {
					r, q := i/cols*s.Pool+dh, i%cols*s.Pool+dw
					pixels = append(pixels, x[(r*s.Image[1]+q)*s.Image[2]+c])
				}
			}
		}
		tokens[i] = add(p.linear("features_upscale", pixels), tokens[i])
	}
	return tokens
}

// attention is the layer whose parameters have names that begin with at. The value map joins the heads; where it does not
// have that shape, heads have values of their own, and the dense map behind joins them.
func (p oracle) attention(at string, heads int) *plain.Layer {
	s := p.spec
	l := &plain.Layer{Encoding: s.Encoding, Terms: s.Terms, Rows: s.Image[0] / s.Pool, Cols: s.Image[1] / s.Pool, Heads: heads, In: s.Dim,
		Out: s.Dim, HeadDim: cmp.Or(s.HeadDim, s.Dim), MaxSide: s.MaxPosition, Params: map[string][]float64{}}
	for name, w := range p.w {
		if own, ok := strings.CutPrefix(name, at); ok {
			l.Params[own] = float64s(w)
		}
	}
	l.Split = len(l.Params["value.weight"]) != heads*s.Dim*s.Dim || s.Value == "factored"
	if bias := l.Params["query.bias"]; bias != nil { // heads may share the channels
		l.HeadDim = len(bias) / heads
	}
	return l
}

func float64s(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

func (p oracle) linear(name string, x []float64) []float64 {
	w, b := p.w[name+".weight"], p.w[name+".bias"]
	y := make([]float64, len(b))
	for i := range y {
		y[i] = float64(b[i])
		for j, v := range x {
			y[i] += float64(w[i*len(x)+j]) * v
		}
	}
	return y
}

func (p oracle) norm(name string, x []float64) []float64 {
	var mean, square float64
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		square += (v - mean) * (v - mean) / float64(len(x))
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = (v-mean)/math.Sqrt(square+1e-12)*float64(p.w[name+".weight"][i]) + float64(p.w[name+".bias"][i])
	}
	return y
}

func add(x, y []float64) []float64 {
	z := make([]float64, len(x))
	for i := range z {
		z[i] = x[i] + y[i]
	}
	return z
}

// loss runs net on a batch and returns logits, the loss and a function that runs it again.
func build(t *testing.T, net *Network, train bool, x []float32, labels []int32) (logits, loss *nn.Node, g *nn.Graph) {
	t.Helper()
	s := net.Spec
	g, err := nn.Build(train, func(g *nn.Graph) {
		logits = net.Forward(g, g.Input("x", x, len(labels), s.Image[0], s.Image[1], s.Image[2]))
		loss = op.CrossEntropy(logits, &op.Target{Labels: labels})
	})
	if err != nil {
		t.Fatal(err)
	}
	return logits, loss, g
}

// imageLogits are those of the images x, (images, classes).
func imageLogits(t *testing.T, net *Network, train bool, x []float32, labels []int32) []float32 {
	t.Helper()
	logits, _, g := build(t, net, train, x, labels)
	return computed(t, g, logits, 0)
}

// computed returns what g has for y at a step.
func computed(t *testing.T, g *nn.Graph, y *nn.Node, step uint64) []float32 {
	t.Helper()
	f, err := nn.Compile(g, nil, y)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Run(step); err != nil {
		t.Fatal(err)
	}
	return slices.Clone(nn.Value(y))
}

func images(n int, s Spec) []float32 {
	rng := rand.New(rand.NewPCG(5, 6))
	x := make([]float32, n*s.Image[0]*s.Image[1]*s.Image[2])
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

// variants are small networks of every encoding and option. In the narrow ones the first layer takes tokens like every
// other; in the wide ones it is folded with the map of the pixels.
func variants() map[string]Spec {
	all := map[string]Spec{}
	put := func(name, encoding string, change func(*Spec)) {
		s := small()
		s.Encoding, s.Dim = encoding, 26
		change(&s)
		all[name] = s
	}
	for _, encoding := range posenc.Kinds.Names() {
		for _, dim := range []int{9, 27} {
			put(fmt.Sprintf("%s, dim %d", encoding, dim), encoding, func(s *Spec) { s.Dim = dim })
		}
		put(encoding+", factored", encoding, func(s *Spec) { s.Value, s.HeadDim = "factored", 5 })
	}
	for encoding, masks := range map[string]string{
		"quadratic": "image", "quadratic-general": "image", "content": "batch",
	} {
		put(encoding+", masks "+masks, encoding, func(s *Spec) { s.AttentionMasks = masks })
	}
	for _, terms := range [][]string{{"qk"}, {"qr"}, {"uk"}, {"vr"}, {"qk", "vr"}, {"qr", "uk"}, {"uk", "vr"}} {
		put(fmt.Sprint("relative, terms ", terms), "relative", func(s *Spec) { s.Terms = terms })
	}
	put("heads that share channels unevenly", "content-only", func(s *Spec) { s.Dim = 11 })
	for _, encoding := range []string{"content", "relative", "content-only"} {
		put(encoding+", narrow heads", encoding, func(s *Spec) { s.HeadDim = 4 })
	}
	for _, a := range posenc.Absolutes.Names()[1:] {
		put("absolute "+a, "content-only", func(s *Spec) { s.Absolute, s.HeadDim = a, 7 })
		put("quadratic, absolute "+a, "quadratic", func(s *Spec) { s.Absolute = a })
	}
	return all
}

func TestLogitsEqualReference(t *testing.T) {
	for name, s := range variants() {
		t.Run(name, func(t *testing.T) {
			net, err := New(s, 1)
			if err != nil {
				t.Fatal(err)
			}
			p := oracleOf(net)
			labels := []int32{0, 1, 2}
			x := images(len(labels), s)
			logits := imageLogits(t, net, false, x, labels)
			for i := range labels {
				size := len(x) / len(labels)
				for c, want := range p.logits(float64s(x[i*size : (i+1)*size])) {
					if got := float64(logits[i*s.Classes+c]); math.Abs(got-want) > 2e-6 {
						t.Errorf("image %d, class %d: logit %.8f, reference %.8f", i, c, got, want)
					}
				}
			}
		})
	}
}

// The gradient of the whole network, dropout on, along random directions of each parameter.
func TestModelGradient(t *testing.T) {
	for name, s := range variants() {
		t.Run(name, func(t *testing.T) {
			net, err := New(s, 2)
			if err != nil {
				t.Fatal(err)
			}
			labels := []int32{0, 1, 2, 4}
			_, loss, g := build(t, net, true, images(len(labels), s), labels)
			f, err := nn.Compile(g, loss)
			if err != nil {
				t.Fatal(err)
			}
			params, grads := f.Gradients()
			defer f.Close()
			run := func() float64 {
				if err := f.Run(3); err != nil {
					t.Fatal(err)
				}
				return float64(nn.Value(loss)[0])
			}
			rng := rand.New(rand.NewPCG(7, 8))
			for i, p := range params {
				run()
				step := make([]float32, len(p.Data))
				var along, length float64
				for j, v := range nn.Value(grads[i]) { // half along the gradient, half at random
					step[j] = v + float32(rng.NormFloat64())*0.1
					along += float64(v) * float64(step[j])
					length += float64(step[j]) * float64(step[j])
				}
				h := 2e-2 / math.Sqrt(length)
				at := append([]float32{}, p.Data...)
				move := func(sign float64) float64 {
					for j := range step {
						p.Data[j] = at[j] + float32(sign*h)*step[j]
					}
					return run()
				}
				want := (move(1) - move(-1)) / (2 * h)
				copy(p.Data, at)
				if math.Abs(along-want) > 2e-4*math.Sqrt(length)+1e-2*math.Abs(want) {
					t.Errorf("%s: along the step %.6g, central difference %.6g", p.Name, along, want)
				}
			}
		})
	}
}
