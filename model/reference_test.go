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
	"github.com/attnconv/attnconv/internal/plain"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// An oracle is the reference's network in float64, written from its formulas with loops and nothing else. Its attention
// is plain.Layer, which has nothing in common with the layers that it checks. It takes one image of rows × cols ×
// channels.
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
	blocks := s.Blocks()
	for l, b := range blocks {
		at := fmt.Sprintf("encoder.layer.%d.", l)
		if joined := func(i int) bool { return blind(blocks[i]) }; s.Readout == "token" && joined(l) &&
			(l == 0 || !joined(l-1)) {
			tokens = slices.Concat([][]float64{p.classToken()}, tokens)
		}
		if b.Norm != "post" {
			tokens = p.preNorm(at, b, tokens)
			continue
		}
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
	if blocks[len(blocks)-1].Norm != "post" {
		for i, t := range tokens {
			tokens[i] = p.norm("encoder.LayerNorm", t)
		}
	}
	return p.linear("classifier", p.readout(tokens))
}

// blind reports whether a block attends by content alone to all keys.
func blind(b BlockSpec) bool {
	return b.Kind.Name == "attention" && b.Encoding == "content-only" && b.Window.Size == 0
}

// classToken is the class token with its place, which is the first one where it has one.
func (p oracle) classToken() []float64 {
	token := float64s(p.w["class_token.weight"])
	if p.spec.Absolute == "learned-all" {
		token = add(token, float64s(p.w["position_embeddings.weight"][:p.spec.Dim]))
	}
	return token
}

// preNorm is a block that norms what its parts read, and in its middle perhaps also what the residual goes on with.
func (p oracle) preNorm(at string, b BlockSpec, tokens [][]float64) [][]float64 {
	var normed, out [][]float64
	for _, t := range tokens {
		normed = append(normed, p.norm(at+"attention.output.LayerNorm", t))
	}
	for i, mixed := range (oracle{b.Spec, p.w}).mix(at+"attention.self.", b.Heads, normed) {
		h := add(tokens[i], p.linear(at+"attention.output.dense", mixed))
		middle := p.norm(at+"output.LayerNorm", h)
		f := p.linear(at+"intermediate.dense", middle)
		if b.Norm == "mid" {
			h = middle
		}
		for j, u := range f {
			f[j] = u / 2 * (1 + math.Erf(u/math.Sqrt2))
		}
		out = append(out, add(h, p.linear(at+"output.dense", f)))
	}
	return out
}

// readout is what is classified.
func (p oracle) readout(tokens [][]float64) []float64 {
	weights := make([]float64, len(tokens))
	for i, t := range tokens {
		switch p.spec.Readout {
		case "token":
			return t
		case "sequence":
			weights[i] = p.linear("sequence_pool", t)[0]
		}
	}
	sum := make([]float64, p.spec.Dim)
	for i, w := range plain.Softmax(weights) {
		for j, v := range tokens[i] {
			sum[j] += w * v
		}
	}
	return sum
}

// mix is what attention makes of the tokens, or a convolution with zeros around them, whichever has parameters with
// names that begin with at.
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
	layer := p.attention(at, heads)
	if layer.Rows*layer.Cols < len(tokens) { // a class token has joined
		layer.Rows, layer.Cols = 1, len(tokens)
	}
	flat := layer.Forward(slices.Concat(tokens...))
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
		if s.Absolute == "learned-all" {
			tokens[i] = float64s(p.w["position_embeddings.weight"][(i+1)*s.Dim:][:s.Dim])
		}
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

// attention is the layer whose parameters have names that begin with at. The value map joins the heads; where it does
// not have that shape, heads have values of their own, and the dense map behind joins them.
func (p oracle) attention(at string, heads int) *plain.Layer {
	s := p.spec
	tokens := plain.Layer{}
	if w := s.Window; w.Size > 0 {
		tokens.Window = &plain.Neighborhood{Size: w.Size, Stride: max(1, w.Stride), Dilation: max(1, w.Dilation),
			Offset: w.Offset, Border: cmp.Or(w.Border, "zero")}
	}
	if s.Content != "none" {
		tokens.Content = s.Content
	}
	l := &plain.Layer{Window: tokens.Window, Content: tokens.Content, Encoding: s.Encoding, Terms: s.Terms,
		Rows: s.Image[0] / s.Pool, Cols: s.Image[1] / s.Pool,
		Heads: heads, In: s.Dim,
		Out: s.Dim, HeadDim: cmp.Or(s.HeadDim, s.Dim), MaxSide: s.MaxPosition, Params: map[string][]float64{}}
	for name, w := range p.w {
		if own, ok := strings.CutPrefix(name, at); ok {
			l.Params[own] = float64s(w)
		}
	}
	l.Split = len(l.Params["value.weight"]) != heads*s.Dim*s.Dim || s.Value == "factored"
	if w := l.Params["query.weight"]; w != nil { // heads may share the channels
		l.HeadDim = len(w) / s.Dim / heads
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
		loss = op.Apply(op.CrossEntropyOp{Target: &op.Target{Labels: labels}}, logits)
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
	putRules(put)
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
	for _, a := range []string{"sinusoid", "learned"} {
		put("absolute "+a, "content-only", func(s *Spec) { s.Absolute, s.HeadDim = a, 7 })
		put("quadratic, absolute "+a, "quadratic", func(s *Spec) { s.Absolute = a })
	}
	return all
}

// putRules puts variants with windows, content, gates, temperatures, pre-norms and readouts.
func putRules(put func(name, encoding string, change func(*Spec))) {
	for _, w := range []Window{
		{Size: 3},
		{Size: 3, Border: "absent"},
		{Size: 3, Border: "clamp"},
		{Size: 2, Dilation: 2},
		{Size: 2, Stride: 2, Offset: 1, Border: "absent"},
		{Size: 4, Stride: 2, Dilation: 1},
	} {
		for _, encoding := range posenc.Kinds.Names() {
			put(fmt.Sprintf("%s, window %v", encoding, w), encoding, func(s *Spec) { s.Window, s.HeadDim = w, 0 })
		}
		put(fmt.Sprintf("gate, window %v", w), "quadratic-general", func(s *Spec) {
			s.Window, s.Content, s.HeadDim = w, "gate", 5
		})
	}
	put("relative vr, window", "relative", func(s *Spec) { s.Window, s.Terms = Window{Size: 3}, []string{"vr"} })
	for _, encoding := range []string{"quadratic", "quadratic-general", "quadratic-free", "learned", "table"} {
		for _, content := range []string{"add", "gate"} {
			put(encoding+", content "+content, encoding, func(s *Spec) { s.Content, s.HeadDim = content, 5 })
			put(encoding+", hot, content "+content, encoding, func(s *Spec) {
				s.Content, s.HeadDim, s.Temperature, s.Value = content, 6, "learned", "factored"
			})
		}
	}
	for _, encoding := range posenc.Kinds.Names() {
		put(encoding+", temperature", encoding, func(s *Spec) { s.Temperature = "learned" })
	}
	put("hot windows", "table", func(s *Spec) { s.Temperature, s.Window = "learned", Window{Size: 3} })
	put("pre-norm", "quadratic", func(s *Spec) { s.Norm = "pre" })
	put("pre-norm, content", "content", func(s *Spec) { s.Norm, s.HeadDim = "pre", 6 })
	put("class token", "content-only", func(s *Spec) { s.Readout, s.Absolute = "token", "learned" })
	put("class token that joins late", "quadratic", func(s *Spec) {
		s.Readout, s.Norm, s.Content, s.HeadDim = "token", "pre", "gate", 4
		own := map[string]any{"encoding": "content-only", "content": "none"}
		s.Layers = Layers{{Repeat: 1}, {Repeat: s.Layers.Count() - 1, Own: own}}
	})
	put("class token with a place", "content-only", func(s *Spec) { s.Readout, s.Absolute = "token", "learned-all" })
	put("mid-norm, content", "content-only", func(s *Spec) { s.Norm, s.HeadDim = "mid", 6 })
	put("mid-norm, then post-norm", "quadratic", func(s *Spec) {
		s.Layers = Layers{{Own: map[string]any{"norm": "mid"}}, {}}
	})
	put("post-norm, then mid-norm", "learned", func(s *Spec) {
		s.Layers = Layers{{}, {Own: map[string]any{"norm": "mid"}}}
	})
	for _, encoding := range posenc.Kinds.Names() {
		put(encoding+", no biases", encoding, func(s *Spec) { s.QKVBias = false })
		put(encoding+", factored, no biases", encoding, func(s *Spec) {
			s.QKVBias, s.Value, s.HeadDim, s.Norm = false, "factored", 5, "pre"
		})
	}
	put("gate, no biases", "quadratic-free", func(s *Spec) {
		s.QKVBias, s.Content, s.Value, s.HeadDim = false, "gate", "factored", 4
	})
	put("windows, no biases", "table", func(s *Spec) {
		s.QKVBias, s.Content, s.HeadDim, s.Window = false, "add", 4, Window{Size: 3}
	})
	put("sequence pooling", "learned", func(s *Spec) { s.Readout = "sequence" })
}

func TestLogitsEqualReference(t *testing.T) {
	for name, s := range variants() {
		t.Run(name, func(t *testing.T) {
			net, err := New(s, 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range net.Params { // which start equal for all heads
				if strings.HasSuffix(p.Name, ".gate") || strings.HasSuffix(p.Name, ".temperature") {
					for h := range p.Data {
						p.Data[h] += 0.4 * float32(h) * float32(1-2*(h%2))
					}
				}
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
